"""All that an audit does with whole releases of a method: non-interference, streams, and draws against their law."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allonym.anonymizers.base import Anonymizer
from allonym.anonymizers.erae import ERAE
from allonym.audit.documents import documents, few_documents
from allonym.audit.findings import Finding
from allonym.audit.interference import interference, job_files
from allonym.audit.pipeline import pipeline
from allonym.audit.small import PLAIN, audit_words, small_version, tiny_erae, vocabulary_of
from allonym.audit.streams import many_rows, streams

_AS_IT_IS = "as it is"
_FEWEST_WORDS = 3
_TABLES = 3  # of draws, for small versions
_SLOW_TEXTS = 3  # at a time, of a method that takes a second for each
_TINY = 200  # words of a network that is small, but has room for all that is drawn


def of_release(anonymizer: Anonymizer) -> list[Finding]:
    """Return what whole releases show of a method that promises something."""
    words = words_for(anonymizer)
    if len(words) < _FEWEST_WORDS:
        return [Finding(check="words of the checks", verdict="not audited", says=unknown_words(anonymizer))]
    parts: dict[str, Callable[[], list[Finding]]] = {
        "interference": lambda: _followed(anonymizer, words),
        "noise of documents": lambda: _noise(anonymizer, words),
        "law": lambda: pipeline(anonymizer),
    }
    findings = list[Finding]()
    for check, part in parts.items():
        try:
            findings += part()
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            says = f"The method failed with {type(error).__name__} when it was released for this check."
            findings.append(Finding(check=check, verdict="not audited", says=says))
    return findings


def words_for(anonymizer: Anonymizer) -> tuple[str, ...]:
    """Return words for the documents of an audit: such as the method knows, or plain ones if it has no list of them."""
    return audit_words(anonymizer) if vocabulary_of(anonymizer) else PLAIN


def unknown_words(anonymizer: Anonymizer) -> str:
    """Say that a method knows too few words."""
    return (
        f"The vocabulary of {anonymizer.method} knows fewer than {_FEWEST_WORDS} words that a document could consist "
        "of, so that no document of the checks would be read."
    )


def _followed(anonymizer: Anonymizer, words: Sequence[str]) -> list[Finding]:
    """Return the findings of non-interference: of the method as it is, and of versions with few words."""
    if isinstance(anonymizer, ERAE):
        found = interference(anonymizer, few_documents(words), tables=1, where=_AS_IT_IS)
        if anonymizer.style == "kept":
            roomy, where = tiny_erae(anonymizer, _TINY), f"{_TINY} words"
            found += interference(roomy, documents(PLAIN), tables=1, where=where)
        small: Anonymizer = tiny_erae(anonymizer, 8, sentences=3, steps=4)
    else:
        found = interference(anonymizer, documents(words), tables=1, where=_AS_IT_IS)
        version = small_version(anonymizer)
        if version is None:
            return [*found, job_files(anonymizer, few_documents(words), _AS_IT_IS)]
        small = version.anonymizer
    where = "a few words, a small loss"
    found += interference(small, documents(PLAIN[:8]), tables=_TABLES, where=where)
    return [*found, job_files(small, few_documents(PLAIN[:8]), where)]


def _noise(anonymizer: Anonymizer, words: Sequence[str]) -> list[Finding]:
    """Return the findings about random words."""
    small = small_version(anonymizer)
    found = streams(anonymizer, words, most=_SLOW_TEXTS if isinstance(anonymizer, ERAE) else None, where=_AS_IT_IS)
    if small is None:
        return found
    where = "a few words, a small loss"
    many = tiny_erae(anonymizer, 8, sentences=1, steps=2) if isinstance(anonymizer, ERAE) else small.anonymizer
    found += streams(small.anonymizer, small.words, where=where)
    return [*found, many_rows(many, small.words[0], where)]
