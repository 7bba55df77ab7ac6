"""Gather the pages of the documentation site in build/docs, for Zensical to build.

    python tools/build_docs.py && zensical build -f build/mkdocs.yml

Copies docs/, the tables and figures of results/, and the pages of the project's root, writes one page of the API
reference for each package, and makes links fit: a link to a source file leads to its place in the reference, a link to
a file that has no page becomes plain text. Writes build/mkdocs.yml: mkdocs.yml with the reference, the project's pages,
and under "More" the pages nobody has put anywhere.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "allonym"
BUILD = ROOT / "build"
PROJECT = {
    "How to add an anonymizer": "CONTRIBUTING.md",
    "Security": "SECURITY.md",
    "Changes": "CHANGELOG.md",
    "Benchmarks": "benchmarks/README.md",
}
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^)\s]+)\)")
FENCE = re.compile(r"^(```.*?^```)", re.MULTILINE | re.DOTALL)


def pages() -> dict[Path, str]:
    """Return the place in the site of every file that has one, by its path in the repository."""
    found = {path: path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*") if path.is_file()}
    for path in sorted((ROOT / "results").glob("*")):
        if path.suffix in (".md", ".svg", ".csv", ".json"):
            found[path] = f"results/{path.name}"
    for name in PROJECT.values():
        found[ROOT / name] = f"project/{name.replace('/', '-').lower()}"
    return found


def modules() -> Iterator[tuple[str, list[str]]]:
    """Yield the packages of the reference, each with its modules."""
    tops = sorted(path.stem for path in SOURCE.glob("*.py") if not path.stem.startswith("_"))
    yield "allonym", [f"allonym.{name}" for name in tops]
    for package in sorted(path.parent for path in SOURCE.glob("*/__init__.py")):
        inner = (path.relative_to(SOURCE).with_suffix("").parts for path in package.rglob("*.py"))
        public = sorted(".".join(parts) for parts in inner if not any(part.startswith("_") for part in parts))
        yield f"allonym.{package.name}", [f"allonym.{package.name}", *(f"allonym.{module}" for module in public)]


def reference_of(path: Path) -> str | None:
    """Return where a source file is described, if it is."""
    if not path.is_relative_to(SOURCE) or path.suffix != ".py":
        return None
    parts = ("allonym", *path.relative_to(SOURCE).with_suffix("").parts)
    if any(part.startswith("_") for part in parts):
        return None
    page = "allonym" if len(parts) == 2 else ".".join(parts[:2])
    return f"api/{page}.md#{'.'.join(parts)}"


def fitted(text: str, source: Path, place: str, known: dict[Path, str]) -> str:
    """Return a page with links that lead somewhere on the site."""

    def fit(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if not target or "://" in target or target.startswith("mailto:"):
            return match[0]
        path = Path(os.path.normpath(source.parent / target))
        found = known.get(path) or reference_of(path)
        if found is None:
            return match["text"]
        link = os.path.relpath(found, Path(place).parent).replace(os.sep, "/")
        return f"{match['image']}[{match['text']}]({link}{'#' + anchor if anchor else ''})"

    # Code between fences is shown as it is.
    return "".join(part if part.startswith("```") else LINK.sub(fit, part) for part in FENCE.split(text))


def write_reference(folder: Path) -> dict[str, str]:
    """Write the pages of the reference; return them by title."""
    folder.mkdir(parents=True)
    found = {}
    for name, inner in modules():
        title = "Modules" if name == "allonym" else name
        blocks = "\n\n".join(f"::: {module}" for module in inner)
        (folder / f"{name}.md").write_text(f"# {title}\n\n{blocks}\n", "utf-8")
        found[title] = f"api/{name}.md"
    return found


def named(nav: Any) -> Iterator[str]:  # noqa: ANN401 - nested lists and dictionaries
    """Yield the pages of a navigation."""
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from named(entry)


def complete(nav: list[Any], found: set[str]) -> None:
    """Put the pages that a navigation does not name at its end.

    Raises:
        SystemExit: It names pages that are not there.
    """
    placed = set(named(nav))
    if missing := sorted(placed - found):
        raise SystemExit(f"mkdocs.yml names pages that do not exist: {', '.join(missing)}.")
    if rest := sorted(found - placed):
        nav.append({"More": rest})


def main() -> None:
    """Write build/docs and build/mkdocs.yml."""
    shutil.rmtree(BUILD / "docs", ignore_errors=True)
    known = pages()
    for source, place in known.items():
        target = BUILD / "docs" / place
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(fitted(source.read_text("utf-8"), source, place, known), "utf-8")
        else:
            shutil.copyfile(source, target)
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    config["docs_dir"], config["site_dir"] = "docs", "site"
    [about] = [plugin["mkdocstrings"] for plugin in config["plugins"] if "mkdocstrings" in plugin]
    python = about["handlers"]["python"]
    python["paths"] = [str(SOURCE.parent)]
    python["options"]["extensions"] = [str(ROOT / "tools" / "griffe_doctests.py")]
    nav = config["nav"]
    nav.append({"API": [{title: page} for title, page in write_reference(BUILD / "docs" / "api").items()]})
    nav.append({"Project": [{title: known[ROOT / name]} for title, name in PROJECT.items()]})
    complete(nav, {path.relative_to(BUILD / "docs").as_posix() for path in (BUILD / "docs").rglob("*.md")})
    (BUILD / "mkdocs.yml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), "utf-8")


if __name__ == "__main__":
    main()
