"""`allonym serve`: the local page."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from allonym import disk
from allonym.cli.budgets import Budget, budget_options
from allonym.cli.talk import Talk, common_options
from allonym.errors import InputError, MissingDependencyError

_NEEDED = ("jinja2", "python_multipart", "starlette", "uvicorn")


@click.command(name="serve")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to use; 0 takes any free one.")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@click.option(
    "--book",
    type=click.Path(exists=True, file_okay=False),
    help="Folder of a book (`allonym book build`): texts can then be said in its sentences.",
)
@budget_options("Name of the data in the ledger.")
@common_options
@click.pass_obj
def command(talk: Talk, /, port: int, no_browser: bool, book: str | None, budget: Budget) -> None:
    """Open the local page: read, rewrite and report, in a browser on this machine.

    It answers this machine alone. Texts stay in memory, a table in a private temporary folder. The address works once;
    Ctrl-C ends it. With --budget-db and --dataset, what is drawn is charged to a ledger, unless a cap refuses it.
    """
    server = _server()
    books = _checked_books(book)
    purse = _purse(budget)
    try:
        listener = server.listen(port)
    except OSError as error:
        raise InputError(f"Port {port} cannot be used ({error.strerror}); choose another --port.") from error
    taken = listener.getsockname()[1]  # the one asked for, or a free one
    access = server.guard.Access(taken)
    address = f"http://127.0.0.1:{taken}{server.guard.DOOR}#{access.token}"
    app = server.build(access, taken, complain=talk.say, purse=purse, books=books)
    with _redirection(address) as page:

        def started() -> None:
            talk.data({"address": address, "port": taken}, address)
            talk.say("Open this address in your browser; it works once. Ctrl-C ends the page and forgets everything.")
            if purse is not None:
                talk.say(f"What is drawn is charged to {purse.path.name}, as “{purse.dataset}”; that is not forgotten.")
            if not no_browser:
                _open(page)

        server.serve(listener, app, started)
    talk.say("The page is closed; nothing was saved but what you saved.")


def _purse(budget: Budget) -> Any:  # noqa: ANN401 - of a module that is imported late
    """Return the ledger to charge, if one was named; a text on the page has no file name, so the data set needs one."""
    path = budget.ledger()
    if path is None:
        return None
    if budget.dataset is None:
        raise click.UsageError("Texts on the page have no name to keep accounts under; add --dataset NAME.")
    from allonym.web.purse import Purse

    purse = Purse(path, budget.dataset, budget.caps)
    purse.check()
    return purse


def _checked_books(book: str | None) -> tuple[str, ...]:
    """Refuse a book that cannot be opened before anything is served."""
    if book is None:
        return ()
    from allonym.books.book import Book

    Book.open(book)
    return (str(Path(book).absolute()),)


def _server() -> ModuleType:
    """Return the page's module, which needs packages that not everybody wants."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingDependencyError("The page needs packages that are not installed: pip install 'allonym[web]'.")
    return import_module("allonym.web.server")


@contextlib.contextmanager
def _redirection(address: str) -> Iterator[Path]:
    """Hold a file that leads to the address: on the browser's command line everybody could read the token."""
    with tempfile.TemporaryDirectory(prefix="allonym-") as folder:
        page = Path(folder) / "open.html"
        content = (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>allonym</title>'
            f'<meta http-equiv="refresh" content="0;url={address}"></head>'
            f'<body><p><a href="{address}">Open the page</a></p></body></html>\n'
        )
        disk.write(page, content.encode(), private=True)
        yield page


def _open(page: Path) -> None:
    import webbrowser

    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(page.as_uri())
