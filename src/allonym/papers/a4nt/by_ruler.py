"""A4NT's shipped models measured by the one ruler: attackers who use all there is name the class of a blogger.

The "author" of a text is a class of writers. Everybody's text is rewritten as a user would have it: in the style of one
class, whoever wrote it, and the method finds out itself who sounds like that already. (The paper's tables send every
text to the class that is not its writer's; whoever has seen rewritten texts reads the class from that.) Known texts are
those of training bloggers, from whom the translators learned, too; the tested bloggers are new to everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from allonym.evaluation.sample import Sample
from allonym.papers.a4nt.documents import DocumentPart, load_blogs
from allonym.papers.ruler.grounds import Ground, Text, sample_of, shuffled
from allonym.papers.ruler.settings import AS_AN_ADULT, ROUND_TRIP, Compared, style_translation

KNOWN, RELEASED, TESTED = 800, 200, 100  # bloggers of each class at most
_SENTENCES = 12  # the first ones of each blogger, as in the paper's tables


def bloggers_of_class(hidden: str, labels: str) -> Callable[[Path], Sample]:
    """Return what reads bloggers, a text each; their class in one setting is their author, in another their label."""

    def read(data: Path) -> Sample:
        corpus = load_blogs(data, train=_SENTENCES, held_out=_SENTENCES)
        known = _texts(corpus.train, hidden, labels, known=True)
        return sample_of([*known, *_texts(corpus.test, hidden, labels, known=False)], TESTED)

    return read


def _texts(part: DocumentPart, hidden: str, labels: str, *, known: bool) -> list[Text]:
    """Return texts in an order of no meaning; of known ones so many a class."""
    texts, numbers = part.texts(), Counter[str]()
    chosen: list[Text] = []
    for row in shuffled(len(texts)):
        author = part.classes[hidden][row]
        numbers[author] += 1
        if not known or numbers[author] <= KNOWN:
            chosen.append((texts[row], author, part.classes[labels][row], known))
    return chosen


AGE = Ground(
    "bloggers-age",
    "Bloggers, teenager or adult",
    "gender",
    bloggers_of_class("blog-age", "blog-gender"),
    released_of_author=RELEASED,
)
GENDER = Ground(
    "bloggers-gender",
    "Bloggers, female or male",
    "age",
    bloggers_of_class("blog-gender", "blog-age"),
    released_of_author=RELEASED,
)
RULED: dict[Ground, tuple[Compared, ...]] = {
    AGE: (AS_AN_ADULT, style_translation("age-neutral", "neutral", "like nobody, by age"), ROUND_TRIP),
    GENDER: (
        style_translation("gender", "male", "as a man"),
        style_translation("gender", "female", "as a woman"),
        ROUND_TRIP,
    ),
}
