"""Which names of columns are surely names, and not a first row that is a document.

Names are written to the output. A table without a header has a document, or data, where the names should stand, and no
look at it can tell for sure. So a column that nobody named is taken for the text only if its name is one of a public
list of usual names: then what is written says nothing about the input. `--text` names any other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from allonym.errors import InputError

_TEXTS_LISTED = """
abstract abstracts answer answers article articles body comment comments content contents description descriptions doc
docs document documents message messages msg paragraph paragraphs post posts reply replies response responses review
reviews sentence sentences text texts transcript transcripts tweet tweets txt utterance utterances
antwort antworten avis bewertung comentario comentarios commentaire commentaires commenti commento kommentar kommentare
nachricht nachrichten phrase recensione rezension satz tekst testi testo texte texto textos
"""
_BESIDE_TEXTS_LISTED = """
clean cleaned customer en english ended final free full open original plain product q question raw survey user
"""
_OTHERS_LISTED = """
age author authors category class date datetime gender group id ids index key label labels lang language name nr
number rating row score sex source split stars tag target time timestamp title topic url user username uuid writer year
"""
_WRITERS_LISTED = """
account answerer author authors contributor customer employee member name owner participant patient person poster
reporter respondent reviewer sender speaker student subject user username writer
autor autorin auteur autore verfasser
"""
_BESIDE_WRITERS_LISTED = "code id ids key no nr number of s the uuid"
# None of them is a usual answer ("no", "n"): in a table without a header such a cell stands beside a text.
_TEXTS, _BESIDE_TEXTS, _OTHERS, _WRITERS, _BESIDE_WRITERS = (
    frozenset(listed.split())
    for listed in (_TEXTS_LISTED, _BESIDE_TEXTS_LISTED, _OTHERS_LISTED, _WRITERS_LISTED, _BESIDE_WRITERS_LISTED)
)
_NAME = re.compile(r"[^\W\d][\w.-]{0,30}( [\w.-]{1,15}){0,2}")
_LETTER = re.compile(r"[A-Za-z]_?\d*")  # x, q7: too short to be said
_PARTS = re.compile(r"[^\W\d_]+|\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def is_usual_text_name(name: str) -> bool:
    """Tell whether this is a usual name of a column of texts, such as `text`, `Review`, `comment_text` or `q3_answer`.

    Examples:
        >>> [is_usual_text_name(name) for name in ("text", "reviewBody", "Q3_answer", "good review", "rain")]
        [True, True, True, False, False]
    """
    parts = _parts(name)
    others = _TEXTS if " " in name else _TEXTS | _BESIDE_TEXTS  # with blanks it might be said: "original content"
    return bool(_TEXTS & set(parts)) and all(part in others or part.isdigit() for part in parts)


def is_usual_writer_name(name: str) -> bool:
    """Tell whether this is a usual name of a column of writers, such as `author`, `Patient ID` or `respondent_nr`.

    Examples:
        >>> [is_usual_writer_name(name) for name in ("author", "PatientID", "respondent_nr", "user rating", "id")]
        [True, True, True, False, False]
    """
    parts = _parts(name)
    return bool(_WRITERS & set(parts)) and all(part in _WRITERS | _BESIDE_WRITERS or part.isdigit() for part in parts)


@dataclass(frozen=True)
class Guess:
    """Which columns of a table hold what, as far as names and first rows tell; a person decides."""

    text: str
    author: str | None
    reason: str  # in sentences


def guessed(names: Sequence[str], rows: Sequence[Sequence[str]]) -> Guess:
    """Guess the column of texts and that of writers by their names, and the texts else by their length."""
    usual = [name for name in names if is_usual_text_name(name)]
    pool = usual or list(names)
    longest = max(pool, key=lambda name: sum(len(row[names.index(name)]) for row in rows))
    why = "by its name" if len(usual) == 1 else "by its long cells"
    writers = [name for name in names if name != longest and is_usual_writer_name(name)]
    author = writers[0] if len(writers) == 1 else None
    beside = f", “{author}” the writers (by its name)" if author else "; no column is surely that of the writers"
    reason = f"Guessed: “{longest}” holds the texts ({why}){beside}. Change it below if that is wrong."
    return Guess(longest, author, reason)


def look_like_names(names: Sequence[str]) -> bool:
    """Tell whether a first row may be shown in a message: all could be names and one is usual, or all are letters."""
    usual = any(is_usual_text_name(name) or name.lower() in _OTHERS for name in names)
    return (usual and all(map(_NAME.fullmatch, names))) or all(map(_LETTER.fullmatch, names))


def refuse_unsure_text(source: str, text: str) -> None:
    """Refuse a text column that nobody named, unless its name is usual: it may be a document, so it is not shown."""
    if not is_usual_text_name(text):
        raise InputError(
            f"{source} has no column with a usual name for texts, such as text or review, and its first row may be a "
            "document, which must not be copied as a name; name the column with --text, after adding a first row of "
            "names if there is none."
        )


def _parts(name: str) -> list[str]:
    """Split a name at blanks, signs, humps and digits; a sign that no name has makes it nothing."""
    if not re.fullmatch(r"[\w.\- ]{1,40}", name):
        return []
    return [part.lower() for part in _PARTS.findall(_HUMP.sub(" ", name))]
