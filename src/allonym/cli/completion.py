"""`allonym completion`: scripts that let a shell complete commands, options, choices and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, get_completion_class

from allonym.cli.talk import Talk, common_options

if TYPE_CHECKING:
    from click.shell_completion import ShellComplete

_PROGRAM, _VARIABLE = "allonym", "_ALLONYM_COMPLETE"
_SHELLS = ("bash", "fish", "zsh")


_HELP = """Print a script that lets SHELL complete what you type.

\b
bash, zsh:  eval "$(allonym completion bash)"   in ~/.bashrc or ~/.zshrc
fish:       allonym completion fish | source    in ~/.config/fish/config.fish
"""


@click.command(name="completion", help=_HELP)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.option("--answer", is_flag=True, hidden=True, help="Answer the script's question.")
@common_options
@click.pass_obj
def command(talk: Talk, shell: str, answer: bool) -> None:
    """Print a completion script, or answer one."""
    completer = _completer(shell)
    if answer:
        click.echo(completer.complete())
        return
    # Click's scripts ask by a variable, and complete no files where a command takes any text. Ours ask this command.
    script = completer.source().replace(f"{_VARIABLE}={shell}_complete ", "")
    for caller in ("$1)", f"{_PROGRAM})"):
        script = script.replace(f" {caller}", f" {caller[:-1]} completion {shell} --answer)")
    talk.data({"shell": shell, "script": script}, script)


def _completer(shell: str) -> ShellComplete:
    """Return click's completer of a shell, which offers files where it knows of nothing else."""
    from allonym.cli import group

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"This version of click does not know {shell}; update click.")

    class WithFiles(kind):  # type: ignore[valid-type, misc]
        def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
            items: list[CompletionItem] = super().get_completions(args, incomplete)
            return items or [CompletionItem(incomplete, type="file")]

    made: ShellComplete = WithFiles(group, {"obj": Talk()}, _PROGRAM, _VARIABLE)
    return made
