"""Heartbeats of registered tokens: scores that fall or recover, and changes of status."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Final

from warehouse.domain.events.event import member
from warehouse.domain.events.registrations import RegistrationEvent, Timestamp
from warehouse.domain.lifecycle import HeartbeatStatus

_STATUSES: Final[dict[str, Any]] = {"enum": list(HeartbeatStatus)}
Score = Annotated[Decimal, member("the heartbeat score, 0 to 100", 64.1)]


class HeartbeatWarning(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token's heartbeat score fell below the warning threshold."""

    type: ClassVar[str] = "heartbeat.warning"
    once_per: ClassVar[tuple[str, ...]] = ("hour",)
    score: Score
    threshold: Annotated[Decimal, member("the threshold it fell below", 70)]


class HeartbeatCritical(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token's heartbeat score fell to a critical level."""

    type: ClassVar[str] = "heartbeat.critical"
    once_per: ClassVar[tuple[str, ...]] = ("hour",)
    score: Score
    days_to_inactive: Annotated[int, member("whole days until the score falls below 60 if nothing happens", 3)]


class HeartbeatRecovered(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token's heartbeat score is healthy again."""

    type: ClassVar[str] = "heartbeat.recovered"
    once_per: ClassVar[tuple[str, ...]] = ("hour",)
    score: Score
    previous_score: Annotated[Decimal, member("the score before", 61.3)]


class HeartbeatChanged(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token's heartbeat status changed."""

    type: ClassVar[str] = "heartbeat.change"
    once_per: ClassVar[tuple[str, ...]] = ("hour",)
    previous_status: Annotated[str, member("the status before", "at_risk", **_STATUSES)]
    new_status: Annotated[str, member("the status now", "moderate", **_STATUSES)]
    current_score: Annotated[Decimal, member("the heartbeat score, 0 to 100", 74.2)]
    timestamp: Timestamp
