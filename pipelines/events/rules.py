"""The thresholds of events from chains."""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from pipelines.rules import MARKET
from warehouse.domain.lifecycle import CRITICAL_BELOW, GRACE_PERIOD, HEALTHY_FROM, INACTIVE_BELOW, WARNING_BELOW


@dataclass(frozen=True, slots=True)
class EventRules:
    """When something is an event."""

    significant_percent: int = 1
    """A wallet with at least this share of the supply is a significant holder."""
    concentration_percent: int = 20
    """More than this share of the supply in one wallet is an event."""
    milestones: tuple[int, ...] = tuple(10**digits for digits in range(1, 13))
    """Numbers of holders that are events."""
    large_trade_usd: Decimal = Decimal(10_000)
    """A trade above this is large, whatever the volume."""
    large_trade_share: Decimal = Decimal("0.05")
    """So is one above this share of the volume of 24 hours, itself included."""
    least_depth_usd: Decimal = MARKET.min_depth_usd
    """Trades in pools that hold less of the quote asset are no events: their prices are not trusted either."""
    healthy_score: Decimal = HEALTHY_FROM
    warning_score: Decimal = WARNING_BELOW
    critical_score: Decimal = CRITICAL_BELOW
    inactive_score: Decimal = INACTIVE_BELOW
    least_coverage: Decimal = Decimal("0.9")
    """Days observed less than this are not judged: a gap in the data is no change."""
    grace: timedelta = GRACE_PERIOD
    """How long the status of a new registration is grace_period, whatever its score."""
    max_sightings: int = 50
    """The most copies in one event."""


RULES = EventRules()
