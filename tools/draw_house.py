"""Draw the house from its imports: docs/images/house.svg, and the tables of docs/house.md.

    python tools/draw_house.py [--check]

Storeys are those that tests/test_architecture.py allows; who uses whom, and the ways through the house, are read from
the source. ``--check`` tells whether the page is up to date.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "allonym"
PAGE, PICTURE = ROOT / "docs" / "house.md", ROOT / "docs" / "images" / "house.svg"
BEGIN, END = "<!-- drawn by tools/draw_house.py -->", "<!-- end of what is drawn -->"

# The ways through the house: the door, then who is met, in this order, and what happens there.
WAYS: dict[str, list[tuple[str, str]]] = {
    "A letter (`allonym anonymize letter.txt`)": [
        ("cli.anonymize", "reads the options and makes the method"),
        ("formats.files", "opens the text"),
        ("jobs.plan", "says what will be done and what it will cost"),
        ("budget.ledger", "charges it, if there is a ledger"),
        ("anonymizers.base", "keys the noise and asks the method for its draw"),
        ("language.words", "cuts the text into words"),
        ("mechanisms", "draws, by the law whose loss is proved"),
        ("privacy.guarantee", "says what is promised"),
        ("jobs.outputs", "writes the text, and the promise beside it"),
    ],
    "A row of a table (a job)": [
        ("cli.anonymize", "reads the options and makes the method"),
        ("formats.files", "opens the table, a batch of rows at a time"),
        ("jobs.fingerprints", "tells this job from any other, so that it can be resumed"),
        ("jobs.execute", "hands batches to the engine"),
        ("jobs.engines", "works on them: processes here, or Spark"),
        ("anonymizers.base", "protects each row with noise of its own"),
        ("jobs.store", "remembers which batches are done"),
        ("jobs.outputs", "puts the finished batches together, in order"),
    ],
    "A text on the page (`allonym serve`)": [
        ("web.server", "listens on this machine"),
        ("web.guard", "turns away everybody but the browser with the key"),
        ("web.api", "reads the question"),
        ("recognition.reading", "words the answer, as `check` does"),
        ("recognition.recogniser", "says how recognisable it is"),
        ("web.rewriting", "has it rewritten"),
        ("anonymizers.base", "draws, as for a letter"),
        ("web.purse", "charges it, if there is a ledger"),
    ],
    "A row of a paper's table (`allonym reproduce laplace`)": [
        ("cli.reproduce", "reads the options"),
        ("papers.laplace.reproduce", "is the paper, found by its name, and says which settings it compares"),
        ("papers.ruler.measure", "looks for rows that are done, for this paper or another"),
        ("papers.ruler.grounds", "opens the texts"),
        ("anonymizers.base", "protects them"),
        ("evaluation.attack", "attacks what was released"),
        ("papers.ruler.rows", "holds what was measured, as it is stored"),
        ("papers.ruler.tables", "writes the row"),
    ],
}

BOX, GAP, TALL, STOREY, MARGIN = 118, 14, 34, 70, 20


def storeys() -> list[tuple[str, ...]]:
    """Return the rooms of each storey, the lowest first, as the architecture test has them."""
    for node in ast.parse((ROOT / "tests" / "test_architecture.py").read_text("utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "STOREYS":
            found: list[tuple[str, ...]] = ast.literal_eval(node.value)  # type: ignore[arg-type]
            return found
    raise SystemExit("tests/test_architecture.py has no STOREYS.")


def module_name(path: Path) -> str:
    """Return a module's name without the package's."""
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def imports(path: Path, known: set[str]) -> set[str]:
    """Return the modules of this package that a file imports, be it in a function."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "allonym":
            base = (node.module or "").removeprefix("allonym").lstrip(".")
            names = [f"{base}.{alias.name}".lstrip(".") for alias in node.names]
            found |= {name if name in known else base for name in names}
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("allonym.") for alias in node.names}
    return found & known


def graph() -> dict[str, set[str]]:
    """Return which modules each module imports."""
    paths = {module_name(path): path for path in sorted(SOURCE.rglob("*.py")) if not path.stem.startswith("__main")}
    return {name: imports(path, set(paths)) - {name} for name, path in paths.items() if name != "__init__"}


