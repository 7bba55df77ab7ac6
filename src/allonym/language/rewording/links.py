"""Links and asides: what opens a sentence or stands between commas, and could be plainer or left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from allonym.language.rewording import rules
from allonym.language.rewording.clauses import SUBJECTS, is_clause
from allonym.language.rewording.edits import Edit, SentenceReader, capital, small
from allonym.language.rewording.lists import listed

# At the beginning of a sentence, with or without a comma.
_OPENERS: Final = """
however > but; nevertheless > but; nonetheless > but; that said > but; having said that > but; on the other hand >
but; then again > but; mind you > but; even so > but; still > but; yet > but; all the same > but; therefore > so; thus
> so; hence > so; consequently > so; accordingly > so; as a result > so; as a consequence > so; for this reason > so;
for that reason > so; because of this > so; moreover > also; furthermore > also; in addition > also; additionally >
also; besides > also; what is more > also; what's more > also; on top of that > also; similarly > also; likewise >
also; firstly > first; secondly > second; thirdly > third; lastly > finally; first of all > first; to begin with >
first; in conclusion > finally; to conclude > finally; to sum up > finally; in summary > finally; last but not least >
finally; eventually > in the end; perhaps > maybe; maybe > perhaps; obviously > ; clearly > ; of course > ; naturally
> ; certainly > ; indeed > ; actually > ; in fact > ; basically > ; honestly > ; frankly > ; anyway > ; anyhow > ;
well > ; oh > ; so > ; and > ; also > ; to be honest > ; to tell the truth > ; needless to say > ; as you know > ; by
the way > ; personally > ; essentially > ; admittedly > ; fortunately > ; luckily > ; hopefully > ; now > ; look > ;
seriously > ; truth be told > ; at the end of the day > ; as I said > ; like I said > ; in any case > ; after all >
"""
_NEEDS_COMMA: Final = listed(
    """
still yet besides similarly likewise now look well oh so anyhow clearly naturally eventually also of course certainly
indeed maybe perhaps thus hence honestly frankly seriously hopefully personally on the other hand in addition
    """
)


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield plainer links, and asides left out."""
    yield from _openers(reader)
    yield from _inside(reader)


def _openers(reader: SentenceReader) -> Iterator[Edit]:
    plainer = {old.lower(): new for old, new in rules.one_way(_OPENERS).items()}
    text = reader.text
    for match in rules.phrases((*plainer,), r"(?P<comma>,?)[ \t]+(?=\S)").finditer(text):
        old = " ".join(match[0].rstrip(" \t,").lower().replace("’", "'").split())
        if not reader.begins(match.start()) or (match.start() and text[match.start() - 1] in '"“('):
            continue
        comma, rest = bool(match["comma"]), text[match.end() : reader.sentence_at(match.end())[1]]
        if not comma and (old in _NEEDS_COMMA or plainer[old] == "") and not _bare(old, rest):
            continue
        if old in ("so", "now", "well", "besides") and reader.word_after(match.end()) in (
            "that",
            "far",
            "much",
            "many",
            "as",
            "to",
            "is",
            "was",
        ):
            continue
        first = re.match(r"\w+(?:['’]\w+)?", rest)
        if first is None or (rest.rstrip()[-1:] == "?" and plainer[old] in ("so", "but", "also")):
            continue
        new = plainer[old]
        if not new:
            yield Edit(match.start(), match.end() + first.end(), capital(first[0]), "small word", "left out")
        else:
            written = (
                f"{capital(new)}{', ' if new in ('also', 'finally', 'first', 'second', 'third', 'in the end') else ' '}"
            )
            yield Edit(match.start(), match.end() + first.end(), written + first[0], "small word", "a plainer link")


def _bare(old: str, rest: str) -> bool:
    """Tell whether an opener without a comma is surely one."""
    if old in ("and", "so"):
        return is_clause(re.split(r"[,;—–]", rest)[0])
    if old in ("thus", "hence", "perhaps", "maybe", "clearly", "obviously"):
        return rest.split()[0].lower() in SUBJECTS if rest.split() else False
    return False


_INNER: Final = (
    (r", (?:however|nevertheless|nonetheless|though), ", "But "),
    (r" (?:therefore|thus|hence|consequently) (?=[a-z])", "So "),
    (r", (?:therefore|consequently), ", "So "),
)
_ASIDE: Final = re.compile(
    r", (?:of course|in fact|indeed|actually|obviously|clearly|naturally|to be honest|to be fair|"
    r"as it happens|as it were|so to speak|I think|I suppose|I guess|I believe|frankly|honestly|"
    r"admittedly|needless to say|as you know|after all|by the way|if you like|you know|"
    r"I mean|in my opinion|in my view|however|perhaps),(?= \w)"
)
_FINAL: Final = re.compile(
    r",? (?:however|though|of course|actually|indeed|you know|to be honest|I think|I suppose|I guess|"
    r"so to speak|as it were|anyway|after all|by the way|in my opinion|in my view)(?=[.!?])"
)


def _inside(reader: SentenceReader) -> Iterator[Edit]:
    text = reader.text
    for pattern, opening in _INNER:
        for match in re.finditer(pattern, text):
            start, end = reader.sentence_at(match.start())
            head, rest = text[start : match.start()], text[match.end() : end]
            whole = f"{head} {rest}"
            if re.search(r"[,;:—–(\"“]", head) or len(head.split()) > 6 or not is_clause(whole):
                continue
            if (
                re.match(r"(?:and|but|so|if|when|because|although|while)\b", head, re.IGNORECASE)
                or reader.text[end - 1] == "?"
            ):
                continue
            yield Edit(start, match.end(), f"{opening}{small(head)} ", "small word", "a plainer link")
    for match in _ASIDE.finditer(text):
        yield Edit(match.start(), match.end(), "", "small word", "left out")
    for match in _FINAL.finditer(text):
        if match[0][0] == "," or match[0].split()[-1] in ("however", "indeed", "anyway"):
            yield Edit(match.start(), match.end(), "", "small word", "left out")
