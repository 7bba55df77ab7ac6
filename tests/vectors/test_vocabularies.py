"""Word lists: what is read, and what is taken for a text that was named by mistake."""

from __future__ import annotations

import pytest

from allonym.errors import InputError, ParameterError
from allonym.vectors import vocabularies


def test_a_list_and_a_file_are_the_same(tmp_path):
    (tmp_path / "words.txt").write_text("house\nwater\nNew York\nhouse\n", encoding="utf-8")
    assert vocabularies.read(tmp_path / "words.txt") == ["house", "water", "New York"]
    assert vocabularies.read(["house", "water", "New York", "house"]) == ["house", "water", "New York"]


def test_a_text_is_no_vocabulary_and_is_not_shown(tmp_path):
    (tmp_path / "letter.txt").write_text("house\nI never paid them back, said Anna.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"Line 2 of .* holds a text") as refused:
        vocabularies.read(tmp_path / "letter.txt")
    assert "Anna" not in str(refused.value)


@pytest.mark.parametrize("given", [[], ["house", ""], ["house", 3]])
def test_words_are_strings_that_hold_something(given):
    with pytest.raises(ParameterError):
        vocabularies.read(given)
