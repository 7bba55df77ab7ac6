"""The other commands, help, and how a run ends when something goes wrong in the middle of it."""

from __future__ import annotations

import errno
import inspect
import json
import shutil
from pathlib import Path

import pytest

import allonym
from allonym import anonymizers, cli, models
from allonym.anonymizers.syntf import SynTF
from allonym.cli import anonymize as anonymize_module
from allonym.jobs import outputs
from allonym.jobs import run as jobs_run
from allonym.privacy.statement import number

METHODS = sorted(anonymizers.examples())
CANARY = "zyxqcanaryqvo"
STYLES = {"a4nt": {"model": "age", "target": "adult"}}  # a method that cannot do without


def options_of(method: str, vocabulary: Path) -> list[str]:
    accepted = inspect.signature(anonymizers.find(method)).parameters
    given = {"vocabulary": str(vocabulary), "words": "20", "epsilon": "5.0", **STYLES.get(method, {})}
    named = [(f"--{name}", value) for name, value in given.items() if name in accepted]
    return ["--method", method, *(part for pair in named for part in pair)]


# guarantee


@pytest.mark.parametrize("method", METHODS)
def test_guarantee_of_each_method_is_that_of_the_api(method, command, vocabulary):
    line = ["guarantee", *options_of(method, vocabulary)]
    spoken = command(*line).done()
    answer = command(*line, "--json").done()
    kind = anonymizers.find(method)
    accepted = inspect.signature(kind).parameters
    given = {"vocabulary": vocabulary, "words": 20, "epsilon": 5.0, **STYLES.get(method, {})}
    promised = kind(**{name: value for name, value in given.items() if name in accepted}).guarantee()
    assert answer.json["guarantee"] == json.loads(promised.to_json())
    assert answer.json["method"] == method
    assert str(promised) in spoken.out
    assert spoken.out.startswith(f"{method}: {promised.definition}\n")
    assert spoken.err == answer.err == ""


def test_guarantee_of_the_shipped_vocabulary_by_default(command):
    result = command("guarantee", "--method", "random-replacement", "--json").done().json
    assert (result["guarantee"]["epsilon"], result["guarantee"]["words"]) == (0.0, 150)


def test_guarantee_adds_documents_up(command, syntf):
    one, seven = (
        command("guarantee", *syntf, "--documents", count, "--json").json["guarantee"] for count in ("1", "7")
    )
    assert (one["unit"], seven["unit"], seven["documents"]) == ("document", "author", 7)
    assert seven["epsilon"] == pytest.approx(7 * one["epsilon"], rel=1e-12)
    assert seven["epsilon"] >= 7 * one["words"] * one["loss_per_word"]
    assert "7 documents of one author" in command("guarantee", *syntf, "--documents", "7").out


def test_guarantee_bounds_are_ordered_and_the_tight_one_is_promised(command, syntf):
    answer = command("guarantee", *syntf, "--json").json
    standard, alternative, tight = answer["bounds_per_word"].values()
    assert tight == answer["guarantee"]["loss_per_word"]
    assert tight < min(standard, alternative)
    assert standard == 47.5
    assert "tight loss" in command("guarantee", *syntf).out


def test_delta_gives_a_second_bound_and_keeps_the_first(command, syntf):
    line = ["guarantee", *syntf, "--epsilon", "2", "--words", "200"]
    plain = command(*line, "--json").json["guarantee"]
    both = command(*line, "--delta", "1e-6", "--json").json["guarantee"]
    assert plain["also_holds"] == []
    [other] = both["also_holds"]
    assert other["delta"] == 1e-6
    assert 0 < other["epsilon"] < both["epsilon"] == plain["epsilon"]
    assert both["delta"] == 0.0
    assert "Also true: ε = " in command(*line, "--delta", "1e-6").out


@pytest.mark.parametrize("asked", [0.05, 0.5, 3.0, 12.0])
def test_asked_loss_is_respected_and_used(asked, command, syntf):
    promised = command("guarantee", *syntf, "--loss-per-word", asked, "--json").json["guarantee"]
    assert 0.99 * asked < promised["loss_per_word"] <= asked


