"""Settings for those who know what they have and not what to set: each is one that was measured (`allonym methods`)."""

from __future__ import annotations

from typing import Final

_PLAIN_CLAUSES: Final = (
    "--method", "erae", "--mechanism", "subset", "--style", "neutral", "--words", "14", "--candidates", "3",
    "--loss-per-word", "11.4",
)  # fmt: skip

# What each stands for on the command line; what is given beside it goes before it.
PRESETS: Final[dict[str, tuple[str, ...]]] = {
    "survey": (*_PLAIN_CLAUSES, "--sentences", "3"),
    "letter": (*_PLAIN_CLAUSES, "--sentences", "8"),
    "reviews": ("--method", "erae", "--mechanism", "subset", "--length", "public", "--loss-per-word", "8"),
    "classifier": ("--method", "syntf", "--epsilon", "47.5"),
}
ABOUT: Final = (
    "Settings for what you have: survey (short answers), letter, reviews (sentence by sentence) or classifier (word "
    "counts to train on). Options given beside it go before its own."
)


def expanded(name: str) -> list[str]:
    """Return the options that a preset stands for; nothing for an unknown one, which is refused elsewhere."""
    return list(PRESETS.get(name, ()))
