"""The JSON interface of the page, version 1: each operation with what it takes, what it does and what it answers."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from allonym import names
from allonym.errors import AllonymError
from allonym.recognition import alternatives, suggestions, verdict
from allonym.web import guard, methods
from allonym.web.desk import MOST_REFERENCES, Desk
from allonym.web.fields import ChoiceField, Invalid, OfferedField, Record, Several, TextField, Whole
from allonym.web.rewriting import Draft
from allonym.web.table import UploadedTable
from allonym.web.work import RETRY_AFTER, Busy, Worker

PREFIX = "/api/v1"
PROTECTIONS = OfferedField(lambda: [card.name for card in methods.cards()])
MOST_POSITION = 255  # of a slider; how many there are follows the models
UNPROVED = "Nothing is proved about this draw: no loss can be stated, and afterwards no total."
_MOST_CHANGES = 1_000_000
_NOTHING = "Nothing was changed."

Handler = Callable[["Room", dict[str, Any]], Awaitable[object]]


@dataclass(frozen=True)
class Arriving:
    """A table that is being read."""

    name: str
    rows: int = 0  # that were read


@dataclass
class Room:
    """What the operations work with: the desk, a worker for quick things and one for long ones."""

    desk: Desk
    quick: Worker  # does what a request waits for
    long: Worker  # does what nobody waits for
    tables: Worker  # reads tables and says what they would cost; the jobs are done by `long`
    wanted: tuple[str, int] | None = None  # the protection whose tables are to be made
    to_train: bool = False  # whether attackers are about to be trained
    prepared: bool = False  # whether other words have been looked up once
    table: UploadedTable | None = None
    arriving: Arriving | None = None  # the table that is being read
    missed: str = ""  # why a table could not be taken after its request had been answered
    turn: int = 0  # how often another table was taken or dropped

    def hold(self, table: UploadedTable | None) -> None:
        """Take another table, or none, in place of the one that is here."""
        if self.table is not None:
            self.table.close()
        self.table, self.arriving, self.missed, self.turn = table, None, "", self.turn + 1

    def expect(self, name: str) -> int:
        """Note that a table is being read; return a number by which it is known whether it still is wanted."""
        self.arriving, self.missed = Arriving(name[:200]), ""
        return self.turn

    def forget(self) -> None:
        """Drop everything."""
        self.desk.forget()
        self.hold(None)

    def prepare(self, protection: str, position: int) -> None:
        """Have the tables of a protection made, so that a draw need not wait for them; the last counts."""
        waits, self.wanted = self.wanted is not None, (protection, position)
        if not waits:
            with suppress(Busy):
                self.long.start(self._prepare)

    def train(self) -> None:
        """Have attackers trained on the other texts; those given last count."""
        if self.to_train:
            return
        self.to_train = True
        try:
            self.long.start(self._train)
        except Busy as busy:
            self.to_train = False
            self.desk.known.state, self.desk.known.problem = "failed", str(busy)
            raise

    def _prepare(self) -> None:
        wanted, self.wanted = self.wanted, None
        if wanted is not None:
            with suppress(AllonymError):
                methods.anonymizer(*wanted)

    def _train(self) -> None:
        self.to_train = False
        if self.desk.known.state == "training":
            self.desk.train(self.desk.known)


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked for."""

    path: str  # after the prefix
    method: str  # GET, POST or DELETE
    summary: str
    handler: Handler
    body: Record | None  # what the request holds
    answers: tuple[str, ...]  # keys that the answer has
    waits: bool = False  # what takes long is answered at once with 202, and shows on the desk when done
    kept: str = "Your text is still here, and nothing else was changed."  # what an error may say is still there


async def desk_state(room: Room, _: dict[str, Any]) -> object:
    """Return what is on the desk."""
    desk = room.desk
    return {
        "text": desk.text,
        "references": desk.known.to_json(),
        "drawn": desk.draft is not None,
        "draws": len(desk.charges),
        "drafts": desk.drafts,
        "spent": desk.spent_in_words,
        "ledger": desk.ledger,
    }


async def forget(room: Room, _: dict[str, Any]) -> object:
    """Drop everything."""
    room.forget()
    return {"forgotten": True}


async def read(room: Room, given: dict[str, Any]) -> object:
    """Take a text and say how recognisable it is."""
    reading = await room.quick.do(room.desk.read, given["text"])
    if not room.prepared:
        room.prepared = True
        with suppress(Busy):
            room.long.start(suggestions.prepare)
            room.long.start(names.prepare)
    return reading.to_json()


