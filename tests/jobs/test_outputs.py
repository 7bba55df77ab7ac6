"""Outputs appear whole, beside their guarantee, or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

import pytest

from allonym.errors import InputError
from allonym.formats.base import formats
from allonym.formats.files import DocumentBatch
from allonym.jobs import outputs
from allonym.jobs.outputs import atomic, companions, default_output, privacy_path


def everything(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# Names


def test_names(tmp_path):
    assert privacy_path("a/x.npz") == Path("a/x.npz.privacy.json")
    assert default_output("-", ".npz") is None
    assert default_output("d/a.b.csv", ".npz") == Path("d/a.b.anon.npz")
    assert default_output("d/a.csv") == Path("d/a.anon.csv")
    assert default_output(tmp_path) == tmp_path.with_name(f"{tmp_path.name}.anon")
    assert default_output(f"{tmp_path}/", ".npz") == tmp_path.with_name(f"{tmp_path.name}.anon.npz")
    with pytest.raises(InputError, match="has no place beside it"):
        default_output("/")
    (tmp_path / "sub").mkdir()
    assert default_output(tmp_path / "sub" / "..", ".npz").name == f"{tmp_path.name}.anon.npz"
    assert companions("x.parquet") == (Path("x.parquet.privacy.json"),)
    assert [path.name for path in companions("x.npz")] == [
        "x.npz.privacy.json",
        "x.vocabulary.txt",
        "x.ids.txt",
    ]


# All or nothing


def publish(path: Path, force: bool = False, source: Path | None = None, content: str = "new") -> None:
    with atomic(path, force, source=source) as place:
        place.write_text(content)
        privacy_path(place).write_text(f"{content} guarantee")


def test_publishes_with_the_usual_mode_and_keeps_the_place_private(tmp_path):
    umask = os.umask(0o027)
    try:
        with atomic(tmp_path / "x.txt", False) as place:
            place.write_text("new")
            assert stat.S_IMODE(place.parent.parent.stat().st_mode) == 0o700
            assert place.parent.parent.parent == tmp_path
            assert not (tmp_path / "x.txt").exists()
    finally:
        os.umask(umask)
    assert stat.S_IMODE((tmp_path / "x.txt").stat().st_mode) == 0o640
    assert everything(tmp_path) == {"x.txt": b"new"}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("existing", [False, True])
def test_an_exception_leaves_everything_as_it_was(tmp_path, error, existing):
    if existing:
        publish(tmp_path / "x.npz", content="old")
    before = everything(tmp_path)

    def interrupted() -> None:
        with atomic(tmp_path / "x.npz", force=existing) as place:
            place.write_text("half")
            (place.parent / "x.vocabulary.txt").write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert everything(tmp_path) == before
    assert len(os.listdir(tmp_path)) == len(before)


@pytest.mark.parametrize("call", range(8))
@pytest.mark.parametrize("name", ["rename", "replace", "fsync"])
def test_a_failure_at_any_step_of_publishing_puts_the_old_files_back(tmp_path, monkeypatch, name, call):
    publish(tmp_path / "x.npz", content="old")
    before = everything(tmp_path)
    real, calls = getattr(os, name), iter(range(100))

    def failing(*arguments):
        if next(calls) == call:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(outputs.os, name, failing)
    try:
        publish(tmp_path / "x.npz", force=True)
    except OSError:
        assert everything(tmp_path) == before
    else:
        assert everything(tmp_path) == {"x.npz": b"new", "x.npz.privacy.json": b"new guarantee"}
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.parametrize("call", range(4))
def test_a_lone_file_is_old_or_new_at_every_failure(tmp_path, monkeypatch, call):
    (tmp_path / "x.txt").write_text("old")
    real, calls = os.fsync, iter(range(100))

    def failing(descriptor):
        if next(calls) == call:
            raise OSError(5, "Input/output error")
        real(descriptor)

    monkeypatch.setattr(outputs.os, "fsync", failing)
    with contextlib.suppress(OSError), atomic(tmp_path / "x.txt", True) as place:
        place.write_text("new")
    assert everything(tmp_path) == {"x.txt": b"old" if call < 2 else b"new"}
    assert os.listdir(tmp_path) == ["x.txt"]


def test_a_folder_replaces_a_link(tmp_path):
    (tmp_path / "out").symlink_to(tmp_path / "elsewhere")
    with atomic(tmp_path / "out", True) as place:
        formats()["folder"].write(place, [DocumentBatch(0, ["a.txt"], ["x"])])
    assert everything(tmp_path) == {"out/a.txt": b"x"}


@pytest.mark.parametrize("name", [".", "..", "/", "", "x" * 250])
def test_names_no_output_can_have(name):
    with pytest.raises(InputError, match="cannot be the name of an output"), atomic(name, True):
        pass


def test_the_guarantee_is_there_before_the_output_and_the_old_output_is_gone_before_that(tmp_path, monkeypatch):
    publish(tmp_path / "x.npz", content="old")
    seen: list[dict[str, bytes]] = []

    def watching(real):
        def step(*arguments):
            real(*arguments)
            seen.append({k: v for k, v in everything(tmp_path).items() if "/" not in k})

        return step

    monkeypatch.setattr(outputs.os, "rename", watching(os.rename))
    monkeypatch.setattr(outputs.os, "replace", watching(os.replace))
    publish(tmp_path / "x.npz", force=True)
    assert len(seen) == 4
    for files in seen:
        if "x.npz" in files:
            assert files["x.npz.privacy.json"] == files["x.npz"] + b" guarantee"


def test_existing_files_need_force_companions_too(tmp_path):
    (tmp_path / "x.vocabulary.txt").write_text("mine")
    with pytest.raises(InputError, match=r"x\.vocabulary\.txt exists; choose another -o or add --force\."):
        publish(tmp_path / "x.npz")
    (tmp_path / "dangling.npz").symlink_to(tmp_path / "nowhere")
    with pytest.raises(InputError, match="exists"):
        publish(tmp_path / "dangling.npz")
    assert sorted(os.listdir(tmp_path)) == ["dangling.npz", "x.vocabulary.txt"]


def test_force_removes_companions_that_no_longer_belong(tmp_path):
    names = ("x.npz", "x.vocabulary.txt", "x.ids.txt")
    for written in (names, names[:2]):
        with atomic(tmp_path / "x.npz", True) as place:
            for name in written:
                (place.parent / name).write_text("x")
        assert sorted(os.listdir(tmp_path)) == sorted(written)


def test_a_file_that_appears_meanwhile_is_not_replaced(tmp_path):
    def raced() -> None:
        with atomic(tmp_path / "x.txt") as place:
            place.write_text("new")
            (tmp_path / "x.txt").write_text("theirs")

    with pytest.raises(InputError, match="exists"):
        raced()
    assert everything(tmp_path) == {"x.txt": b"theirs"}


def test_the_input_is_never_replaced(tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("t\nx\n")
    (tmp_path / "link.csv").symlink_to(source)
    os.link(source, tmp_path / "hard.csv")
    (tmp_path / "vocabulary.npz.privacy.json").symlink_to(source)
    for name in ("in.csv", "link.csv", "hard.csv", "vocabulary.npz"):
        for given in (source, tmp_path / "link.csv"):
            with pytest.raises(InputError, match="is, holds or lies in the input; choose another -o"):
                publish(tmp_path / name, True, given)
    assert source.read_text() == "t\nx\n"
    assert len(os.listdir(tmp_path)) == 4


def test_nothing_in_or_around_an_input_folder_is_replaced(tmp_path):
    folder = tmp_path / "around" / "in"
    folder.mkdir(parents=True)
    (folder / "a.txt").write_text("x")
    (folder / "out.txt").symlink_to(tmp_path / "elsewhere")
    for target in (folder / "a.txt", folder / "new.npz", folder / "out.txt", folder, tmp_path / "around"):
        with pytest.raises(InputError, match="is, holds or lies in the input"):
            publish(target, True, folder)
    assert sorted(os.listdir(folder)) == ["a.txt", "out.txt"]


def test_force_does_not_delete_a_folder_of_other_things(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "a.tex").write_text("x")
    with pytest.raises(InputError, match="is a folder not written by allonym"):
        publish(tmp_path / "thesis", True)
    assert everything(tmp_path) == {"thesis/a.tex": b"x"}


def test_missing_folder_and_unwritten_output(tmp_path):
    with pytest.raises(InputError, match=r"none cannot be written to \(No such file or directory\); create"):
        publish(tmp_path / "none" / "x.txt")
    with pytest.raises(FileNotFoundError, match="was not written"), atomic(tmp_path / "x.txt"):
        pass
    assert os.listdir(tmp_path) == []


def test_standard_input_as_source_is_no_obstacle(tmp_path):
    publish(tmp_path / "x.txt", source=Path("-"))
    assert (tmp_path / "x.txt").read_text() == "new"
