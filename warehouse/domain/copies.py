"""Seniority and weight: what decides which of two tokens with the same symbol may be a copy of the other.

``docs/decisions/0033-copies-by-weight.md`` gives the reasons. :mod:`pipelines.copies` judges all tokens of a symbol
with these functions; a challenge compares two tokens with them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple

HOUR_SECONDS = 3_600
CopyRule = Literal["operator", "major", "registered", "senior"]
"""What makes a token a copy: an operator's ruling, a well-known coin, a registered or a senior established token."""


@dataclass(frozen=True, slots=True)
class CopyRules:
    """The thresholds; :meth:`warehouse.settings.EngineSettings.copy_rules` makes them from the settings."""

    established_usd: Decimal = Decimal(10_000)
    """A token is established if its window weight reached this within ``remembered_days``."""
    window_days: int = 7
    """The window weight is held for six sevenths of this many days."""
    remembered_days: int = 30
    """The highest window weight of this many days counts as the established weight."""
    gap_days: int = 30
    """A token keeps its seniority through this many days without depth."""
    settle_hours: int = 24
    """A token is no longer a copy once the rule has not held for this many hours in a row."""
    copy_share: Decimal = Decimal("0.5")
    """A token is a copy below this share of the established weight of a senior token."""

    @property
    def window_hours(self) -> int:
        """Length of the window."""
        return self.window_days * 24


class Creation(NamedTuple):
    """Where a token was created: its block, and its position among the creations of that block."""

    block: int
    position: int


@dataclass(frozen=True, slots=True)
class Standing:
    """What the stored weights say of a token at the end of an hour. The default is that of a token without depth."""

    held_usd: Decimal = Decimal(0)
    """Window weight."""
    established_usd: Decimal = Decimal(0)
    """Highest window weight of the last 30 days."""
    since: datetime | None = None
    """First hour of its present run of depth; None without one."""

    def since_named(self, named_at: datetime | None) -> "Standing":
        """The same with no seniority from before the token took its symbol: one that has long had depth under another
        name is not senior under this one. ``named_at`` is None for a token that was created with its symbol."""
        if self.since is None or named_at is None or named_at <= self.since:
            return self
        return replace(self, since=named_at)


def standing_at(
    weights: Mapping[datetime, Decimal], hour: datetime, history_from: datetime, rules: CopyRules
) -> Standing:
    """The standing of a token at the end of an hour, from its weights in USD by hour. Absent hours are zero.

    The window is the chain's history where that is shorter, never the token's own life. ``agg_token_weight`` holds the
    same, computed by ``weights/weigh``.
    """
    remembered = [hour - timedelta(hours=ago) for ago in range(rules.remembered_days * 24)]
    held = [_held(weights, moment, history_from, rules) for moment in remembered if moment >= history_from]
    since = before = None
    for moment in sorted(moment for moment, weight in weights.items() if weight > 0 and moment <= hour):
        if before is None or moment - before > timedelta(days=rules.gap_days):
            since = moment
        before = moment
    if before is None or hour - before > timedelta(days=rules.gap_days):
        since = None
    return Standing(held[0] if held else Decimal(0), max(held, default=Decimal(0)), since)


def _held(weights: Mapping[datetime, Decimal], hour: datetime, history_from: datetime, rules: CopyRules) -> Decimal:
    """The window weight at the end of an hour."""
    known = (hour - history_from) // timedelta(hours=1) + 1
    window = min(rules.window_hours, known)
    amounts = sorted((weights.get(hour - timedelta(hours=ago), Decimal(0)) for ago in range(window)), reverse=True)
    return amounts[needed_hours(window) - 1]


def needed_hours(hours: int) -> int:
    """For how many of ``hours`` (or seconds) something is held to count: six sevenths, rounded up."""
    return -(-hours * 6 // 7)


def is_established(standing: Standing, rules: CopyRules) -> bool:
    """Whether a token is established."""
    return standing.established_usd >= rules.established_usd


def is_senior(
    standing: Standing, creation: Creation | None, other: Standing, other_creation: Creation | None
) -> bool | None:
    """Whether a token is senior to another: it has had depth for longer, or for as long and was created earlier. None
    if their creations would decide and one of them is unknown."""
    if standing.since != other.since:
        return standing.since is not None and (other.since is None or standing.since < other.since)
    if creation is None or other_creation is None:
        return None
    return creation < other_creation


def is_lighter(standing: Standing, senior: Standing, rules: CopyRules) -> bool:
    """Whether a token weighs too little beside a senior established one, so that it is a copy of it."""
    return standing.held_usd < rules.copy_share * senior.established_usd


def is_unlike_registered(standing: Standing, registered: Standing) -> bool:
    """Whether a token junior to a registered one is a copy of it: it is lighter, or has no weight at all."""
    return standing.held_usd < registered.held_usd or standing.held_usd == 0