@pytest.mark.parametrize(
    "line",
    [
        ["--documents", "0"],
        ["--documents", "x"],
        ["--documents", "1" + "0" * 400],
        ["--delta", "0"],
        ["--delta", "1"],
        ["--delta", "nan"],
        ["--epsilon", "nan"],
        ["--words", "-1"],
        ["--loss-per-word", "1e9"],
        ["INPUT.csv"],
        ["--magic"],
    ],
)
def test_bad_guarantees_are_refused(line, command, syntf, recwarn):
    result = command("guarantee", *syntf, *line).refused()
    assert "bug" not in result.err


def test_delta_needs_a_method_that_can_use_it(command):
    assert "--delta" in command("guarantee", "--method", "identity", "--delta", "1e-6").refused().err
    command("guarantee", "--method", "identity", "--words", "3").refused()
    command("guarantee").refused()


def test_a_rating_learned_from_labels(command, labelled, vocabulary, tmp_path):
    reference = labelled()
    line = ["guarantee", "--method", "syntf", "--vocabulary", vocabulary, "--loss-per-word", "4", "--json"]
    learned = [*line, "--rating", "utility", "--reference", reference, "--reference-text", "body"]
    promised = command(*learned, "--reference-label", "topic").done().json["guarantee"]
    assert promised["loss_per_word"] <= 4
    assert any("learned from public labelled texts" in line for line in promised["assumptions"])
    assert "--rating utility needs labelled texts" in command(*learned).refused().err
    with_label = [*line, "--reference", reference, "--reference-text", "body", "--reference-label", "topic"]
    assert "give --rating utility too" in command(*with_label).refused().err


@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_guarantee_tells_what_usual_neighbours_lose(method, command, vocabulary):
    line = ["guarantee", "--method", method, "--epsilon", "5", "--vocabulary", vocabulary]
    answer = command(*line, "--json").done().json
    near = answer["nearest_neighbours"]
    assert 0 < near["distance"] * answer["guarantee"]["loss_per_unit"] < near["loss"]
    assert near["loss"] < answer["guarantee"]["loss_per_word"]
    spoken = command(*line).done().out
    assert f"at most e^{number(near['loss'])}; that is about usual neighbours, not all pairs" in spoken
    assert "nearest_neighbours" not in command("guarantee", "--method", "identity", "--json").json


# Topical words, learned from labelled reference texts


@pytest.fixture
def labelled(tmp_path, write_table, public_words):
    """Public texts of two topics, each with its words, and words of both."""

    def write(name="reference.csv"):
        sea, road, both = public_words[:5], public_words[5:10], public_words[10:15]
        rows = [{"body": " ".join(sea + both), "topic": "sea"}, {"body": " ".join(road + both), "topic": "road"}]
        return write_table(tmp_path / name, rows * 3)

    return write


TOPICAL = ["--epsilon", "900", "--topical-words", "10", "--reference-text", "body", "--reference-label", "topic"]


@pytest.mark.parametrize("name", ["reference.csv", "reference.jsonl", "reference.parquet"])
@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_only_topical_words_are_kept(method, name, command, labelled, vocabulary, public_words, tmp_path):
    letter = tmp_path / "letter.txt"
    letter.write_text(" ".join(public_words[3:12] + public_words[30:40]), encoding="utf-8")
    options = ["--method", method, "--vocabulary", vocabulary, *TOPICAL, "--reference", labelled(name)]
    out = command("anonymize", letter, *options, "--json", "-o", tmp_path / "out.txt").done()
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").split() == sorted(public_words[3:10])
    assert "labelled reference texts" in out.out
    assert "labelled reference texts" in command("guarantee", *options).done().out


