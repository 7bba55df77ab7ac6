"""Four invented writers, each with habits that an attacker can tell."""

from __future__ import annotations

from allonym.randomness import insecure

TOPICS = ["the boat", "my garden", "an old clock", "the winter market", "our neighbour", "a long walk", "the bread"]
HABITS = {
    "ada": [
        "Well, {} was, frankly, rather splendid; I daresay.",
        "Indeed, {} pleased me; one must, of course, admit it.",
    ],
    "ben": ["Loved {} so much!!", "{} again!! Gonna tell everybody!!", "ok so {} is the best thing ever!!"],
    "cleo": ["There is {} - and that is all - for now.", "We saw {} - it was cold - and went.", "Then came {} - late."],
    "dan": ["(Perhaps {}: who knows?)", "(And what of {}? Nobody asked: nobody will.)", "(Was {} here?)"],
}


def written(author: str, sentences: int, seed: int) -> str:
    """Make up what a writer with these habits might write."""
    rng = insecure(seed)
    habits, topics = rng.below(len(HABITS[author]), (sentences,)), rng.below(len(TOPICS), (sentences,))
    made = [HABITS[author][habit].format(TOPICS[topic]) for habit, topic in zip(habits, topics, strict=True)]
    return "\n".join(made)
