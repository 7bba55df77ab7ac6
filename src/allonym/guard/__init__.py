"""The guard: what a rewrite changed that matters, sentence by sentence: facts, notes, denials, who did what."""

from __future__ import annotations

from allonym.guard.comparing import compare as compare
from allonym.guard.report import Alteration as Alteration
from allonym.guard.report import GuardReport as GuardReport
from allonym.guard.report import Span as Span
