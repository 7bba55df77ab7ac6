"""A4NT's results as Markdown tables, the paper's figures beside ours. Reads results, computes nothing."""

from __future__ import annotations

from collections.abc import Sequence

from allonym.drawing.tables import markdown_table
from allonym.metrics.figures import NOT_MEASURED, Figure, spread
from allonym.papers.a4nt import figures as a4nt_figures
from allonym.papers.a4nt.attacks import HOLDOUT, LSTM, NEURAL, PANEL
from allonym.papers.a4nt.documents import CLASSES, SETTINGS, SIX
from allonym.papers.a4nt.paper import TABLE_1, TABLE_2, TABLE_3, TABLE_4
from allonym.papers.a4nt.rows import goals, label, of_setting
from allonym.papers.a4nt.runs import LIKELIEST
from allonym.papers.a4nt.stored import A4ntResults, Level, Levels, MeasuredRow
from allonym.papers.ruler import tables as ruler

figures = a4nt_figures.figures
_LEVELS: tuple[tuple[int, Level], ...] = ((0, "sentence"), (1, "document"))  # with their place in the paper's tables
_BY_CLASS = (
    "Here an *author* is a class of bloggers, and *labels* is the class that is not hidden. Every text is rewritten in "
    "the same style, whoever wrote it, as a user would have it done; in the tables above every text is sent to the "
    "class that is not its writer's."
)


def markdown(results: A4ntResults) -> str:
    """Return all tables."""
    parts = [
        "# A4NT on blogs and speeches",
        _about(results),
        "## Goals\n\n" + _goals(results),
        "## Table I: what was used\n\n" + _table_1(results),
        "## Table II: classifiers on real text\n\n" + _table_2(results),
        "## Table III: how well the LSTM is fooled\n\n" + _table_3(results),
        "## Table IV: a classifier that no translator was trained against (blog-age)\n\n" + _table_4(results),
        "## Every attacker, static and adaptive\n\n" + _every_attacker(results),
        "## Both directions\n\n" + _directions(results),
        "## What is left of the text\n\n" + _quality(results),
    ]
    if any(row.model.trained_for == SIX for row in results.measured):
        parts.append("## Six classes in one model\n\n" + _six(results))
    if results.operating_points:
        parts.append("## Figure 6: operating points\n\n" + _operating(results))
    if results.examples:
        parts.append("## Tables VII and VIII: examples\n\n" + _examples(results))
    if results.grounds:
        parts.append(f"{ruler.chapter(results.grounds)}\n\n{_BY_CLASS}")
    parts.append("## Left out\n\n" + _lines([*results.not_reproduced, *results.not_evaluated]))
    return "\n\n".join(parts) + "\n"


def _about(results: A4ntResults) -> str:
    meteor = {"meteor_1_5": "METEOR 1.5", "meteor_nltk": "NLTK's METEOR, which is another metric", "none": "none"}
    return (
        f"Made by `{results.command}`, version {results.version}. METEOR: {meteor[results.meteor]}. "
        f"Intervals in brackets: {results.interval}.\n\n"
        "F1 is the mean of the classes' F1 weighted by their documents; all test documents are translated from their "
        "true class to the other one, and the true class is what is to be found. Lower is better for the writer. "
        "*Static* attackers learned from real text, *adaptive* ones from translated text. *Likeliest*: of every "
        "sentence the translation the network rates highest. *Drawn*: of every sentence one translation drawn from the "
        "network's law. *Balanced*: the method's default, which leaves some sentences alone and chooses among several "
        "translations of the others."
        + (
            " Rows with a star are of an earlier run, of models that were not at hand in this one; texts, measures and "
            "what the static attackers reach on originals are the same."
            if any(row.model.earlier for row in results.measured)
            else ""
        )
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], below: str = "") -> str:
    """Return a table, with a paragraph below it if there is something to say."""
    return markdown_table(head, rows, wide=False) + (f"\n\n{below}" if below else "")


def _lines(sentences: Sequence[str]) -> str:
    return "\n".join(f"- {sentence}" for sentence in sentences)


def _number(value: float | None) -> str:
    return NOT_MEASURED if value is None else f"{value:.2f}"


def _figure(figure: Figure | None) -> str:
    return NOT_MEASURED if figure is None else spread(figure.to_json(), 2)


def _label(row: MeasuredRow, results: A4ntResults) -> str:
    return label(row.model, results.models, row.measured.way)


