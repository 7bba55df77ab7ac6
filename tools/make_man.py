"""Write man/allonym.1 from the commands' own help, and before it what that help tells of the methods.

    python tools/make_man.py [--check]

The page is kept with the source, since building a wheel must not need the package's dependencies; ``--check`` tells
whether both are up to date. They hold no date, so equal help gives equal bytes.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from allonym import __version__
from allonym.cli import group, methods, told
from allonym.cli.talk import Talk
from allonym.papers.frontier import measured

PAGE = Path(__file__).resolve().parents[1] / "man" / "allonym.1"
RESULTS = Path(__file__).resolve().parents[1] / "results"
MEASURED = [RESULTS / f"{name}.json" for name in ("frontier", "syntf")]

END = """\
.SH EXIT STATUS
.TP
.B 0
Done.
.TP
.B 1
The risk is above \\-\\-fail\\-above, or an audit found a violation.
.TP
.B 2
Bad usage, configuration or input.
.TP
.B 3
A budget would be exceeded.
.TP
.B 4
Some rows failed.
.TP
.B 5
Cannot resume: the input or the settings changed.
.TP
.B 70
A bug; please report it.
.TP
.B 130
Interrupted; the command that goes on is printed.
.SH PRIVACY
Nothing leaves the machine.
Standard output is data, standard error is talk; neither an error nor a log ever shows a text.
What a guarantee means, and what not, is in the documentation: docs/limits.md and docs/how-to-read-epsilon.md.
"""


def escaped(text: str) -> str:
    """Return a text that roff prints as it is."""
    safe = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in safe.splitlines())


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command below a group, with its context, groups before what they hold."""
    if not isinstance(command, click.Group):
        return
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        if below is None or below.hidden:
            continue
        inner = click.Context(below, info_name=name, parent=context)
        yield below, inner
        yield from commands(below, inner)


def described(command: click.Command) -> str:
    """Return what a command says of itself, one paragraph after another."""
    paragraphs = (command.help or "").replace("\b\n", "\n").strip().split("\n\n")
    texts = [" ".join(line.strip() for line in paragraph.splitlines()) for paragraph in paragraphs]
    return "\n.PP\n".join(escaped(text) for text in texts if text)


def options(command: click.Command, context: click.Context) -> Iterator[str]:
    """Yield the entries of a command's options."""
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield f".TP\n.B {escaped(record[0])}\n{escaped(record[1])}\n"


def page() -> str:
    """Return the whole manual page."""
    root = click.Context(group, info_name="allonym", obj=Talk(), **group.context_settings)
    parts = [
        f'.TH ALLONYM 1 "" "allonym {__version__}" "User Commands"\n',
        ".SH NAME\nallonym \\- tell how recognisable your writing is, and rewrite it with a proved privacy guarantee\n",
        ".SH SYNOPSIS\n.B allonym\n.I COMMAND\n[\\fIOPTIONS\\fR]\n",
        f".SH DESCRIPTION\n{described(group)}\n.SH GLOBAL OPTIONS\n",
        *options(group, root),
        ".SH COMMANDS\n",
    ]
    for command, context in commands(group, root):
        usage = " ".join(command.collect_usage_pieces(context))
        parts.append(f".SS {escaped(context.command_path)} {escaped(usage)}\n{described(command)}\n")
        parts += options(command, context)
    return "".join(parts) + END


def main() -> None:
    """Write both files, or compare them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="only tell whether they are up to date")
    chosen = parser.parse_args()
    figures = (methods.MEASURED, lambda: measured.stored(*MEASURED))
    pages = ((told.STORED, told.as_stored), figures, (PAGE, page))  # the last reads the first
    for path, made in pages:
        if chosen.check and (not path.is_file() or path.read_text("utf-8") != made()):
            sys.exit(f"{path.name} is not what the commands say; run make man.")
        elif not chosen.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
