"""The audit of commonplace: the method passes, and one with a fault planted in it does not."""

from __future__ import annotations

import pytest

from allonym.anonymizers.commonplace import Commonplace
from allonym.audit.documents import documents, few_documents
from allonym.audit.interference import interference
from allonym.audit.pipeline import pipeline

WORDS = ["house", "water", "music", "winter", "doctor", "letter"]


def ready(kind: type[Commonplace] = Commonplace) -> Commonplace:
    return kind(book="book-example", sentences=3, loss_per_sentence=2.0)


def verdicts(findings) -> dict[str, str]:
    return {one.check: one.verdict for one in findings}


class CountsSentences(Commonplace):
    """Writes as many sentences as the text has: silence is not drawn."""

    method = "counts-sentences"

    def _anonymize(self, texts, streams):
        sets = self._candidates(texts)
        drawn = self.mechanism_.draw_among(sets, streams)
        said = (sets < len(self.book_)).all(axis=2)
        return [self._text(row[keep]) for row, keep in zip(drawn, said, strict=True)]


class KeepsAccident(Commonplace):
    """Adds a word of the text that the encoder does not know."""

    method = "keeps-accident"

    def _anonymize(self, texts, streams):
        known = set(self.book_.encoder.features.words)
        kept = (
            " ".join(word for word in text.lower().split() if word.isalpha() and word not in known) for text in texts
        )
        return [f"{said} {more}" for said, more in zip(super()._anonymize(texts, streams), kept, strict=True)]


def test_the_method_passes():
    method = ready()
    found = interference(method, few_documents(WORDS), tables=1, where="as it is")
    assert set(verdicts(found).values()) == {"holds"}
    assert "3 sentences are drawn" in found[-1].says
    assert verdicts(pipeline(method)) == {"law": "holds", "fresh noise": "holds"}


@pytest.mark.parametrize("kind", [CountsSentences, KeepsAccident])
def test_what_goes_around_the_mechanism_is_caught(kind):
    found = interference(ready(kind), documents(WORDS), tables=1, where="as it is")
    assert verdicts(found)["interference"] == "violated"