def _goals(results: A4ntResults) -> str:
    rows = []
    for judged in goals(results):
        goal, row = judged.goal, judged.row
        wanted = f"F1 ≤ {goal.f1:.2f}" + ("" if goal.meteor is None else f" at METEOR ≥ {goal.meteor:.2f}")
        cells = ["no model", *[NOT_MEASURED] * 3]
        if row is not None:
            attack = row.measured.attack(goal.attacker)
            figures = (attack.static.document.f1, row.measured.quality.meteor, attack.adaptive.document.f1)
            cells = [_label(row, results), *map(_figure, figures)]
        rows.append([goal.setting, goal.attacker, wanted, *cells, judged.verdict])
    head = ["setting", "attacker", "goal", "nearest model", "static document F1", "METEOR", "adaptive", "verdict"]
    below = (
        "The nearest model is chosen by these same figures, which flatters it; the others are in the tables below. The "
        "goals are about static attackers, as the paper's figures are; the adaptive one's F1 stands beside."
    )
    return _table(head, rows, below)


def _table_1(results: A4ntResults) -> str:
    rows = []
    for row in results.originals:
        classes = ", ".join(f"{count} {name}" for name, count in row.classes.items())
        used = [f"{row.documents[part]:,} / {row.sentences[part]:,}" for part in ("train", "val", "test")]
        paper = TABLE_1["speech" if row.setting == "speech" else "blogs"]
        documents = f"{row.corpus['documents']:,} ({row.corpus['texts']:,} texts)"
        rows.append([row.setting, f"{paper[0]} / {paper[1]}", documents, *used, classes])
    head = ["setting", "paper: documents / sentences", "our documents", "train", "val", "test", "test classes"]
    below = (
        "Train, val and test: documents / sentences that attackers learn from or are shown; of every document the "
        "first sentences are used. The translators learned from training documents, too, and from no others."
    )
    return _table(head, rows, below)


def _table_2(results: A4ntResults) -> str:
    rows = []
    for row in results.attackers:
        if row.attacker not in NEURAL:
            continue
        paper = TABLE_2.get(row.setting) if row.attacker == LSTM else None
        reached = [part.f1(level) for part in (row.train, row.val) for _, level in _LEVELS]
        theirs = [None] * len(reached) if paper is None else paper
        pairs = zip(reached, theirs, strict=True)
        cells = [f"{_number(f1.value if f1 else None)} (paper {_number(published)})" for f1, published in pairs]
        rows.append([row.setting, row.attacker, *cells])
    head = ["setting", "attacker", "train: sentence", "document", "validation: sentence", "document"]
    return _table(head, rows)


def _table_3(results: A4ntResults) -> str:
    parts = []
    for setting in SETTINGS:
        paper = TABLE_3[setting]
        lines = [_random_line(results, setting), _original_line(results, setting)]
        for row in of_setting(results.measured, setting):
            attack = row.measured.attack(LSTM)
            theirs = paper.get(row.model.recipe) if _as_published(row) else None
            lines.append(
                [
                    _label(row, results),
                    *(_beside(attack.static.f1(level), theirs[k] if theirs else None) for k, level in _LEVELS),
                    _beside(row.measured.quality.meteor, theirs[2] if theirs else None),
                    *(_figure(attack.adaptive.f1(level)) for _, level in _LEVELS),
                ]
            )
        head = ["model", "sentence F1", "document F1", "METEOR", "adaptive: sentence", "adaptive: document"]
        parts.append(f"### {setting}\n\n" + _table(head, lines))
    below = (
        "The adaptive columns of the original text: an LSTM that learned from as few documents as the adaptive ones, "
        "untranslated. Compare the adaptive figures with these."
    )
    return "\n\n".join([*parts, below])


def _as_published(row: MeasuredRow) -> bool:
    """Tell whether the paper has figures that a row can stand beside."""
    return row.model.variant == "paper" and row.measured.way == LIKELIEST


def _beside(figure: Figure | None, paper: float | None) -> str:
    return _figure(figure) + ("" if paper is None else f" · paper {paper:.2f}")


def _random_line(results: A4ntResults, setting: str) -> list[str]:
    guess = results.of_setting(setting).random_guess
    theirs = TABLE_3[setting]["random"]
    cells = [f"{guess[level]:.2f} · paper {theirs[column]:.2f}" for column, level in _LEVELS]
    return ["random guess", *cells, NOT_MEASURED, *(f"{guess[level]:.2f}" for _, level in _LEVELS)]


def _original_line(results: A4ntResults, setting: str) -> list[str]:
    row = results.learned(setting, LSTM)
    theirs = TABLE_3[setting]["original"]
    cells = [_beside(row.test.f1(level), theirs[column]) for column, level in _LEVELS]
    few = [_figure(row.test_few.f1(level)) for _, level in _LEVELS]
    return ["original text", *cells, "1.00 · paper 1.00", *few]


