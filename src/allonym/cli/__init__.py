"""The `allonym` command: one thin module a command, that parses, calls and prints."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from allonym import __version__
from allonym.cli.talk import Talk, common_options
from allonym.errors import AllonymError, BudgetError, ResumeError, RowsError, StoppedError

DONE, RISK, BAD_USE, OVER_BUDGET, SOME_FAILED, CANNOT_RESUME, BUG, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

_CODES: dict[type[AllonymError], int] = {
    BudgetError: OVER_BUDGET,
    RowsError: SOME_FAILED,
    ResumeError: CANNOT_RESUME,
    StoppedError: INTERRUPTED,
}

# What each command does, in a line: `allonym --help` prints these and loads no command.
_COMMANDS = {
    "anonymize": "Protect texts, and say what is promised about the result.",
    "audit": "Try to prove a claimed privacy loss wrong.",
    "book": "Make and look at books of public sentences.",
    "budget": "Show what has been spent on which data.",
    "check": "Say how recognisable a text is.",
    "completion": "Print a script that lets your shell complete what you type.",
    "evaluate": "Measure attacks and usefulness, before and after protection.",
    "guarantee": "Say what a configuration promises, before any data is seen.",
    "guard": "Say what a rewrite changed that matters: facts, words, negations, who did what.",
    "methods": "Compare the methods: proof, loss, measured attack and meaning, speed.",
    "models": "List and verify models.",
    "reproduce": "Reproduce a paper's tables on real data, beside the published figures.",
    "serve": "Open the local page in a browser.",
    "train": "Train a model on your own text.",
    "tune": "Find the most useful setting that meets a target.",
}


class LazyGroup(click.Group):
    """Loads a command's module when it is asked for, so that all others start quickly."""

    def __init__(self, *given: Any, package: str, summaries: Mapping[str, str], **named: Any) -> None:  # noqa: ANN401
        super().__init__(*given, **named)
        self._package, self._summaries = package, summaries

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands."""
        return sorted(self._summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command."""
        if cmd_name not in self._summaries:
            if ctx.resilient_parsing:  # a shell that completes what is being typed
                return None
            close = get_close_matches(cmd_name, self._summaries, n=1)
            asked = f" Did you mean {close[0]!r}?" if close else ""
            raise click.UsageError(f"No such command {cmd_name!r}.{asked}", ctx)
        command: click.Command = import_module(f"{self._package}.{cmd_name}").command
        command.short_help = self._summaries[cmd_name]
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading any."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(self._summaries.items()))


_HELP = """Tells how recognisable your writing is, and rewrites it; most methods have a proved guarantee. Works offline.

\b
allonym check letter.txt                              what gives it away
allonym anonymize letter.txt --preset letter          written anew, with its facts
allonym anonymize survey.xlsx --preset survey         a table, an answer a row
allonym methods                                       which method is for what
allonym serve                                         all of it in a browser
"""


@click.group(
    name="allonym",
    cls=LazyGroup,
    package="allonym.cli",
    summaries=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=_HELP,
)
@click.version_option(__version__, prog_name="allonym")
@common_options
def group() -> None:
    """Hold the commands."""


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C, so that nothing half-done is left
    if sys.stdout is None:  # closed by the caller, who wants no answer
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; no error ends in a traceback or shows a user's text."""
    try:
        code: int | None = group.main(list(arguments), prog_name="allonym", standalone_mode=False, obj=Talk())
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as help_text:
        click.echo(help_text.format_message(), err=True)
        return BAD_USE
    except click.ClickException as error:
        where = f" (see '{error.ctx.command_path} --help')" if isinstance(error, click.UsageError) and error.ctx else ""
        sentence = " ".join(error.format_message().split())  # click puts choices on lines of their own
        return _complain(sentence + where, BAD_USE)
    except AllonymError as error:
        return _complain(str(error), next((code for kind, code in _CODES.items() if isinstance(error, kind)), BAD_USE))
    except (KeyboardInterrupt, click.Abort):
        return _complain("Interrupted; nothing was written.", INTERRUPTED)
    except (BrokenPipeError, SystemExit):  # click exits with 1 when the reader has left, which here means a risk
        sys.stdout = None  # do not complain again at exit
        return DONE
    except MemoryError:
        return _complain("There is not enough memory for this; ask for fewer words or split the input.", BAD_USE)
    except OSError as error:
        return _complain(f"The system refused: {error.strerror or type(error).__name__}; nothing was written.", BAD_USE)
    except Exception as error:  # the last resort; never its message, which may hold text
        return _complain(f"This is a bug ({type(error).__name__} at {_last_place(error)}); please report it.", BUG)
    return code or DONE


def _last_place(error: Exception) -> str:
    """Return where in this package an error came up, and no path of the machine."""
    package = Path(__file__).parents[1]
    frames = [(Path(frame.filename), frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    path, line = [place for place in frames if place[0].is_relative_to(package)][-1]
    return f"{path.relative_to(package).as_posix()}:{line}"


def _complain(sentence: str, code: int) -> int:
    click.echo(f"allonym: {sentence}", err=True)
    return code
