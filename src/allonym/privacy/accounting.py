"""Adding losses up: over the words of a document, the documents of an author, and in the Rényi sense.

Pure losses simply add, and for SynTF the sum is attained (documents of one repeated word), so no pure bound is
smaller. Rényi accounting trades a small failure probability δ for a smaller ε:

    n draws with Rényi loss D(α) each are (ε, δ)-private for every α > 1 with
    ε = n·D(α) + ln((α − 1)/α) − (ln δ + ln α)/(α − 1)        (Canonne, Kamath and Steinke 2020, proposition 12).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from allonym.errors import ParameterError
from allonym.privacy.guarantee import ANY_TWO_DOCUMENTS, AlsoHolds, Drawn, Guarantee

# Dense where the best order lies for hundreds of words of tens of nats each, sparse above.
ORDERS = (1.0005, 1.001, 1.002, 1.005, 1.01, 1.02, 1.05, 1.1, 1.2, 1.5, 2.0, 4.0)
_LOGARITHMS = 2.0**-48  # how much of itself a sum of two logarithms may err by, with room to spare


def total(loss_per_word: float, words: int, documents: int = 1) -> float:
    """Return the pure loss of `words` output words in each of `documents` documents, rounded up."""
    if words < 0 or documents < 1:
        raise ParameterError("A total needs at least one document and no negative number of words.")
    if not 0 <= loss_per_word < math.inf:
        raise ParameterError(f"A loss must be a finite number of at least 0, got {loss_per_word}.")
    return rounded_up(Fraction(loss_per_word) * words * documents)


def rounded_up(exact: Fraction) -> float:
    """Return the least float that is not below a loss; every total is computed as a fraction and ends here."""
    try:
        nearest = float(exact)
    except OverflowError:
        return math.inf
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def pure(
    *,
    loss_per_word: float,
    words: int | None,
    documents: int = 1,
    assumptions: Sequence[str] = (),
    released_as_is: Sequence[str] = (),
    adjacency: str = ANY_TWO_DOCUMENTS,
    drawn: Drawn = "word",
    notes: Sequence[str] = (),
) -> Guarantee:
    """Return the guarantee of `words` draws a document that each lose at most `loss_per_word`.

    Where `words` is None the output is as long as the text: the promise is then for one word, given their number. A
    draw gives a word, or what `drawn` says.
    """
    return Guarantee(
        definition="pure",
        adjacency=adjacency,
        assumptions=tuple(assumptions),
        released_as_is=tuple(released_as_is),
        drawn=drawn,
        notes=tuple(notes),
        **_sums(loss_per_word, words, documents),
    )


def metric(
    *,
    loss_per_unit: float,
    largest_loss: float,
    distance: str,
    words: int | None,
    documents: int = 1,
    assumptions: Sequence[str] = (),
    released_as_is: Sequence[str] = (),
) -> Guarantee:
    """Return the guarantee of draws that lose in proportion to a distance, and at most `largest_loss` each.

    Where `words` is None the output is as long as the text: the promise is then for one word, given their number.
    """
    return Guarantee(
        definition="metric",
        metric=distance,
        loss_per_unit=loss_per_unit,
        adjacency=ANY_TWO_DOCUMENTS if words is not None else "any two documents of as many words",
        assumptions=tuple(assumptions),
        released_as_is=tuple(released_as_is),
        **_sums(largest_loss, words, documents),
    )


def nothing(*, reasons: Sequence[str], documents: int = 1, copies: Iterable[str] = ()) -> Guarantee:
    """Return the guarantee of a method without a proof: why nothing is promised, and what of a text is copied."""
    return Guarantee(
        definition="none",
        loss_per_word=None,
        words=None,
        epsilon=None,
        documents=documents,
        unit="document" if documents == 1 else "author",
        evidence="none",
        assumptions=tuple(reasons),
        copies=frozenset(copies),
    )


def _sums(loss_per_word: float, words: int | None, documents: int) -> dict[str, Any]:
    """Return what a document loses, or all documents of an author; one word, where their number is not given."""
    each = {"loss_per_word": loss_per_word, "words": words}
    if words is None:
        return {**each, "unit": "word", "epsilon": loss_per_word}
    unit, epsilon = "document" if documents == 1 else "author", total(loss_per_word, words, documents)
    return {**each, "documents": documents, "unit": unit, "epsilon": epsilon}


def with_approximation(guarantee: Guarantee, renyi: Callable[[float], float], delta: float) -> Guarantee:
    """Return the guarantee with its (ε, δ) reading beside the pure one, where that is the smaller."""
    if guarantee.epsilon is None:
        return guarantee
    draws = (guarantee.words or 0) * guarantee.documents
    epsilon = approximate_epsilon(renyi, draws, delta, no_more_than=guarantee.epsilon)
    if epsilon >= guarantee.epsilon:
        return guarantee
    bound = AlsoHolds(epsilon=epsilon, delta=delta, method="Rényi accounting")
    return replace(guarantee, also_holds=(*guarantee.also_holds, bound))


def approximate_epsilon(
    renyi: Callable[[float], float], draws: int, delta: float, *, no_more_than: float = math.inf
) -> float:
    """Return the smallest ε that Rényi accounting gives for `draws` draws at this δ, or `no_more_than`.

    Rényi losses can cost a pass over a vocabulary each. They grow with the order, so an order is not looked at when
    its price of conversion and the loss at the order before already exceed the best ε found.
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta must be above 0 and below 1, got {delta}.")
    if draws == 0:
        return 0.0
    best, loss_before = no_more_than, 0.0
    for order in ORDERS:
        conversion = _conversion(order, delta)
        if draws * Fraction(loss_before) + conversion < best:
            loss_before = renyi(order)
            if loss_before == math.inf:  # and so at every order above
                break
            best = min(best, rounded_up(max(Fraction(0), draws * Fraction(loss_before) + conversion)))
    return best


def _conversion(order: float, delta: float) -> Fraction:
    """Return ln((α − 1)/α) − (ln δ + ln α)/(α − 1), no less: logarithms err by far less than what is added."""
    step = Fraction(order) - 1
    terms = (math.log(float(step)) - math.log(order), math.log(delta) + math.log(order))
    margin = (abs(math.log(float(step))) + 1 + (abs(math.log(delta)) + 1) / float(step)) * _LOGARITHMS
    return Fraction(terms[0]) - Fraction(terms[1]) / step + Fraction(margin)