def _table_4(results: A4ntResults) -> str:
    original = results.learned("blog-age", HOLDOUT)
    cells = [_beside(original.test.f1(level), TABLE_4["original"][column]) for column, level in _LEVELS]
    rows = [["original text", *cells, _figure(original.test_few.document.f1)]]
    for row in of_setting(results.measured, "blog-age"):
        attack = row.measured.attack(HOLDOUT)
        theirs = TABLE_4.get(row.model.recipe) if _as_published(row) else None
        cells = [_beside(attack.static.f1(level), theirs[k] if theirs else None) for k, level in _LEVELS]
        rows.append([_label(row, results), *cells, _figure(attack.adaptive.document.f1)])
    return _table(["model", "sentence F1", "document F1", "adaptive: document F1"], rows)


def _every_attacker(results: A4ntResults) -> str:
    parts = []
    for setting in [*SETTINGS, *([SIX] if of_setting(results.measured, SIX) else [])]:
        learned = [results.learned(setting, name) for name in PANEL]
        rows = [["original text", *(_arrow(row.test, row.test_few) for row in learned)]]
        for row in of_setting(results.measured, setting):
            attacks = [row.measured.attack(name) for name in PANEL]
            rows.append([_label(row, results), *(_arrow(attack.static, attack.adaptive) for attack in attacks)])
        parts.append(f"### {setting}\n\n" + _table(["document F1: static → adaptive", *PANEL], rows))
    below = (
        "For the original text the second number is the attacker's that learned from as little text as the adaptive "
        "ones. Only the LSTMs give probabilities that can be added over sentences; the others read a document as a "
        "whole."
    )
    return "\n\n".join(parts) + "\n\n" + below


def _arrow(first: Levels, second: Levels) -> str:
    return " → ".join(_number(reached.document.f1.value) for reached in (first, second))


def _directions(results: A4ntResults) -> str:
    rows = []
    for setting in SETTINGS:
        for row in of_setting(results.measured, setting):
            document = row.measured.attack(LSTM).static.document
            for name in CLASSES[setting]:
                shares = [_figure(share[name]) for share in (document.f1_of, document.recognised)]
                rows.append([setting, _label(row, results), f"from {name}", *shares])
    head = ["setting", "model", "direction", "F1 of the source class", "documents still recognised"]
    return _table(head, rows, "The static LSTM, on documents.")


def _quality(results: A4ntResults) -> str:
    rows = []
    for setting in SETTINGS:
        measured = [("original text", results.of_setting(setting).quality)]
        measured += [(_label(row, results), row.measured.quality) for row in of_setting(results.measured, setting)]
        for name, left in measured:
            figures = (left.meteor, left.cosine, left.unchanged, left.same_sentence, left.grammar, left.perplexity)
            rows.append([setting, name, *map(_figure, figures)])
    head = ["setting", "model", "METEOR", "MiniLM cosine", "words unchanged", "sentences unchanged"]
    return _table([*head, "grammar findings / 100 words", "perplexity (median)"], rows)


def _six(results: A4ntResults) -> str:
    rows = []
    for setting in ("blog-age", "blog-gender", SIX):
        for row in of_setting(results.measured, setting):
            attack = row.measured.attack(LSTM)
            six = "one model for six classes" if row.model.trained_for == SIX else "one for two"
            figures = (attack.static.document.f1, attack.adaptive.document.f1, row.measured.quality.meteor)
            rows.append([setting, six, _label(row, results), *map(_figure, figures)])
    below = (
        "To hide age, the six-class model sends teenagers to the twenties and all others to the teens, and leaves the "
        "gender; to hide gender it leaves the age group; blog-six changes both and asks for all six classes."
    )
    head = ["to hide", "kind", "model", "static document F1", "adaptive document F1", "METEOR"]
    return _table(head, rows, below)


def _operating(results: A4ntResults) -> str:
    rows = []
    for row in results.operating_points:
        size = f"{row.measured.documents} / {row.measured.sentences}"
        for point in row.measured.points:
            cells = [point.pick, _figure(point.document), _figure(point.meteor), size]
            rows.append([row.setting, label(row.model, results.models), *cells])
    head = ["setting", "model", "choice", "document F1 (LSTM, static)", "METEOR", "documents / sentences"]
    below = (
        "*Least alike*, *random*, *most alike*: of five samples of each sentence, by METEOR, as in the paper; the "
        "others are the method's own choices (`--prefer`). Documents are shorter than above, so the F1 do not compare."
    )
    return _table(head, rows, below)


def _examples(results: A4ntResults) -> str:
    parts = []
    for model in results.examples:
        rows = [[row.source, row.input, _number(row.before), row.output, _number(row.after)] for row in model.rows]
        table = _table(["source", "input", "A(x)", "output", "A(x)"], rows)
        parts.append(f"### {model.setting}: {model.name}\n\n{table}")
    return "\n\n".join([*parts, "Inputs were written for this table. A(x): the LSTM's score."])
