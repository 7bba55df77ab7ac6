"""Is the noise predictable? The linear complexity of bits that a sampler drew.

MT19937 (NumPy's legacy generator, Python's `random`), xorshift and shift registers are linear over the field of two
elements: every bit of theirs is a fixed sum of earlier ones, so whoever has seen some twenty thousand bits knows all
noise that follows, and all that went before. Berlekamp and Massey's algorithm finds the length of that sum. For n
unpredictable bits it is n/2 give or take a few; for MT19937 it is 19,937 however many bits are drawn.
"""

from __future__ import annotations

from collections.abc import Iterable

from allonym.audit.findings import Finding
from allonym.errors import ParameterError

BITS = 45_000  # more than twice the 19,937 of MT19937
_DEVIATION = 40  # off n/2 by more than this happens with probability 2^-79
_LEAST_BITS = 200


def linear_complexity(bits: Iterable[int]) -> int:
    """Return the length of the shortest linear recurrence that makes these bits.

    >>> linear_complexity([1, 0, 0] * 5), linear_complexity([0, 0, 0, 0, 1])
    (3, 5)
    """
    recurrence, before, length, changed, seen = 1, 1, 0, -1, 0
    for position, bit in enumerate(bits):
        seen = (seen << 1) | (int(bit) & 1)  # bit i is the one i places ago
        if (recurrence & seen).bit_count() & 1:
            held = recurrence
            recurrence ^= before << (position - changed)
            if 2 * length <= position:
                length, changed, before = position + 1 - length, position, held
    return length


def audit_generator(bits: Iterable[int], *, where: str) -> Finding:
    """Return the finding about bits that should be fair coins, one a draw; 45,000 unmask MT19937."""
    drawn = list(bits)
    if len(drawn) < _LEAST_BITS:
        raise ParameterError(f"A test of the random generator needs at least {_LEAST_BITS} bits, got {len(drawn)}.")
    length = linear_complexity(drawn)
    weak = abs(2 * length - len(drawn)) > 2 * _DEVIATION
    says = f"{len(drawn):,} coins have linear complexity {length:,}"
    if weak:
        which = " (MT19937)" if length in (19_937, 19_938) else ""  # the second for coins turned over
        says += f" instead of about {len(drawn) // 2:,}: a linear generator{which}, whose noise can be predicted"
    elif len(drawn) < BITS:
        says += ", as unpredictable ones have; too few to unmask MT19937"
    else:
        says += ", as unpredictable ones have"
    figures = {"bits": len(drawn), "linear_complexity": length, "expected": len(drawn) / 2}
    return Finding("weak generator", "violated" if weak else "holds", f"{says} ({where}).", figures)
