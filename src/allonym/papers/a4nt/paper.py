"""What the A4NT paper reports, the goals set against it, and sentences of our own to show what a model does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

AUTOENCODER, FBSEM, CYCML, LANG = RECIPES = ("autoencoder", "FBsem", "CycML", "CycML+Lang")

# Table I: documents, sentences, vocabulary.
TABLE_1: Final = {"speech": ("372", "65 k", "5.6 k"), "blogs": ("19,320", "3.38 M", "22 k")}

# Table II: training sentence and document F1, validation sentence and document F1.
TABLE_2: Final = {
    "speech": (0.84, 1.00, 0.68, 1.00),
    "blog-age": (0.76, 0.92, 0.74, 0.88),
    "blog-gender": (0.64, 0.93, 0.52, 0.75),
}

# Table III: sentence F1, document F1, METEOR.
Triple = tuple[float, float, float | None]
TABLE_3: Final[dict[str, dict[str, Triple]]] = {
    "blog-age": {
        "random": (0.54, 0.54, None),
        "original": (0.74, 0.88, 1.0),
        AUTOENCODER: (0.69, 0.85, 0.77),
        FBSEM: (0.43, 0.08, 0.40),
        CYCML: (0.49, 0.20, 0.57),
        LANG: (0.54, 0.32, 0.69),
    },
    "blog-gender": {
        "random": (0.53, 0.50, None),
        "original": (0.68, 0.75, 1.0),
        AUTOENCODER: (0.49, 0.61, 0.78),
        FBSEM: (0.45, 0.39, 0.53),
        CYCML: (0.41, 0.44, 0.79),
        LANG: (0.44, 0.39, 0.79),
    },
    "speech": {
        "random": (0.60, 0.61, None),
        "original": (0.68, 1.00, 1.0),
        AUTOENCODER: (0.26, 0.12, 0.32),
        FBSEM: (0.12, 0.00, 0.28),
        CYCML: (0.11, 0.00, 0.29),
        LANG: (0.12, 0.00, 0.29),
    },
}

# Table IV, the holdout's half: sentence F1, document F1.
TABLE_4: Final = {
    "original": (0.65, 0.87),
    AUTOENCODER: (0.71, 0.84),
    FBSEM: (0.45, 0.11),
    CYCML: (0.52, 0.26),
    LANG: (0.56, 0.43),
}


@dataclass(frozen=True)
class PaperGoal:
    """At most this document F1 of an attacker, at this METEOR at least where one is set."""

    setting: str
    attacker: str
    f1: float
    meteor: float | None


GOALS: Final = (
    PaperGoal("blog-age", "lstm", 0.32, 0.69),
    PaperGoal("blog-gender", "lstm", 0.39, 0.79),
    PaperGoal("speech", "lstm", 0.05, 0.40),
    PaperGoal("blog-age", "lstm-cnn", 0.43, None),
)

# Written for this purpose; none is from a corpus.
EXAMPLES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "blog-age": {
        "teen": (
            "omg school was so boring today, we had a test in math lol.",
            "My mom is making me clean my room again, its so annoying!",
            "haha i was like, dude, what are you even talking about?",
            "Well, me and my friends went to the mall after class.",
            "I dunno y she is mad at me, i didnt do anything.",
            "Tomorrow is the last day before summer vacation.",
        ),
        "adult": (
            "My wife and I had dinner with some friends from the office.",
            "The meeting with our new client went better than I had expected.",
            "I am thinking about buying a house closer to work.",
            "Perhaps the weather will improve before the weekend.",
            "After a few drinks we talked about politics and the economy.",
            "My daughter starts kindergarten next week, and I am not ready for it.",
        ),
    },
    "blog-gender": {
        "female": (
            "My husband cooked a lovely dinner and I felt so loved.",
            "I am so excited about my new shoes, they are adorable!",
            "We cried together and then we hugged for a long time.",
            "My sister and I went shopping for her wedding.",
        ),
        "male": (
            "My wife thinks I spend too much time on my computer.",
            "The game last night was great, and the beer was even better.",
            "I finally installed the new software on my laptop.",
            "Me and the guys played poker until three in the morning.",
        ),
    },
    "speech": {
        "obama": (
            "We can make this country a little better for our children.",
            "That is why I am asking Congress to pass this bill.",
            "Every family deserves the chance to get ahead.",
            "Now, that does not mean that it will be easy.",
        ),
        "trump": (
            "We have the greatest people in the world, believe me.",
            "Nobody has ever seen anything like it, it is incredible.",
            "They were a total disaster, and everybody knows it.",
            "We are going to win so much, you will not believe it.",
        ),
    },
}
