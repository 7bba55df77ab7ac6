"""Whole files: as they were, or new and complete; private where asked; nothing left beside them."""

from __future__ import annotations

import os
import threading

import pytest

from allonym import disk


def test_a_file_is_whole_and_private_or_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "state.json"
    disk.write(path, b"one", private=True)
    assert path.stat().st_mode & 0o777 == 0o600

    def crash(source, target):
        raise OSError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", crash)
        with pytest.raises(OSError, match="full"):
            disk.write(path, b"two", private=True)
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["state.json"]
    disk.write(path, b"three")
    assert path.stat().st_mode & 0o777 == 0o666 & ~os.umask(os.umask(0o022))


def test_writers_at_once_leave_the_file_of_one(tmp_path):
    path, contents = tmp_path / "a", [bytes([letter]) * 100_000 for letter in b"abcd"]
    writers = [threading.Thread(target=disk.write, args=(path, content)) for content in contents]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["a"]
