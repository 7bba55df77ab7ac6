"""Languages: what belongs to one, and what is said of one that is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from allonym import language, models
from allonym.errors import ParameterError


def test_every_part_of_a_language_is_there():
    for spoken in language.LANGUAGES.values():
        assert all(spoken.part(name).__doc__ for name in spoken.parts)


def test_every_module_belongs_to_a_language():
    folder = Path(language.__file__).parent
    modules = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in folder.glob("*/__init__.py")}
    assert modules == set(language.ENGLISH.parts.values())


def test_the_models_of_a_language_are_those_that_bear_its_code():
    english = {name for name in models.shipped() if name.endswith("-en")}
    assert {language.ENGLISH.model(kind) for kind in language.ENGLISH.models} == english


def test_what_is_not_there_is_refused_with_what_is():
    with pytest.raises(ParameterError, match=r"does not know the language 'de'; choose one of: en \(English\)\."):
        language.find("de")
    with pytest.raises(ParameterError, match=r"no part 'tones'; it has .*words"):
        language.ENGLISH.part("tones")
    with pytest.raises(ParameterError, match=r"no model 'speech' for English, only .*words"):
        language.ENGLISH.model("speech")
