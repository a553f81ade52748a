"""From when on something is worth telling: the figures that events are made by, all in one place."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from pipelines.rules import MARKET
from warehouse.domain.lifecycle import CRITICAL_BELOW, GRACE_PERIOD, HEALTHY_FROM, INACTIVE_BELOW, WARNING_BELOW


@dataclass(frozen=True, slots=True)
class EventRules:
    """Thresholds of the events that chains make true."""

    significant_percent: int = 1
    """A wallet is a significant holder from this much of the supply on."""
    concentration_percent: int = 20
    """More than this much of the supply in one wallet is told."""
    milestones: tuple[int, ...] = tuple(10**digits for digits in range(1, 13))
    """Numbers of holders worth telling."""
    large_trade_usd: Decimal = Decimal(10_000)
    """A trade above this is large, whatever is traded beside it."""
    large_trade_share: Decimal = Decimal("0.05")
    """Likewise one above this share of what was traded in 24 hours, itself included."""
    least_depth_usd: Decimal = MARKET.min_depth_usd
    """Trades in pools that hold less of the quote asset are not told: their prices are not believed either."""
    healthy_score: Decimal = HEALTHY_FROM
    warning_score: Decimal = WARNING_BELOW
    critical_score: Decimal = CRITICAL_BELOW
    inactive_score: Decimal = INACTIVE_BELOW
    least_coverage: Decimal = Decimal("0.9")
    """Of a day less observed than this nothing is told: a gap in the data is no change."""
    grace: timedelta = GRACE_PERIOD
    """How long the status of a new registration is grace_period, whatever its score."""
    sightings_at_once: int = 50
    """How many copies one event tells of."""


RULES = EventRules()
