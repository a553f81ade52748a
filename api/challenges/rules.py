"""How a challenge is decided: a pure function of what the two tokens weighed at the mint and when it was opened.

A challenge is upheld if, at both hours, the challenger was established, senior to the registered token, and heavier
than half of it. The weights are those of the copy rule, from stored hourly depths: the same challenge is decided alike
whenever and however often it is decided. See docs/decisions/0034-challenges.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from api.http.times import timestamp
from warehouse.domain.copies import CopyRules
from warehouse.domain.lifecycle import GRACE_PERIOD

HOUR = timedelta(hours=1)


class Check(StrEnum):
    """Why a challenge fails, or cannot be decided by rules."""

    SAME_TOKEN = "same_token"  # noqa: S105 - not a secret
    OWN_REGISTRATION = "own_registration"
    SOLD = "sold"
    OTHER_SYMBOL = "other_symbol"
    MIGRATION = "migration"
    NOT_ESTABLISHED = "not_established"
    NOT_SENIOR = "not_senior"
    OUTWEIGHED = "outweighed"
    NO_HISTORY = "no_history"
    UNKNOWN_ORDER = "unknown_order"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two tokens at an hour.

    Args:
        weight_usd: what its pools held for six sevenths of the window.
        is_established: whether it had the weight of an established token then, or within 30 days before.
        since: the hour in which its present run of depth began; None without depth.
    """

    weight_usd: Decimal
    is_established: bool
    since: datetime | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both tokens at one hour. ``challenger_is_senior`` is None where their order is not known."""

    hour: datetime
    challenger: Side
    registered: Side
    challenger_is_senior: bool | None

    def failure(self, rules: CopyRules) -> Check | None:
        """Why the challenger has no better right to the symbol at this hour, or None."""
        if not self.challenger.is_established:
            return Check.NOT_ESTABLISHED
        if self.challenger_is_senior is False:
            return Check.NOT_SENIOR
        # A challenger that weighs nothing now, having sold its pool, outweighs nobody.
        if self.registered.weight_usd * rules.copy_share >= self.challenger.weight_usd:
            return Check.OUTWEIGHED
        return None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a challenge is decided by. ``at_mint`` is None where the index does not reach back to the mint."""

    at_mint: Comparison | None
    at_opening: Comparison
    is_migration: bool = False

    def as_json(self) -> dict[str, Any]:
        """The figures as the store keeps them and answers show them."""
        mint = None if self.at_mint is None else _comparison(self.at_mint)
        return {"atMint": mint, "atOpening": _comparison(self.at_opening), "isMigration": self.is_migration}


@dataclass(frozen=True, slots=True)
class Decision:
    """The outcome. ``upheld`` is None where rules cannot decide; ``check`` names what failed or is missing."""

    upheld: bool | None
    reason: str
    check: Check | None = None


_REASONS: Mapping[Check, str] = {
    Check.MIGRATION: "The registered token is a migration of the challenger's token.",
    Check.NOT_ESTABLISHED: "The challenger's token was not established {when}.",
    Check.NOT_SENIOR: "The challenger's token was not senior to the registered token {when}.",
    Check.OUTWEIGHED: "The registered token weighed at least twice as much as the challenger's token {when}.",
    Check.NO_HISTORY: "The weights at the mint are not known: the index does not reach back to it.",
    Check.UNKNOWN_ORDER: "It is not known which of the two tokens had a market first.",
}


def decide(evidence: Evidence, rules: CopyRules) -> Decision:
    """Whether the challenge is upheld."""
    if evidence.is_migration:
        return _rejected(Check.MIGRATION, "")
    for comparison, when in ((evidence.at_opening, "when it was opened"), (evidence.at_mint, "at the mint")):
        failure = None if comparison is None else comparison.failure(rules)
        if failure is not None:
            return _rejected(failure, when)
    if evidence.at_mint is None:
        return Decision(None, _REASONS[Check.NO_HISTORY], Check.NO_HISTORY)
    mint, now = evidence.at_mint, evidence.at_opening
    if mint.challenger_is_senior is None or now.challenger_is_senior is None:
        return Decision(None, _REASONS[Check.UNKNOWN_ORDER], Check.UNKNOWN_ORDER)
    since = "" if mint.challenger.since is None else f" since {mint.challenger.since:%Y-%m-%d %H:%M} UTC"
    return Decision(
        True,
        f"The challenger's token has had a market{since}. It weighed {_usd(mint.challenger)} USD at the mint and "
        f"{_usd(now.challenger)} USD when the challenge was opened; the registered token weighed "
        f"{_usd(mint.registered)} USD and {_usd(now.registered)} USD.",
    )


def hour_before(moment: datetime) -> datetime:
    """The last full hour before a moment."""
    return hour_of(moment) - HOUR


def hour_of(moment: datetime) -> datetime:
    """The hour that holds a moment."""
    return moment.replace(minute=0, second=0, microsecond=0)


def is_open_to_challenges(minted_at: datetime, now: datetime) -> bool:
    """Whether a registration is in the grace period, in which it can be challenged."""
    return now < minted_at + GRACE_PERIOD


def _rejected(check: Check, when: str) -> Decision:
    return Decision(False, _REASONS[check].format(when=when), check)


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "hour": timestamp(comparison.hour),
        "challenger": _side(comparison.challenger),
        "registered": _side(comparison.registered),
        "challengerIsSenior": comparison.challenger_is_senior,
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "weightUsd": format(side.weight_usd, "f"),
        "isEstablished": side.is_established,
        "seniorSince": None if side.since is None else timestamp(side.since),
    }


def _usd(side: Side) -> str:
    return format(int(side.weight_usd), "d")
