"""The life of a registration: grace period, status, levels of its heartbeat, and when it may expire.

Scores are heartbeat scores from 0 to 100. SQL statements take these values as parameters.
"""

from datetime import datetime, timedelta
from decimal import Decimal
from enum import IntEnum, StrEnum

GRACE_PERIOD = timedelta(days=30)
"""A new registration is safe for this long, whatever its score."""
RESERVED_FOR = timedelta(days=7)
"""How long a symbol stays reserved for the challenger's token after an upheld challenge ended the registration."""
HEALTHY_FROM = Decimal(80)
WARNING_BELOW = Decimal(70)
CRITICAL_BELOW = Decimal(62)
INACTIVE_BELOW = Decimal(60)
EXPIRY_MIN_SCORED = Decimal("0.9")
"""The share of the hours that must have a score before a registration can expire as inactive."""


class HeartbeatStatus(StrEnum):
    """The status of a heartbeat score."""

    GRACE_PERIOD = "grace_period"
    HEALTHY = "healthy"
    MODERATE = "moderate"
    AT_RISK = "at_risk"
    INACTIVE = "inactive"


class RiskLevel(StrEnum):
    """How low a score at risk is."""

    CRITICAL = "critical"
    WARNING = "warning"


RISK_LEVELS = {
    RiskLevel.CRITICAL: (Decimal(0), CRITICAL_BELOW),
    RiskLevel.WARNING: (CRITICAL_BELOW, WARNING_BELOW),
}
"""Levels of the scores at risk: the lowest score of each, and the score that ends it."""
_HEARTBEAT_STATUSES = (
    (HEALTHY_FROM, HeartbeatStatus.HEALTHY),
    (WARNING_BELOW, HeartbeatStatus.MODERATE),
    (INACTIVE_BELOW, HeartbeatStatus.AT_RISK),
)


class SymbolStatus(IntEnum):
    """The status of a symbol on a chain. The values rank search results."""

    AVAILABLE = 0
    UNCLAIMED = 1
    GRACE_PERIOD = 2
    CLAIMED = 3
    OWNED = 4
    INACTIVE = 5

    @property
    def text(self) -> str:
        """The name on the wire."""
        return self.name.lower()


def in_grace_period(minted_at: datetime | None, now: datetime) -> bool:
    """Whether a registration minted then is in its grace period."""
    return minted_at is not None and minted_at > grace_cutoff(now)


def grace_cutoff(now: datetime) -> datetime:
    """Registrations minted after this time are in their grace period."""
    return now - GRACE_PERIOD


def heartbeat_status(score: Decimal, *, in_grace: bool) -> HeartbeatStatus:
    """The status of a score."""
    if in_grace:
        return HeartbeatStatus.GRACE_PERIOD
    return next((status for lowest, status in _HEARTBEAT_STATUSES if score >= lowest), HeartbeatStatus.INACTIVE)


def registration_status(
    minted_at: datetime | None, score: Decimal | None, now: datetime, *, owned: bool = False
) -> SymbolStatus:
    """The status of a registration that has not ended. ``owned``: the caller owns it and our factory made its token."""
    if in_grace_period(minted_at, now):
        return SymbolStatus.GRACE_PERIOD
    if score is not None and score < INACTIVE_BELOW:
        return SymbolStatus.INACTIVE
    return SymbolStatus.OWNED if owned else SymbolStatus.CLAIMED


def expiry_min_hours(days: int) -> int:
    """How many scored hours a registration needs within ``days`` days before it can expire as inactive."""
    return int(24 * days * EXPIRY_MIN_SCORED)
