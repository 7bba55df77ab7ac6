"""Words of a lane at some places only: the same as in the whole lane."""

from __future__ import annotations

import numpy as np
import pytest

from allonym.randomness import insecure


@pytest.mark.parametrize("shape", [(3, 5), (3, 4, 7), (3, 1), (3, 0)])
def test_words_at_places_are_those_of_the_whole_lane(shape):
    streams = insecure(1).documents([b"first", b"second", b"third"])
    for stream in (insecure(1), streams, streams.segments([40, 0, 17], 16).part(1, 4)):
        lanes = stream.lanes(shape)
        for number in (0, 3):
            whole = lanes(number).ravel()
            for where in (np.arange(whole.size), np.arange(0, whole.size, 3)[::-1], np.empty(0, np.int64)):
                assert (lanes(number, where) == whole[where]).all()


def test_numbers_near_zero_belong_to_their_document_alone():
    digests = [bytes([i]) for i in range(60)]
    together = insecure(2).documents(digests).centred((60, 500))
    assert (np.abs(together) < 2**-12).any()
    for i, digest in enumerate(digests):
        assert (insecure(2).documents([digest], start=i).centred((1, 500)) == together[i]).all()
