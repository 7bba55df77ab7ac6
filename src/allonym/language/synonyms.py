"""Synonyms of English words, from a WordNet that is already on the machine.

Nothing is downloaded. The files come from Debian's package, from nltk's data folders or from a folder you
name.
"""

from __future__ import annotations

import io
import warnings
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from allonym.errors import InputError, MissingDependencyError
from allonym.language.words import is_number, words

if TYPE_CHECKING:
    from collections.abc import Iterable

_DEBIAN_FOLDER: Final = Path("/usr/share/wordnet")
_NEEDED_FILES: Final = tuple(
    f"{part}{name}{end}"
    for part, end in (("index.", ""), ("data.", ""), ("", ".exc"))
    for name in ("adj", "adv", "noun", "verb")
)
_WAY_OUT: Final = (
    "Get one with `apt-get install wordnet-base` (Debian, Ubuntu) or `python -m nltk.downloader wordnet`, "
    "or name the folder that holds index.noun and data.noun."
)

# The lexicographer files in the order of their numbers, as lexnames(5WN) gives them. Debian's package
# leaves the file `lexnames` out, and nltk's reader does not start without it.
_LEXICOGRAPHER_FILES: Final = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body "
    "noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location "
    "noun.motive noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process "
    "noun.quantity noun.relation noun.shape noun.state noun.substance noun.time verb.body verb.change "
    "verb.cognition verb.communication verb.competition verb.consumption verb.contact verb.creation "
    "verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative verb.weather "
    "adj.ppl"
)
_SYNTACTIC_CATEGORY: Final = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}


class _Synset(Protocol):
    def lemma_names(self) -> Iterable[str]: ...


class _Reader(Protocol):
    def synsets(self, lemma: str) -> Iterable[_Synset]: ...
    def close(self) -> None: ...


class WordNet:
    """WordNet's synonyms, word by word.

    Privacy: spends nothing; WordNet is public and is never changed by what is looked up.

    Make one with `WordNet.open`. The reader seeks in open files, so give each thread its own.
    """

    def __init__(self, reader: _Reader) -> None:
        self._reader = reader
        # nltk leaves its files open until the garbage collector complains of them.
        weakref.finalize(self, reader.close)

    @classmethod
    def open(cls, folder: Path | None = None) -> WordNet:
        """Open the WordNet of a folder, or the first one found on the machine.

        Without a folder, Debian's `/usr/share/wordnet` is tried, then `corpora/wordnet`, a folder or a zip file, in
        nltk's data folders. nltk only reads below the folders of `nltk.data.path`, so the folder opened is added there.

        Raises:
            InputError: If the folder lacks some of the files, or they are not WordNet's.
            MissingDependencyError: If nltk is missing, or no folder is named and none is found.
        """
        if folder is not None:
            _check(folder)
        try:
            import nltk.data
            from nltk.corpus.reader.wordnet import WordNetCorpusReader, WordNetError
        except ImportError as missing:
            raise MissingDependencyError(
                "WordNet is read by nltk, which is not installed: run `pip install 'allonym[wordnet]'`."
            ) from missing
        root = _found(nltk.data) if folder is None else _allowed(folder, nltk.data)
        try:
            return cls(_reader_class(WordNetCorpusReader)(root))
        except (WordNetError, AssertionError, LookupError, OSError, StopIteration, ValueError) as broken:
            raise InputError(f"The WordNet files in {root} cannot be read as WordNet's. {_WAY_OUT}") from broken

    def of(self, word: str) -> tuple[str, ...]:
        """List the synonyms of a word, in any case, over all its meanings: distinct, in lower case, sorted.

        Inflected words are looked up by their base forms. Only what `allonym.language.words.words` takes for one word
        is listed, so no compounds with a blank or a hyphen; nor are numbers and the word itself.
        """
        asked = word.lower()
        names = {name.lower() for synset in self._reader.synsets(asked) for name in synset.lemma_names()}
        return tuple(sorted(name for name in names if name != asked and words(name) == [name] and not is_number(name)))


def _check(folder: Path) -> None:
    missing = [name for name in _NEEDED_FILES if not (folder / name).is_file()]
    if missing:
        raise InputError(f"{folder} is no WordNet folder: it has no {missing[0]}. {_WAY_OUT}")


def _found(nltk_data: Any) -> Any:  # noqa: ANN401 - nltk has no types
    """Find a WordNet on this machine, as a folder's name or nltk's pointer into a zip file."""
    if all((_DEBIAN_FOLDER / name).is_file() for name in _NEEDED_FILES):
        return _allowed(_DEBIAN_FOLDER, nltk_data)
    for path in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/"):
        with suppress(LookupError):
            return nltk_data.find(path)
    raise MissingDependencyError(f"No WordNet is found on this machine. {_WAY_OUT}")


def _allowed(folder: Path, nltk_data: Any) -> str:  # noqa: ANN401 - nltk has no types
    """Tell nltk, in the way it documents, that this folder may be read; without, it refuses."""
    name = str(folder.resolve())
    if name not in nltk_data.path:
        nltk_data.path.append(name)
    return name


def _reader_class(nltk_reader: Any) -> Any:  # noqa: ANN401 - nltk has no types
    """Derive from nltk's reader one that needs neither `lexnames` nor other versions of WordNet."""

    class EnglishReader(nltk_reader):  # type: ignore[misc]  # its base is only known once nltk is imported
        def __init__(self, root: object) -> None:
            self._opened: list[Any] = []
            try:
                with warnings.catch_warnings():
                    # It says that other languages are not available; we ask for none.
                    warnings.filterwarnings("ignore", message="The multilingual functions are not available")
                    super().__init__(root, None)
            except BaseException:
                self.close()
                raise

        def open(self, file: str) -> Any:  # noqa: ANN401
            stream = io.StringIO(_lexnames()) if file == "lexnames" else super().open(file)
            self._opened.append(stream)
            return stream

        def close(self) -> None:
            for stream in self._opened:
                stream.close()

        def map_wn(self, version: str = "wordnet") -> None:
            # nltk would look for a second WordNet, to map this one's synsets for other languages.
            return None

    return EnglishReader


def _lexnames() -> str:
    return "".join(
        f"{number:02d}\t{name}\t{_SYNTACTIC_CATEGORY[name.partition('.')[0]]}\n"
        for number, name in enumerate(_LEXICOGRAPHER_FILES.split())
    )