async def take_references(room: Room, given: dict[str, Any]) -> object:
    """Take other texts and begin to train attackers on them."""
    others = [(entry["author"], entry["text"]) for entry in given["others"]]
    known = room.desk.take_references(given["mine"], others)
    if known.state == "training":
        room.train()
    return known.to_json()


async def references(room: Room, _: dict[str, Any]) -> object:
    """Return how far the training is."""
    return room.desk.known.to_json()


async def drop_references(room: Room, _: dict[str, Any]) -> object:
    """Forget the other texts."""
    return room.desk.take_references([], []).to_json()


async def offered(room: Room, _: dict[str, Any]) -> object:
    """Return the protections."""
    cards = await room.quick.do(methods.offered)
    return {
        "cards": cards,
        "default": methods.default(),
        "default_table": methods.default(methods.TABLE),
        "most_words": methods.MOST_WORDS,
    }


async def price(room: Room, given: dict[str, Any]) -> object:
    """Return what a draw would cost; nothing is drawn."""
    charge, ledger = await room.quick.do(room.desk.price, given["protection"], given["position"])
    room.prepare(given["protection"], given["position"])
    promised = charge.promised
    cost = f"This draw will cost {methods.cost(promised, charge.words)}." if promised.formal else UNPROVED
    return {
        "words": charge.words,
        "epsilon": promised.epsilon,
        "sentence": cost,
        "language": await room.quick.do(room.desk.language),
        "spent": room.desk.spent_in_words,
        "ledger": ledger,
    }


async def rewrite(room: Room, given: dict[str, Any]) -> object:
    """Charge a draw and show it."""
    draft = await room.quick.do(room.desk.rewrite, given["protection"], given["position"])
    return _drafted(room, draft)


async def draft_state(room: Room, _: dict[str, Any]) -> object:
    """Return the draft."""
    return _drafted(room, room.desk.drafted())


async def edit(room: Room, given: dict[str, Any]) -> object:
    """Change one stretch of the draft."""
    to = given["word"] if given["to"] == "word" else given["to"]
    if to is None:
        raise Invalid("word is missing; send the word to put there.")
    change, edits = given["change"], room.desk.edit(given["change"], to).edits
    return {"badge": room.desk.badge.to_json(), "change": change, "now": edits.get(change), "edits": len(edits)}


async def restore(room: Room, _: dict[str, Any]) -> object:
    """Take all edits back."""
    return _drafted(room, room.desk.restore())


async def reject(room: Room, _: dict[str, Any]) -> object:
    """Put the original back everywhere."""
    return _drafted(room, room.desk.reject())


async def candidates(room: Room, given: dict[str, Any]) -> object:
    """Return other words for one change: for what stands in the draft now, not for the original."""
    draft = room.desk.drafted()
    if given["change"] >= len(draft.draw.changes):
        raise Invalid("There is no such change in this draft; load the page again.")
    return {"words": await room.quick.do(alternatives.at, draft.text, *draft.words_at(given["change"]))}


async def measured(room: Room, _: dict[str, Any]) -> object:
    """Measure the draft: how recognisable it is, and how much of the meaning is left."""
    return await room.quick.do(_measured, room.desk)


def _measured(desk: Desk) -> dict[str, Any]:
    draft = desk.drafted()
    before, after = desk.measure(draft.draw.original), desk.measure(draft.text)
    alike, likeness = desk.same_writer(), desk.meaning_kept()
    changed = desk.compared(before, after)
    return {
        "before": _short(before.to_json()),
        "after": _short(after.to_json()),
        "changed": [asdict(change) for change in changed],
        "oddities": verdict.ODDITIES if changed else "",
        "meaning_kept": likeness,
        "meaning_in_words": None if likeness is None else methods.meaning_in_words(likeness),
        "same_writer": None if alike is None else asdict(alike),
    }


def _short(reading: dict[str, Any]) -> dict[str, Any]:
    return {name: reading[name] for name in ("words", "basis", "sentence", "verdict", "risk", "risk_means")}


def _drafted(room: Room, draft: Draft) -> dict[str, Any]:
    drawn = draft.draw
    return {
        "protection": drawn.protection,
        "title": methods.card(drawn.protection).title,
        "position": drawn.position,
        "badge": room.desk.badge.to_json(),
        "text": draft.text,
        "terms": None if drawn.terms is None else [list(pair) for pair in drawn.terms],
        "changes": [[change.before, change.after, change.same] for change in drawn.changes],
        "edits": {str(number): words for number, words in draft.edits.items()},
        "current": drawn.original == room.desk.text,
        "spent": room.desk.spent_in_words,
        "ledger": room.desk.ledger,
    }


