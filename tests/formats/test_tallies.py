"""Counting names by hash: exact for all that matters, in little memory."""

from __future__ import annotations

import random
from collections import Counter

from allonym.formats.tallies import HashTally


def test_counts_and_repeats_are_those_of_a_plain_counter():
    rng = random.Random(5)
    for _ in range(200):
        tally, plain = HashTally(), Counter()
        for _ in range(rng.randrange(1, 12)):
            names = [str(rng.randrange(300)) for _ in range(rng.randrange(0, 9))]
            seen, first = set(plain), None
            for place, name in enumerate(names):
                if name in seen and first is None:
                    first = place
                seen.add(name)
            assert tally.add(names) == first
            plain.update(names)
        assert tally.most() == max(plain.values(), default=0)


def test_nothing_was_counted():
    assert HashTally().most() == 0
    assert HashTally().add([]) is None