def test_topical_words_need_labelled_texts_that_are_not_the_input(command, labelled, vocabulary, tmp_path):
    reference = labelled()
    plain = tmp_path / "plain.txt"
    plain.write_text("words", encoding="utf-8")
    method = ["--method", "laplace", "--vocabulary", vocabulary, "--epsilon", "5"]
    ready = [*method, "--topical-words", "10", "--reference", reference, "--reference-text", "body"]
    for line, said in {
        (*method, "--topical-words", "10"): "needs labelled texts",
        (*ready,): "needs labelled texts",
        (*method, "--reference", reference): "--reference is not an option",
        (*method, "--reference", reference, "--reference-label", "topic"): "give --topical-words too",
        (*ready, "--reference-label", "theme"): "has no column 'theme'",
        (*ready, "--reference-label", "body"): "different columns",
        (*ready[:-2], "--reference-label", "topic"): "name one with --reference-text",
        (*ready, "--reference-label", "topic", "--order", "text"): "bag",
        (*ready, "--reference", plain, "--reference-label", "topic"): "must be one of .csv",
        ("--method", "syntf", "--reference", reference, "--reference-label", "topic"): "has no use",
        ("--method", "identity", "--reference-label", "topic"): "has no use",
    }.items():
        assert said in command("guarantee", *line).refused().err, line
    itself = command("anonymize", reference, "--text", "body", *ready, "--reference-label", "topic")
    assert "the input itself" in itself.refused().err


def test_reference_rows_without_a_label_are_refused(command, write_table, vocabulary, tmp_path, public_words):
    method = ["--method", "laplace", "--vocabulary", vocabulary, *TOPICAL]
    for topics, said in (("", "sea"), "has no label"), (("sea", "sea"), "two different ones"):
        rows = [{"body": word, "topic": topic} for word, topic in zip(public_words, topics, strict=False)]
        reference = write_table(tmp_path / "bad.csv", rows)
        assert said in command("guarantee", *method, "--reference", reference).refused().err


# models


@pytest.fixture
def copied(tmp_path) -> Path:
    """A copy of the shipped model, for tests to spoil."""
    return Path(shutil.copytree(models.find("words-en"), tmp_path / "copy"))


def test_models_are_listed_and_verified(command, copied):
    listed = command("models", "list").done()
    assert "words-en" in listed.out
    [row] = [row for row in command("models", "list", "--json").json if row["name"] == "words-en"]
    assert (row["name"], row["format"]) == ("words-en", models.verify("words-en").config["format"])
    assert row["bytes"] == sum(path.stat().st_size for path in copied.iterdir())
    assert set(row["files"]) >= {"CARD.md", "config.json", "weights.safetensors"}
    assert command("models", "verify").done().out == "".join(f"{name}: ok\n" for name in models.shipped())
    assert command("models", "verify", "words-en", copied, "--json").json == {"words-en": "ok", str(copied): "ok"}


@pytest.mark.parametrize("spoil", ["change a byte", "change the card", "remove", "add", "pickle", "cut checksums"])
def test_tampered_model_fails_verification(spoil, command, copied):
    weights = copied / "weights.safetensors"
    if spoil == "change a byte":
        content = bytearray(weights.read_bytes())
        content[-1] ^= 1
        weights.write_bytes(content)
    elif spoil == "change the card":
        (copied / "CARD.md").write_text("harmless", encoding="utf-8")
    elif spoil == "remove":
        weights.unlink()
    elif spoil == "add":
        (copied / "more.json").write_text("{}", encoding="utf-8")
    elif spoil == "pickle":
        (copied / "weights.pkl").write_bytes(b"\x80\x04.")
    else:
        (copied / "SHA256").write_bytes((copied / "SHA256").read_bytes()[:40])
    for talk in ([], ["--json"]):
        result = command("models", "verify", copied, "words-en", *talk)
        assert result.code == 2
        assert result.err.startswith("allonym: ")
        assert len(result.err.splitlines()) == 1
    assert result.json["words-en"] == "ok"
    assert result.json[str(copied)] != "ok"
    command("guarantee", "--method", "syntf", "--embeddings", copied, "--words", "5").refused()


def test_absent_model_fails_verification(command, tmp_path):
    result = command("models", "verify", tmp_path / "absent", "--json")
    assert result.code == 2
    assert "no model folder" in result.json[str(tmp_path / "absent")]


# Help and global options


