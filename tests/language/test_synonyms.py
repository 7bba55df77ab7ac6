"""WordNet's synonyms: a tiny WordNet written here, and the real one where the machine has it."""

from __future__ import annotations

import builtins
import shutil
from pathlib import Path

import pytest

from allonym.errors import InputError, MissingDependencyError
from allonym.language import synonyms
from allonym.language.synonyms import WordNet
from allonym.language.words import words

PARTS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}

# By part of speech, the words of each synset.
TINY = {
    "noun": [["car", "auto", "Motor_vehicle", "motor-car", "Wagon"], ["car", "gondola"], ["mouse", "rodent"]],
    "verb": [["run", "race"], ["one", "1", "single"]],
    "adj": [["quick", "fast", "e.g."]],
    "adv": [["quickly", "fast"]],
}


@pytest.fixture
def nltk_data(monkeypatch: pytest.MonkeyPatch):
    """nltk's data module with no data folder at all, and none of Debian's."""
    data = pytest.importorskip("nltk.data", reason="nltk is an extra")
    monkeypatch.setattr(data, "path", [])
    monkeypatch.setattr(synonyms, "_DEBIAN_FOLDER", Path("/nonexistent"))
    return data


@pytest.fixture
def tiny_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "wordnet"
    folder.mkdir()
    for part, letter in PARTS.items():
        data = "  1 a line of the licence\n"
        offsets: dict[str, list[str]] = {}
        for synset in TINY[part]:
            offset = f"{len(data):08d}"
            names = " ".join(f"{name} 0" for name in synset)
            data += f"{offset} 03 {letter} {len(synset):02x} {names} 000 | a gloss  \n"
            for name in synset:
                offsets.setdefault(name.lower(), []).append(offset)
        index = "  1 a line of the licence\n" + "".join(
            f"{name} {letter} {len(found)} 0 {len(found)} 0 {' '.join(found)}  \n"
            for name, found in sorted(offsets.items())
        )
        (folder / f"data.{part}").write_text(data, encoding="ascii")
        (folder / f"index.{part}").write_text(index, encoding="ascii")
        (folder / f"{part}.exc").write_text("mice mouse\n" if part == "noun" else "", encoding="ascii")
    return folder


class TestTinyWordNet:
    def test_single_words_in_lower_case_sorted(self, nltk_data, tiny_folder):
        wordnet = WordNet.open(tiny_folder)
        assert wordnet.of("car") == ("auto", "gondola", "wagon")
        assert wordnet.of("CAR") == wordnet.of("car")
        assert wordnet.of("fast") == ("quick", "quickly")

    def test_inflected_words_are_looked_up_by_their_base(self, nltk_data, tiny_folder):
        wordnet = WordNet.open(tiny_folder)
        assert wordnet.of("mice") == ("mouse", "rodent")
        assert wordnet.of("running") == ()
        assert wordnet.of("races") == ("race", "run")

    def test_numbers_are_no_synonyms(self, nltk_data, tiny_folder):
        wordnet = WordNet.open(tiny_folder)
        assert wordnet.of("one") == ("single",)

    @pytest.mark.parametrize("word", ["", " ", "\0", "\ud800", "unknown", "x" * 100_000, "motor vehicle"])
    def test_unknown_words_have_none(self, nltk_data, tiny_folder, word):
        wordnet = WordNet.open(tiny_folder)
        assert wordnet.of(word) == ()

    def test_opening_twice_adds_the_folder_to_nltks_list_once(self, nltk_data, tiny_folder):
        for _ in range(2):
            WordNet.open(tiny_folder)
        assert nltk_data.path == [str(tiny_folder.resolve())]


class TestWhereItIsFound:
    def test_debians_folder_comes_first(self, nltk_data, tiny_folder, monkeypatch):
        monkeypatch.setattr(synonyms, "_DEBIAN_FOLDER", tiny_folder)
        wordnet = WordNet.open()
        assert wordnet.of("auto") == ("car", "wagon")

    def test_nltks_unpacked_folder(self, nltk_data, tiny_folder, tmp_path):
        shutil.copytree(tiny_folder, tmp_path / "data" / "corpora" / "wordnet")
        nltk_data.path.append(str(tmp_path / "data"))
        wordnet = WordNet.open()
        assert wordnet.of("auto") == ("car", "wagon")

    def test_nltks_zip_file(self, nltk_data, tiny_folder, tmp_path):
        (tmp_path / "data" / "corpora").mkdir(parents=True)
        shutil.make_archive(str(tmp_path / "data" / "corpora" / "wordnet"), "zip", tmp_path, "wordnet")
        nltk_data.path.append(str(tmp_path / "data"))
        wordnet = WordNet.open()
        assert wordnet.of("auto") == ("car", "wagon")


class TestErrors:
    def test_an_empty_folder(self, tmp_path):
        with pytest.raises(InputError, match=r"it has no index\.adj\. Get one with `apt-get install wordnet-base`"):
            WordNet.open(tmp_path)

    def test_a_folder_that_is_not_there(self, tmp_path):
        with pytest.raises(InputError, match=r"python -m nltk\.downloader wordnet"):
            WordNet.open(tmp_path / "nowhere")

    def test_no_wordnet_on_the_machine(self, nltk_data):
        with pytest.raises(MissingDependencyError, match="apt-get install wordnet-base"):
            WordNet.open()

    def test_files_of_something_else(self, nltk_data, tiny_folder):
        (tiny_folder / "index.noun").write_text("not an index\n", encoding="ascii")
        with pytest.raises(InputError, match="cannot be read as WordNet's"):
            WordNet.open(tiny_folder)

    def test_without_nltk(self, tiny_folder, monkeypatch):
        real_import = builtins.__import__

        def without_nltk(name, *arguments, **named):
            if name.partition(".")[0] == "nltk":
                raise ImportError(name)
            return real_import(name, *arguments, **named)

        monkeypatch.setattr(builtins, "__import__", without_nltk)
        with pytest.raises(MissingDependencyError, match=r"pip install 'allonym\[wordnet\]'"):
            WordNet.open(tiny_folder)


def test_the_45_lexicographer_files_with_their_parts_of_speech():
    lines = [line.split("\t") for line in synonyms._lexnames().splitlines()]
    assert [int(number) for number, _, _ in lines] == list(range(45))
    assert lines[0] == ["00", "adj.all", "3"]
    assert lines[3] == ["03", "noun.Tops", "1"]
    assert lines[28] == ["28", "noun.time", "1"]
    assert lines[29] == ["29", "verb.body", "2"]
    assert lines[44] == ["44", "adj.ppl", "3"]


@pytest.mark.skipif(
    not Path("/usr/share/wordnet/data.noun").is_file(),
    reason="needs Debian's wordnet-base in /usr/share/wordnet",
)
def test_the_real_wordnet():
    pytest.importorskip("nltk", reason="nltk is an extra")
    wordnet = WordNet.open()
    assert {"auto", "automobile", "motorcar"} <= set(wordnet.of("Cars"))
    for word in ("dog", "run", "quick", "well", "one", "washington"):
        found = wordnet.of(word)
        assert list(found) == sorted(set(found))
        assert word not in found
        assert all(words(name) == [name] == [name.lower()] for name in found)
