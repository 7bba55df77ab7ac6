"""Words and phrases with a plainer form, or another as plain: "in order to" is "to", "nobody" is "no one"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from allonym.language.rewording import rules
from allonym.language.rewording.clauses import DETERMINERS, SUBJECTS
from allonym.language.rewording.edits import Edit, SentenceReader
from allonym.language.rewording.lists import listed
from allonym.language.words import lemma

# What may stand for one another, both ways.
_EITHER: Final = """
everybody > everyone; somebody > someone; anybody > anyone; nobody > no one; for instance > for example; among >
amongst; while > whilst; toward > towards; each other > one another; nevertheless > nonetheless; afterwards >
afterward; in spite of > despite; owing to > because of; at the moment > at present; straight away > right away
"""
# What goes one way: the plainer form stands behind the sign; nothing where the phrase may go.
_PLAINER: Final = """
in order to > to; so as to > to; in order that > so that; due to the fact that > because; owing to the fact that >
because; in spite of the fact that > although; despite the fact that > although; in the event that > if; prior to >
before; subsequent to > after; at this point in time > now; at the present time > now; in the near future > soon; on a
regular basis > regularly; on a daily basis > every day; on a weekly basis > every week; with regard to > about; with
regards to > about; in regard to > about; in regards to > about; with respect to > about; with reference to > about;
in connection with > about; a large number of > many; a great number of > many; a great many > many; the vast majority
of > most of; the majority of > most of; lots of > a lot of; loads of > a lot of; tons of > a lot of; heaps of > a lot
of; plenty of > a lot of; a couple of > two; apart from > except for; aside from > except for; with the exception of >
except for; in excess of > more than; no fewer than > at least; not less than > at least; no less than > at least; has
the ability to > can; have the ability to > can; is able to > can; are able to > can; am able to > can; was able to >
could; were able to > could; all of the > all the; all of my > all my; all of these > all these; all of those > all
those; all of our > all our; all of their > all their; both of the > both; outside of > outside; inside of > inside;
off of > off; each and every > every; once again > again; once more > again; over and over again > again and again;
even though > although; whether or not > whether; as to whether > whether; the reason why > why; the fact that > that;
whenever > when; upon > on; until such time as > until; in the meantime > meanwhile; in actual fact > in fact; as a
matter of fact > in fact; to be honest >; to be fair >; needless to say >; it goes without saying that >; from time to
time > sometimes; every now and then > sometimes; now and again > sometimes; every so often > sometimes; time and
again > often; more often than not > usually; not only that > also; ought to > should; had better > should; in the
course of > during; throughout the course of > throughout; by means of > by; in the vicinity of > near; in close
proximity to > near; in favour of > for; in favor of > for; as well as > and; together with > with; along with > with;
take into account > consider; took into account > considered; make use of > use; made use of > used; making use of >
using; a great deal of > much; a good deal of > much; quite a few > many; a bit of > some; regardless of the fact that
> although; for the purpose of > for; for the purposes of > for; such as > like; whereas > while; as though > as if;
on the subject of > about; on the topic of > about; not long after > soon after; a lot more > much more; a lot less >
much less; a lot better > much better; a lot worse > much worse
"""
# Words before or behind a phrase that forbid its other form; no word is a blank sign.
_NEVER_AFTER: Final = {
    "because of": listed("just only not largely mainly partly"),
    "despite": listed("just only not"),
    "in spite of": listed("just only not"),
    "while": listed("a the any all this that short long little once worth"),
    "as well as": listed("just is was are it not do did"),
    "upon": listed("once put and house look looked frowned"),
    "whenever": listed("or and"),
    "was able to": listed("never"),
    "were able to": listed("never"),
    "in favour of": listed("was am is are be were ruled decided"),
    "in favor of": listed("was am is are be were ruled decided"),
    "a couple of": listed("last next first the these those"),
    "ought to": listed("not who what"),
    "is able to": listed("who what"),
}
_NEVER_BEFORE: Final = {
    "nobody": listed("else's"),
    "as well as": listed("i he she we they ever possible you"),
    "such as": listed("it they he she i we to"),
    "upon": listed("a"),
    "ought to": listed("have not"),
    "is able to": listed("have not"),
    "are able to": listed("have not"),
    "am able to": listed("have not"),
    "had better": listed("not"),
    "a bit of": listed("a an the them it"),
    "plenty of": listed("a an the them it"),
}
_ONLY_AFTER: Final = {
    "the fact that": listed("accept accepted forget forgot ignore know knew hide"),
    "the reason why": listed("is know explain understand see tell"),
    "had better": SUBJECTS,
    "a great deal of": listed("not without"),
    "a good deal of": listed("not without"),
}
_ONLY_BEFORE: Final = {
    "the majority of": DETERMINERS,
    "the vast majority of": DETERMINERS,
    "while": SUBJECTS | DETERMINERS,
}
_INFINITIVE_FOLLOWS: Final = listed("ought-to is-able-to are-able-to am-able-to had-better was-able-to were-able-to")
_NEVER_FIRST: Final = listed("whereas")


def edits(reader: SentenceReader) -> Iterator[Edit]:
    """Yield phrases in another form."""
    for table, why in ((_either(), "the same in another word"), (_plainer(), "a plainer word")):
        for match in rules.phrases((*table,)).finditer(reader.text):
            old = rules.plain(match)
            if not _fits(reader, match, old):
                continue
            if table[old]:
                yield reader.put(match.start(), match.end(), table[old], "small word", why)
            else:
                yield reader.leave_out(match.start(), match.end(), "small word", "left out")


@cache
def _either() -> dict[str, str]:
    pairs = rules.one_way(_EITHER)
    return {**pairs, **{new: old for old, new in pairs.items()}}


@cache
def _plainer() -> dict[str, str]:
    return {old.lower(): new for old, new in rules.one_way(_PLAINER).items()}


def _fits(reader: SentenceReader, match: re.Match[str], old: str) -> bool:
    """Tell whether the surroundings of a phrase let its other form stand."""
    before, after = reader.word_before(match.start()), reader.word_after(match.end())
    if before in _NEVER_AFTER.get(old, ()) or after in _NEVER_BEFORE.get(old, ()):
        return False
    if old in _ONLY_AFTER and before not in _ONLY_AFTER[old]:
        return False
    if old in _ONLY_BEFORE and after not in _ONLY_BEFORE[old]:
        return False
    if old.replace(" ", "-") in _INFINITIVE_FOLLOWS and lemma(after) != after:
        return False
    return old not in _NEVER_FIRST or not reader.begins(match.start())
