"""Blog posts of 4,002 people, 667 for each of three age groups and two genders; a blogger is in one split only.

The A4NT paper hides whether a blogger is a teenager (`teen`) or an adult, which are the two older groups together, and
whether the blogger is female or male. The posts carry the marker `urlLink` where a link was, which is taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from allonym.papers.corpora import columns

AGE_GROUPS: Final = ("10s", "20s", "30s")  # 13 to 17, 23 to 27, 33 to 48 years
GENDERS: Final = ("female", "male")
SPLITS: Final = ("train", "val", "test")


@dataclass(frozen=True)
class Blogs:
    """Posts with what is known about who wrote them.

    Attributes:
        texts: The posts, a blogger's one after another.
        ids: The posts' names.
        bloggers: Who wrote each, by number.
        age_groups: One of `AGE_GROUPS` for each post.
        genders: One of `GENDERS` for each post.
        splits: One of `SPLITS` for each post.
    """

    texts: list[str]
    ids: list[str]
    bloggers: list[int]
    age_groups: list[str]
    genders: list[str]
    splits: list[str]

    @property
    def ages(self) -> list[str]:
        """Whether each post is a `teen`'s or an `adult`'s."""
        return ["teen" if group == AGE_GROUPS[0] else "adult" for group in self.age_groups]

    def only(self, rows: Sequence[int]) -> Blogs:
        """Return these posts, in this order."""
        return Blogs(
            texts=[self.texts[row] for row in rows],
            ids=[self.ids[row] for row in rows],
            bloggers=[self.bloggers[row] for row in rows],
            age_groups=[self.age_groups[row] for row in rows],
            genders=[self.genders[row] for row in rows],
            splits=[self.splits[row] for row in rows],
        )


def load(data: Path) -> Blogs:
    """Return the corpus from the data folder."""
    path = data / "blogs" / "blogs_4002.parquet"
    names = ["author", "doc_id", "text", "age_group", "gender", "split"]
    rows = sorted(zip(*columns(path, names), strict=True), key=lambda row: (int(str(row[0])), str(row[1])))
    return Blogs(
        texts=[str(row[2] or "").replace("urlLink", " ") for row in rows],
        ids=[str(row[1]) for row in rows],
        bloggers=[int(str(row[0])) for row in rows],
        age_groups=[str(row[3]) for row in rows],
        genders=[str(row[4]) for row in rows],
        splits=[str(row[5]) for row in rows],
    )