def rooms(modules: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return which rooms each room uses."""
    used: dict[str, set[str]] = {}
    for name, others in modules.items():
        room = name.partition(".")[0]
        used.setdefault(room, set()).update(other.partition(".")[0] for other in others)
        used[room].discard(room)
    return used


def reached(used: dict[str, set[str]], door: str) -> set[str]:
    """Return all that is imported from here, directly or by others."""
    found, waiting = {door}, [door]
    while waiting:
        for other in used.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found


def without_shortcuts(used: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return only the imports that no other import leads to: else the picture is all lines."""
    kept = {}
    for room, others in used.items():
        kept[room] = {one for one in others if not any(one in reached(used, by) for by in others - {one})}
    return kept


def check_ways(modules: dict[str, set[str]]) -> None:
    """Refuse a way that meets a module which the door cannot lead to; papers are found by name, not imported."""
    papers = {name for name in modules if name.startswith("papers.") and name.endswith(".reproduce")}
    modules = modules | {"papers": modules.get("papers", set()) | papers}
    for title, steps in WAYS.items():
        beyond = reached(modules, steps[0][0])
        for name, _ in steps:
            if name not in modules or not any(one == name or one.startswith(f"{name}.") for one in beyond):
                raise SystemExit(f"{title}: {name} is not reached by imports from {steps[0][0]}; correct WAYS.")


def purpose(room: str) -> str:
    """Return the first line of a room's docstring."""
    path = SOURCE / room / "__init__.py"
    source = (path if path.exists() else SOURCE / f"{room}.py").read_text("utf-8")
    return (ast.get_docstring(ast.parse(source)) or "").splitlines()[0]


def tables(modules: dict[str, set[str]]) -> str:
    """Return the tables of the page."""
    used = rooms(modules)
    lines = ["| storey | room | what it holds | it uses |", "|---|---|---|---|"]
    for number, names in reversed(list(enumerate(storeys()))):
        for name in names:
            below = ", ".join(sorted(used[name])) or "nothing"
            lines.append(f"| {number} | `{name}` | {purpose(name)} | {below} |")
    for title, steps in WAYS.items():
        lines += ["", f"### {title}", ""]
        lines += [f"{number}. `{name}` {does}." for number, (name, does) in enumerate(steps, 1)]
    return "\n".join(lines)


def picture(modules: dict[str, set[str]]) -> str:
    """Return the house as SVG: a row a storey, a box a room, and a line to each room that it uses."""
    plan = storeys()[::-1]
    width = 2 * MARGIN + max(map(len, plan)) * (BOX + GAP) - GAP
    height = 2 * MARGIN + len(plan) * STOREY - (STOREY - TALL)
    places: dict[str, tuple[float, float]] = {}
    for row, names in enumerate(plan):
        left = (width - len(names) * (BOX + GAP) + GAP) / 2
        places |= {name: (left + n * (BOX + GAP), MARGIN + row * STOREY) for n, name in enumerate(names)}
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            'font-family="system-ui, sans-serif" font-size="13">',
            "<title>The house</title>",
            "<desc>Rooms in storeys. A line leads down from a room to one that it uses; what follows from other lines "
            "is left out.</desc>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            *_lines(without_shortcuts(rooms(modules)), places),
            *_boxes(places),
            "</svg>\n",
        ]
    )


def _lines(used: dict[str, set[str]], places: dict[str, tuple[float, float]]) -> Iterator[str]:
    for room in places:
        for other in sorted(used[room]):
            (x, y), (to_x, to_y) = places[room], places[other]
            start, end = (x + BOX / 2, y + TALL), (to_x + BOX / 2, to_y)
            middle = (start[1] + end[1]) / 2
            yield (
                f'<path d="M{start[0]:g} {start[1]:g}C{start[0]:g} {middle:g} {end[0]:g} {middle:g} {end[0]:g} '
                f'{end[1]:g}" fill="none" stroke="#0072b2" stroke-opacity=".55"/>'
            )


def _boxes(places: dict[str, tuple[float, float]]) -> Iterator[str]:
    for room, (x, y) in places.items():
        yield f'<rect x="{x:g}" y="{y:g}" width="{BOX}" height="{TALL}" rx="4" fill="#f4f4ef" stroke="#1b1b1b"/>'
        yield f'<text x="{x + BOX / 2:g}" y="{y + 22:g}" text-anchor="middle" fill="#1b1b1b">{room}</text>'


def drawn() -> dict[Path, str]:
    """Return the page and the picture as they should be."""
    modules = graph()
    check_ways(modules)
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return {PAGE: f"{before}{BEGIN}\n\n{tables(modules)}\n\n{END}{after}", PICTURE: picture(modules)}


def main(arguments: Sequence[str]) -> int:
    """Write both files, or tell whether they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a file is out of date")
    chosen = parser.parse_args(arguments)
    stale = {path: text for path, text in drawn().items() if not path.exists() or path.read_text("utf-8") != text}
    if not chosen.check:
        for path, text in stale.items():
            path.write_text(text, "utf-8")
    elif stale:
        print("Out of date:", *(path.name for path in stale), "- run python tools/draw_house.py", file=sys.stderr)
    return int(bool(stale) and chosen.check)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
