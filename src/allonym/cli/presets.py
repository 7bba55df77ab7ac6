"""Settings for those who know what they have and not what to set: each is one that was measured (`allonym methods`).

A test holds them to `results/`: where a preset was measured, no other setting of ours that runs as it is shipped both
keeps more and lets attackers name fewer authors.
"""

from __future__ import annotations

from typing import Final

_PLAIN_CLAUSES: Final = (
    "--method", "erae", "--mechanism", "subset", "--style", "neutral", "--words", "14", "--candidates", "3",
    "--loss-per-word", "11.4",
)  # fmt: skip

# What each stands for on the command line; what is given beside it goes before it.
PRESETS: Final[dict[str, tuple[str, ...]]] = {
    "survey": (*_PLAIN_CLAUSES, "--sentences", "3"),
    "letter": ("--method", "ghostwriter"),
    "reviews": (*_PLAIN_CLAUSES, "--sentences", "8"),
    # The least ε of SynTF's paper: what can be learned from the counts and what attackers reach hardly change with it.
    "classifier": ("--method", "syntf", "--epsilon", "35"),
}
# Where `allonym methods` shows what each is worth: the method and the setting of a row.
MEASURED_AS: Final = {
    ("erae", "3 clauses"): "survey",
    ("ghostwriter", ""): "letter",
    ("erae", "8 clauses"): "reviews",
    ("syntf", "ε = 35"): "classifier",
}
ABOUT: Final = (
    "Settings for what you have: survey (short answers, as three plain clauses each), reviews (longer texts, as "
    "eight), letter (written anew with its facts; nothing is proved) or classifier (word counts to train on). An "
    "option that you give as well counts instead of the preset's."
)


def expanded(name: str) -> list[str]:
    """Return the options that a preset stands for; nothing for an unknown one, which is refused elsewhere."""
    return list(PRESETS.get(name, ()))
