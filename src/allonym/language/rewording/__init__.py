"""Rewording: what could be written otherwise in a text, place by place, each change leaving its sentence whole.

Rules and lists, no model: spelling, contractions, punctuation, small words, words that a sentence does not need, and
words of the same meaning. Each rule asks for as much of a place's surroundings as it takes to be sure; where they leave
a doubt, nothing is offered. Nothing is changed here and nothing is chosen: `allonym.recognition.suggestions` measures.

Privacy: spends nothing, and protects nothing: whoever chooses by hand chooses with the original in mind.
"""

from __future__ import annotations

from allonym.language.rewording import (
    contractions,
    fillers,
    links,
    phrases,
    punctuation,
    small_words,
    spelling,
    turns,
    wording,
)
from allonym.language.rewording.edits import Edit as Edit
from allonym.language.rewording.edits import Kind as Kind
from allonym.language.rewording.edits import SentenceReader as SentenceReader

_RULES = (spelling, contractions, punctuation, phrases, small_words, links, turns, fillers, wording)


def possible(reader: SentenceReader) -> list[Edit]:
    """Return every edit that the rules know, in the order of the text; several may stand at one place.

    Examples:
        >>> text = "However, I can't definately say."
        >>> sorted(edit.apply(text) for edit in possible(SentenceReader(text)))
        ["But I can't definately say.", "However, I can't definitely say.", 'However, I cannot definately say.']
    """
    text = reader.text
    found = (edit.narrowed(text) for rule in _RULES for edit in rule.edits(reader))
    distinct = {(edit.start, edit.stop, edit.new): edit for edit in found if text[edit.start : edit.stop] != edit.new}
    return sorted(distinct.values(), key=lambda edit: (edit.start, edit.stop))