def test_help_names_every_command_and_option(command):
    overview = command("--help").done()
    assert overview.err == ""
    for name in ("anonymize", "guarantee", "models", "--json", "--quiet", "--no-color", "--version"):
        assert name in overview.out
    assert command("-h").out == overview.out
    every = {name for method in METHODS for name in inspect.signature(anonymizers.find(method)).parameters}
    of_methods = {f"--{name.replace('_', '-')}" for name in every} | {"--method", *METHODS}
    shared = {"--json", "--quiet", "--no-color"}
    job = {"--output", "-o", "--text", "--id", "--author", "--keep", "--force", "--dry-run", "--insecure-seed"}
    for name, expected in {
        "anonymize": of_methods | shared | job,
        "guarantee": of_methods | shared | {"--documents", "--delta"},
        "models": shared | {"list", "verify"},
        "models list": shared,
        "models verify": shared,
    }.items():
        helped = command(*name.split(), "--help").done()
        assert helped.err == ""
        assert {word for word in expected if word not in helped.out} == set(), name


def test_every_option_of_a_method_is_explained(command):
    helped = " ".join(command("anonymize", "--help").out.split())
    for text in ("Output words of each document", "ε of the exponential mechanism", "WordNet synonyms", "The public"):
        assert text in helped


@pytest.mark.parametrize(
    "line", [["magic"], ["anonymise", "x.txt"], ["--magic"], ["models", "magic"], ["models", "list", "x"]]
)
def test_unknown_commands_are_refused(line, command):
    command(*line).refused()


@pytest.mark.parametrize("line", [[], ["models"]])
def test_no_command_shows_the_help_as_an_error(line, command):
    result = command(*line)
    assert (result.code, result.out) == (2, "")
    assert "Usage: " in result.err


@pytest.mark.parametrize(
    "line",
    [["guarantee", "--method", "identity"], ["models", "list"], ["models", "verify"], ["anonymize", "-", "SYNTF"]],
)
def test_json_stands_anywhere_and_is_alone_on_stdout(line, command, syntf):
    line = [part for word in line for part in (syntf if word == "SYNTF" else [word])]
    for spelled in (["--json", *line], [*line, "--json"], ["--json", *line, "--json", "--no-color"]):
        result = command(*spelled, stdin=b"people").done()
        assert isinstance(result.json, dict | list)
        assert "\x1b" not in result.out + result.err
    if line[0] == "models":
        assert command("models", "--json", *line[1:]).json


# Ends in the middle


@pytest.fixture
def job(tmp_path, write_table, syntf) -> list[object]:
    """A job whose output exists already; its texts hold a canary."""
    path = write_table(tmp_path / "in.jsonl", [{"text": f"people {CANARY}"}, {"text": CANARY}])
    for name in ("o.npz", "o.npz.privacy.json"):
        (tmp_path / name).write_bytes(b"older")
    return ["anonymize", path, *syntf, "-o", tmp_path / "o.npz", "--force"]


def breaking(monkeypatch, place: str, error: BaseException) -> None:
    """Make a step of the job fail: reading, drawing, writing, bringing to disk, or publishing."""

    def fail(*_: object, **__: object) -> None:
        raise error

    module, name = {
        "reading": (anonymize_module, "open_documents"),
        "promising": (SynTF, "guarantee"),
        "drawing": (SynTF, "_anonymize"),
        "writing": (jobs_run, "write_terms"),
        "syncing": (outputs, "_sync"),
        "publishing": (outputs.os, "replace"),
    }[place]
    monkeypatch.setattr(module, name, fail)


PLACES = ["reading", "promising", "drawing", "writing", "syncing", "publishing"]


@pytest.mark.parametrize("place", PLACES)
def test_interrupt_ends_with_130_and_leaves_nothing(place, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, KeyboardInterrupt(CANARY))
    result = command(*job)
    monkeypatch.undo()
    assert (result.code, result.out) == (130, "")
    assert "Interrupted" in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize("kind", [RuntimeError, KeyError, ValueError, UnicodeError, AssertionError])
@pytest.mark.parametrize("place", PLACES)
def test_a_bug_ends_with_70_and_its_message_is_not_shown(kind, place, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, kind(f"cannot handle {CANARY}"))
    result = command(*job, "--json")
    monkeypatch.undo()
    assert (result.code, result.out) == (70, "")
    assert len(result.err.splitlines()) == 1
    assert kind.__name__ in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS])
