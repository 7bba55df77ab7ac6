"""The corpora of the A4NT paper: small made-up files, and what must hold of the real ones where they are."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

from allonym.errors import InputError  # noqa: E402
from allonym.papers.corpora import blogs, speeches  # noqa: E402

DATA = Path(__file__).resolve().parents[4] / "shared" / "data"
needs_data = pytest.mark.skipif(not (DATA / "blogs").is_dir(), reason="the corpora are not beside the repository")


def write(path: Path, **columns: list) -> None:
    path.parent.mkdir(exist_ok=True)
    pq.write_table(pa.table(columns), path)


@pytest.fixture
def made_up_blogs(tmp_path):
    write(
        tmp_path / "blogs" / "blogs_4002.parquet",
        author=[20, 3, 20, 100],
        doc_id=["20-1", "3-0", "20-0", "100-0"],
        text=["Second.", "See urlLink here.", "First.", None],
        age_group=["10s", "20s", "10s", "30s"],
        gender=["male", "female", "male", "female"],
        split=["test", "train", "test", "val"],
    )
    return blogs.load(tmp_path)


def test_a_blogger_s_posts_stand_together_with_their_labels(made_up_blogs):
    assert made_up_blogs.bloggers == [3, 20, 20, 100]
    assert made_up_blogs.texts[1:] == ["First.", "Second.", ""]
    assert made_up_blogs.texts[0].split() == ["See", "here."]
    assert made_up_blogs.ages == ["adult", "teen", "teen", "adult"]
    assert made_up_blogs.splits == ["train", "test", "test", "val"]
    some = made_up_blogs.only([3, 0])
    assert (some.ids, some.genders, some.age_groups) == (["100-0", "3-0"], ["female", "female"], ["30s", "20s"])


def test_a_missing_or_other_file_is_said(tmp_path):
    for corpus in (blogs, speeches):
        with pytest.raises(InputError, match="not in the data folder"):
            corpus.load(tmp_path)
    write(tmp_path / "blogs" / "blogs_4002.parquet", author=[1], doc_id=["a"])
    with pytest.raises(InputError, match="no column"):
        blogs.load(tmp_path)


def long_text(subject: str) -> str:
    return " ".join(f"Today I want to talk at some length about {subject} number {n}, my friends." for n in range(20))


def test_speeches_that_compare_are_kept_once_and_a_day_is_in_one_split(tmp_path):
    rows = [
        ("a", "obama", "speech", "2011-05-01", "spoken", "train", long_text("roads")),
        ("b", "obama", "speech", "2011-05-01", "spoken", "test", long_text("rivers")),
        ("c", "trump", "interview", "2016-05-01", "spoken", "train", long_text("bridges")),
        ("d", "trump", "speech", "2016-05-01", "written", "train", long_text("walls")),
        ("e", "trump", "speech", "TownMay7_2019", "spoken", "train", long_text("farms")),
        ("f", "trump", "press conference", "2019-05-07", "spoken", "train", "Q: Why?\n\nTHE PRESIDENT: Because."),
        ("g", "trump", "speech", "", "spoken", "val", long_text("roads").upper()),  # again the first, elsewhere
        ("h", "obama", "weekly address", "", "spoken", "val", long_text("schools")),
    ]
    names = ("doc_id", "author", "genre", "date", "as", "split", "text")
    write(
        tmp_path / "political_speeches" / "political_speeches.parquet",
        **{name: [row[place] for row in rows] for place, name in enumerate(names)},
    )
    found = speeches.load(tmp_path)
    assert found.ids == ["a", "b", "e", "f", "h"]
    assert found.dates == ["2011-05-01", "2011-05-01", "2019-05-07", "2019-05-07", ""]
    assert found.splits == ["test", "test", "train", "train", "val"]
    assert found.texts[3] == "Because."


def test_other_people_s_turns_and_notes_are_taken_out():
    lines = ["Thank you. (Applause.)", "CROWD: Yes!", "More!", "PRESIDENT OBAMA: So [sic]", "Q How?", "POTUS: Well."]
    assert speeches.own_words("\n".join(lines)).split() == ["Thank", "you.", "So", "Well."]
    assert speeches.own_words("Here is why: we must.") == "Here is why: we must."


@needs_data
def test_no_blogger_and_no_day_is_in_two_splits():
    posts = blogs.load(DATA)
    found = defaultdict(set)
    for blogger, *labels in zip(posts.bloggers, posts.splits, posts.genders, posts.age_groups, strict=True):
        found[blogger].add(tuple(labels))
    assert len(found) == 4002
    assert all(len(labels) == 1 for labels in found.values())
    talks = speeches.load(DATA)
    days = defaultdict(set)
    for date, split in zip(talks.dates, talks.splits, strict=True):
        days[date or object()].add(split)
    assert all(len(splits) == 1 for splits in days.values())
    for speaker in speeches.SPEAKERS:
        for split in speeches.SPLITS:
            assert list(zip(talks.speakers, talks.splits, strict=True)).count((speaker, split)) >= 20