_DESK = ("text", "references", "drawn", "draws", "drafts", "spent", "ledger")
_CHANGE = Whole(0, _MOST_CHANGES)
_CHOSEN = Record({"protection": PROTECTIONS, "position": Whole(0, MOST_POSITION)})
_STATE = ("state", "done", "total", "problem", "own_texts", "other_texts", "writers", "words")
_DRAFT = ("protection", "title", "position", "badge", "text", "terms", "changes", "edits", "current", "spent", "ledger")
_PRICE = ("words", "epsilon", "sentence", "language", "spent", "ledger")
_EDIT = Record(
    {"change": _CHANGE, "to": ChoiceField(("drawn", "original", "word")), "word": TextField(200, 1)},
    frozenset({"word"}),
)
_READING = (
    *("words", "basis", "sentence", "verdict", "risk", "risk_means"),
    *("gauges", "attackers", "marks", "notes", "names"),
)
_MEASURED = ("before", "after", "changed", "oddities", "meaning_kept", "meaning_in_words", "same_writer")
_REFERENCES = Record(
    {
        "mine": Several(TextField(), MOST_REFERENCES),
        "others": Several(Record({"author": TextField(200, 1), "text": TextField()}), MOST_REFERENCES),
    }
)

OPERATIONS = (
    Operation("/desk", "GET", "What is on the desk", desk_state, None, _DESK),
    Operation("/desk", "DELETE", "Forget everything", forget, None, ("forgotten",)),
    Operation("/read", "POST", "How recognisable a text is", read, Record({"text": TextField()}), _READING),
    Operation("/references", "GET", "How far training is", references, None, _STATE),
    Operation("/references", "POST", "Train attackers on other texts", take_references, _REFERENCES, _STATE),
    Operation("/references", "DELETE", "Forget the other texts", drop_references, None, _STATE),
    Operation("/methods", "GET", "The protections", offered, None, ("cards", "default", "default_table")),
    Operation("/price", "POST", "What a draw would cost", price, _CHOSEN, _PRICE),
    Operation("/rewrite", "POST", "Charge a draw and show it", rewrite, _CHOSEN, _DRAFT, waits=True),
    Operation("/draft", "GET", "The draft", draft_state, None, _DRAFT),
    Operation("/draft", "DELETE", "Take all edits back", restore, None, _DRAFT),
    Operation("/draft/reject", "POST", "Put the original back everywhere", reject, None, _DRAFT),
    Operation("/draft/edit", "POST", "Change one stretch", edit, _EDIT, ("badge", "change", "now", "edits")),
    Operation("/draft/words", "POST", "Other words for a change", candidates, Record({"change": _CHANGE}), ("words",)),
    Operation("/draft/risk", "GET", "Measure the draft", measured, None, _MEASURED),
)


def endpoint(operation: Operation) -> Callable[[Request], Awaitable[Response]]:
    """Return what answers a request for an operation."""

    async def work(request: Request) -> Response:
        given = operation.body.check(await read_json(request)) if operation.body is not None else {}
        return JSONResponse(await operation.handler(request.app.state.room, given))

    return lambda request: answered(work(request), operation.kept, waits=operation.waits)


async def answered(work: Awaitable[Response], kept: str = _NOTHING, *, waits: bool = False) -> Response:
    """Return an answer, or what went wrong; where it `waits`, what takes longer than a request is under way."""
    try:
        return await work
    except Invalid as invalid:
        return problem(422, str(invalid))
    except AllonymError as error:
        return problem(409, str(error), kept)
    except Busy as busy:
        if busy.goes_on and waits:
            return JSONResponse({"running": True}, 202)
        return problem(503, str(busy), kept, {"Retry-After": str(RETRY_AFTER)})


def problem(status: int, sentence: str, kept: str = _NOTHING, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as every error of the interface looks."""
    return Response(guard.as_record(sentence, kept), status, headers, "application/json")


async def read_json(request: Request) -> object:
    """Return the body of a request, which must say that it is JSON: a form of another site cannot."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise guard.Refused(415, "The request is not JSON; send it as application/json.")
    content = await request.body()
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        raise Invalid("The request is not readable as JSON; send it again.") from None