@pytest.mark.parametrize("place", ["writing", "syncing", "publishing"])
def test_a_failing_disk_ends_with_2_and_leaves_nothing(place, number, job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, place, OSError(number, "No space left", f"/{CANARY}"))
    result = command(*job)
    monkeypatch.undo()
    result.refused()
    assert "nothing was written" in result.err
    assert CANARY not in result.err
    assert everything(tmp_path) == before


def test_too_little_memory_is_no_bug(job, command, monkeypatch, everything, tmp_path):
    before = everything(tmp_path)
    breaking(monkeypatch, "drawing", MemoryError())
    result = command(*job)
    monkeypatch.undo()
    assert "memory" in result.refused().err
    assert everything(tmp_path) == before


def test_first_run_leaves_nothing_either(job, command, monkeypatch, everything, tmp_path):
    for name in ("o.npz", "o.npz.privacy.json"):
        (tmp_path / name).unlink()
    for place in ("drawing", "publishing"):
        breaking(monkeypatch, place, KeyboardInterrupt())
        assert command(*job).code == 130
        monkeypatch.undo()
        assert everything(tmp_path).keys() == {"in.jsonl"}


def test_errors_raised_on_purpose_are_shown_whole(command, monkeypatch):
    def fail(*_: object) -> None:
        raise allonym.AllonymError("This is meant to be read.")

    monkeypatch.setattr(SynTF, "guarantee", fail)
    assert command("guarantee", "--method", "syntf").refused().err == "allonym: This is meant to be read.\n"


def test_main_exits_with_the_code_of_the_run(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["allonym", "magic"])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith("allonym: No such command")


@pytest.mark.parametrize("method", ["laplace", "exponential"])
def test_between_two_documents(command, tmp_path, method):
    (tmp_path / "a.txt").write_text("coffee rain", encoding="utf-8")
    (tmp_path / "b.txt").write_text("tea snow", encoding="utf-8")
    (tmp_path / "words.txt").write_text("coffee\ntea\nrain\nsnow\nharbour\n", encoding="utf-8")
    options = ("--method", method, "--epsilon", "5", "--vocabulary", tmp_path / "words.txt")
    files = (tmp_path / "a.txt", tmp_path / "b.txt")
    compared = command("guarantee", *options, "--between", *files, "--json").json["between"]
    assert compared["words"] == 2
    assert len(compared["distances"]) == len(compared["losses"]) == 2
    assert "what holds" in command("guarantee", *options, "--between", *files).done().out
    drawn = command("guarantee", *options, "--words", "9", "--between", *files, "--json").json["between"]
    assert drawn["words"] == 9
    command("guarantee", "--method", method).refused()  # without --epsilon
    command("guarantee", "--method", "random-replacement", "--between", *files).refused()


def test_laplace_from_the_command_line(command, tmp_path):
    (tmp_path / "in.csv").write_text('text\ncoffee in the rain\n""\nqzxjvk\n', encoding="utf-8")
    options = ("--method", "laplace", "--epsilon", "20", "--order", "text", "--words", "5")
    command("anonymize", tmp_path / "in.csv", *options).done()
    rows = (tmp_path / "in.anon.csv").read_text("utf-8").splitlines()
    assert [len(row.split()) for row in rows[1:]] == [5, 5, 5]
    assert "qzxjvk" not in " ".join(rows)


def test_target_unchanged_finds_the_epsilon(command, vocabulary, tmp_path):
    options = ("--method", "exponential", "--order", "text", "--vocabulary", vocabulary)
    result = command("guarantee", *options, "--target-unchanged", "0.4", "--json").done().json
    assert result["deniability"]["unchanged"] == pytest.approx(0.4, abs=0.02)
    (tmp_path / "in.txt").write_text("people think about the world", encoding="utf-8")
    command("anonymize", tmp_path / "in.txt", *options, "--target-unchanged", "0.4").done()
    for wrong in ((*options, "--epsilon", "3"), ("--method", "random-replacement")):
        command("guarantee", *wrong, "--target-unchanged", "0.4").refused()
