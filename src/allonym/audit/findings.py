"""What an audit says: findings, each with its verdict and figures, and the one sentence on top.

An audit tries to prove a claimed loss wrong. It is handed laws, samplers or programs and the number that was claimed,
and never the code that computed the number: an error in a price cannot hide in its own check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from allonym.errors import ParameterError

# "holds": nothing speaks against the claim; "measured": nothing is claimed; "not audited": claimed, but not looked at.
Verdict = Literal["holds", "violated", "measured", "not audited"]

CONFIDENCE = 0.999
_MARKS = {"holds": "ok", "violated": "VIOLATED", "measured": "measured", "not audited": "NOT AUDITED"}


@dataclass(frozen=True)
class Finding:
    """What one check found."""

    check: str
    verdict: Verdict
    says: str
    figures: Mapping[str, Any] = field(default_factory=dict)  # the numbers behind it, as plain values
    tells: bool = False  # whether it shows that outputs tell something about inputs, be that allowed or not

    def __post_init__(self) -> None:
        if self.verdict not in get_args(Verdict):
            raise ParameterError(f"verdict must be one of {get_args(Verdict)}, got {self.verdict!r}.")

    @classmethod
    def of(
        cls, check: str, broken: bool, says: tuple[str, str], figures: Mapping[str, Any], *, tells: bool = False
    ) -> Finding:
        """Return what a check found that either holds or is broken; `says` has the sentence for each."""
        return cls(check, "violated" if broken else "holds", says[broken], figures, broken and tells)

    @classmethod
    def not_audited(cls, check: str, says: str) -> Finding:
        """Return that no check looked at what is claimed."""
        return cls(check, "not audited", says)

    def to_json(self) -> dict[str, Any]:
        """Return the finding as plain values."""
        return {"check": self.check, "verdict": self.verdict, "says": self.says, "figures": dict(self.figures)}


@dataclass(frozen=True, kw_only=True)
class Audit:
    """All that was found about one mechanism, method or program."""

    subject: str
    claim: str
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()  # what a reader must know besides, such as what the audit could not have seen

    @property
    def violations(self) -> tuple[Finding, ...]:
        """The findings that prove the claim wrong."""
        return tuple(finding for finding in self.findings if finding.verdict == "violated")

    @property
    def unaudited(self) -> tuple[Finding, ...]:
        """The findings that say what no check looked at."""
        return tuple(finding for finding in self.findings if finding.verdict == "not audited")

    @property
    def leaks(self) -> tuple[str, ...]:
        """The checks by which outputs tell something about inputs, where nothing at all is promised about that."""
        if any(finding.verdict != "measured" for finding in self.findings):
            return ()
        return tuple(dict.fromkeys(finding.check for finding in self.findings if finding.tells))

    @property
    def verdict(self) -> str:
        """The outcome in a sentence."""
        if self.violations:
            names = ", ".join(dict.fromkeys(finding.check for finding in self.violations))
            return f"{self.subject}: the claim is VIOLATED ({names})."
        if self.unaudited:
            names = ", ".join(dict.fromkeys(finding.check for finding in self.unaudited))
            return f"{self.subject}: NOT AUDITED ({names}): part of the claim was not looked at."
        if any(finding.verdict == "holds" for finding in self.findings):
            return f"{self.subject}: no check could prove the claim wrong."
        seen = f"it LEAKS ({', '.join(self.leaks)})" if self.leaks else "no check saw a leak"
        return f"{self.subject}: nothing is claimed, so there is no claim to check; {seen}."

    def to_json(self) -> dict[str, Any]:
        """Return the audit as plain values."""
        return {
            "subject": self.subject,
            "claim": self.claim,
            "violated": bool(self.violations),
            "not_audited": [finding.check for finding in self.unaudited],
            "leaks": list(self.leaks),
            "verdict": self.verdict,
            "findings": [finding.to_json() for finding in self.findings],
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        width = max((len(finding.check) for finding in self.findings), default=0)
        lines = [self.verdict, f"Claimed: {self.claim}", ""]
        lines += [
            f"  {_MARKS[finding.verdict]:>11}  {finding.check:<{width}}  {finding.says}" for finding in self.findings
        ]
        return "\n".join([*lines, *([""] if self.notes else []), *(f"Note: {note}" for note in self.notes)])
