"""All that an audit does with whole releases of a method: non-interference, streams, and draws against their law."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from allonym.anonymizers.auditing import PLAIN
from allonym.anonymizers.base import Anonymizer
from allonym.audit.documents import documents, few_documents, of_vocabulary, very_long_documents
from allonym.audit.findings import Finding
from allonym.audit.interference import interference, job_files
from allonym.audit.pipeline import pipeline
from allonym.audit.streams import far_rows, job_noise, long_document, many_rows, other_settings, streams

_AS_IT_IS, _SMALL = "as it is", "a few words, a small loss"
_FEWEST_WORDS = 3
_TABLES = 3  # of draws, for small versions
_SLOW_TEXTS = 3  # at a time, of a method that takes a second for each


def of_release(anonymizer: Anonymizer) -> list[Finding]:
    """Return what whole releases show of a method that promises something."""
    words = words_for(anonymizer)
    if len(words) < _FEWEST_WORDS:
        return [unknown_words(anonymizer)]
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
            findings.append(Finding.not_audited(check, says))
    return findings


def words_for(anonymizer: Anonymizer) -> tuple[str, ...]:
    """Return words for the documents of an audit: such as the method knows, or plain ones if it has no list of them."""
    audited = anonymizer.audited()
    return audited.known() if audited.words else PLAIN


def documents_for(anonymizer: Anonymizer, words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the documents that a method is asked about as it is, the plain one first."""
    audited = anonymizer.audited()
    listed = few_documents(words) if audited.slow else documents(words)
    return [*listed, *of_vocabulary(audited.words, slow=audited.slow)]


def unknown_words(anonymizer: Anonymizer) -> Finding:
    """Return the finding that a method knows too few words."""
    says = (
        f"The vocabulary of {anonymizer.method} knows fewer than {_FEWEST_WORDS} words that a document could consist "
        "of, so that no document of the checks would be read."
    )
    return Finding.not_audited("words of the checks", says)


def _followed(anonymizer: Anonymizer, words: Sequence[str]) -> list[Finding]:
    """Return the findings of non-interference: of the method as it is, and of versions with few words."""
    small = anonymizer.audited().small()
    findings = interference(anonymizer, documents_for(anonymizer, words), tables=1, where=_AS_IT_IS)
    if small is None:
        return [*findings, job_files(anonymizer, few_documents(words), _AS_IT_IS)]
    if small.roomy is not None:
        findings += interference(small.roomy, documents(PLAIN), tables=1, where="room for all that is drawn")
    findings += interference(small.short, documents(PLAIN[:8]), tables=_TABLES, where=_SMALL)
    long = very_long_documents(PLAIN[:8], slow=anonymizer.audited().slow)
    findings += interference(small.short, long, tables=1, where=f"{_SMALL}, very long texts")
    return [*findings, job_files(small.short, few_documents(PLAIN[:8]), _SMALL)]


def _noise(anonymizer: Anonymizer, words: Sequence[str]) -> list[Finding]:
    """Return the findings about random words."""
    audited = anonymizer.audited()
    small, most = audited.small(), _SLOW_TEXTS if audited.slow else None
    findings = streams(anonymizer, words, most=most, where=_AS_IT_IS)
    if small is None:
        return findings
    findings += streams(small.anonymizer, small.words, where=_SMALL)
    findings += [look(small.shortest, small.words[0], _SMALL) for look in (many_rows, far_rows, job_noise)]
    # As short as it is: a long text shows whether noise is used twice within one.
    findings.append(long_document(small.anonymizer, small.words, slow=audited.slow, where=_SMALL))
    return [*findings, other_settings(small.shortest, small.words, _SMALL)]
