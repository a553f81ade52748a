"""The catalogue: every type of event that can be subscribed to."""

from collections.abc import Mapping

from warehouse.domain.events import (
    accounts,
    alerts,
    challenges,
    communities,
    copies,
    deals,
    heartbeats,
    holders,
    registrations,
    trades,
)
from warehouse.domain.events.event import Event

_ALL: tuple[type[Event], ...] = (
    registrations.TokenMinted,
    registrations.TokenReleased,
    registrations.TokenExpired,
    registrations.TokenSettled,
    registrations.EndAnnounced,
    registrations.EndObjected,
    registrations.EndStopped,
    copies.CopycatDetected,
    challenges.ChallengeUpheld,
    challenges.ChallengeRejected,
    challenges.ChallengeDecided,
    heartbeats.HeartbeatWarning,
    heartbeats.HeartbeatCritical,
    heartbeats.HeartbeatRecovered,
    heartbeats.HeartbeatChanged,
    holders.HolderNew,
    trades.LargeTrade,
    holders.ConcentrationAlert,
    holders.MilestoneReached,
    registrations.ProfileUpdated,
    alerts.AlertTriggered,
    alerts.AlertAcknowledged,
    alerts.AlertResolved,
    accounts.SubscriptionUpgraded,
    accounts.SubscriptionDowngraded,
    accounts.UsageThreshold,
    accounts.QuotaWarning,
    accounts.QuotaExceeded,
    communities.CommunityMemberJoined,
    communities.CommunityMemberLeft,
    communities.InterestExpressed,
    deals.DealCreated,
    deals.DealAccepted,
    deals.DealRejected,
    deals.DealCancelled,
    deals.DealCompleted,
    deals.DealFailed,
    communities.AutofixFailed,
)

EVENTS: Mapping[str, type[Event]] = {event.type: event for event in _ALL}
"""Every type of event that can be subscribed to, by name, in the order in which they are listed."""
