"""Alerts of the caller's account."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

from api.alerts.errors import AlertIsResolved, NoSuchAlert
from api.alerts.raised.links import reading_url
from api.alerts.raised.repository import Act, AlertRecord, AlertRepository
from api.alerts.raised.schemas import (
    MAX_IDS,
    Alert,
    AlertCounts,
    AlertOutcome,
    AlertReading,
)
from api.alerts.repository import WatchedToken
from api.http.times import timestamp
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import ALERT_TYPES, RULES_OF_PLAN
from warehouse.domain.chains import Chains

_MOST_OPEN: Final = 4 * max(RULES_OF_PLAN.values())
"""A rule has one open alert at most; after a downgrade there may be more rules than the plan allows."""


@dataclass(frozen=True, slots=True)
class AlertService:
    """See the module.

    Args:
        public_url: of the API, for links to readings.
    """

    repository: AlertRepository
    chains: Chains
    public_url: str

    async def active(self, account_id: UUID, token: WatchedToken | None) -> list[Alert]:
        """Alerts whose breach lasts, acknowledged or not."""
        found = await self.repository.alerts(account_id, open=True, token=token, limit=_MOST_OPEN)
        return [self._rendered(alert) for alert in found]

    async def history(self, account_id: UUID, token: WatchedToken | None, limit: int, offset: int) -> list[Alert]:
        """A page of all alerts, newest first."""
        found = await self.repository.alerts(account_id, token=token, limit=limit, offset=offset)
        return [self._rendered(alert) for alert in found]

    async def summary(self, account_id: UUID) -> AlertCounts:
        """How many there are, by status."""
        counts = await self.repository.counts(account_id)
        total = counts.active + counts.acknowledged + counts.resolved
        return AlertCounts(
            active=counts.active, acknowledged=counts.acknowledged, resolved=counts.resolved, total=total
        )

    async def act(self, account_id: UUID, act: Act, id: UUID) -> Alert:
        """Acknowledge or resolve an alert. Safe to repeat.

        Raises:
            NoSuchAlert: the account has none with this id.
            AlertIsResolved: it cannot be acknowledged any more.
        """
        await self.repository.act(account_id, act, [id])
        found = await self.repository.alerts(account_id, ids=[id], limit=1)
        if not found:
            raise NoSuchAlert
        if act == "acknowledge" and found[0].status == "resolved":
            raise AlertIsResolved
        return self._rendered(found[0])

    async def act_on_all(self, account_id: UUID, act: Act, ids: Sequence[str]) -> list[AlertOutcome]:
        """Acknowledge or resolve up to a hundred alerts, with an answer for each."""
        known = {text: id for text in ids if (id := _uuid(text)) is not None}
        await self.repository.act(account_id, act, list(known.values()))
        found = await self.repository.alerts(account_id, ids=list(known.values()), limit=MAX_IDS)
        statuses = {alert.id: alert.status for alert in found}
        return [_outcome(text, act, statuses.get(known[text]) if text in known else None) for text in ids]

    def _rendered(self, row: AlertRecord) -> Alert:
        chain = self.chains.by_id(row.chain_id)
        readings = [(row.metric_value, row.read_at)]
        if row.earlier_value is not None and row.earlier_read_at is not None:
            readings.append((row.earlier_value, row.earlier_read_at))
        return Alert(
            id=str(row.id),
            rule_id=str(row.rule_id),
            symbol=row.symbol,
            chain_id=chain.caip2 if chain else f"eip155:{row.chain_id}",
            chain=chain.key if chain else str(row.chain_id),
            token_address=checksum_address(row.token_address),
            alert_type=row.alert_type,
            status=row.status,
            severity=row.severity,
            metric_value=_decimal(row.metric_value),
            threshold_value=row.threshold,
            threshold_operator=row.operator,
            time_window_minutes=row.window_minutes,
            readings=[
                AlertReading(
                    value=_decimal(value),
                    read_at=timestamp(at),
                    mart=ALERT_TYPES[row.alert_type].mart,
                    url=reading_url(self.public_url, chain, row.alert_type, row.symbol, row.token_address, at),
                )
                for value, at in readings
            ],
            triggered_at=timestamp(row.triggered_at),
            acknowledged_at=_moment(row.acknowledged_at),
            resolved_at=_moment(row.resolved_at),
            resolved_reason=row.resolved_reason,
            notification_sent=row.notification_sent,
        )


def _outcome(id: str, act: Act, status: str | None) -> AlertOutcome:
    if status is None:
        return AlertOutcome(id=id, success=False, error=NoSuchAlert.text)
    if act == "acknowledge" and status == "resolved":
        return AlertOutcome(id=id, success=False, status=status, error=AlertIsResolved.text)
    return AlertOutcome(id=id, success=True, status=status)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _decimal(value: float) -> Decimal:
    return Decimal(repr(value))


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else timestamp(moment)
