"""Statements on alerts. Every one names the account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal
from uuid import UUID

from api.alerts.repository import WatchedToken, token_parameters
from api.store import events
from warehouse.domain.events.alerts import AlertAcknowledged, AlertResolved, alert_members
from warehouse.domain.events.event import of_account
from warehouse.store import Store, Transaction

Act = Literal["acknowledge", "resolve"]
_STATEMENTS: Final[Mapping[Act, str]] = {"acknowledge": "alerts/acknowledge", "resolve": "alerts/resolve"}


@dataclass(frozen=True, slots=True)
class AlertRecord:
    """An alert, with what its rule said when it fired and the readings that it rests on."""

    id: UUID
    rule_id: UUID
    chain_id: int
    token_address: str
    symbol: str
    alert_type: str
    operator: str
    threshold: Decimal
    window_minutes: int
    status: str
    severity: str
    metric_value: float
    read_at: datetime
    earlier_value: float | None
    earlier_read_at: datetime | None
    triggered_at: datetime
    acknowledged_at: datetime | None
    resolved_at: datetime | None
    resolved_reason: str | None
    notification_sent: bool


@dataclass(frozen=True, slots=True)
class DealtWith:
    """An alert whose status an owner has changed."""

    id: UUID
    wallet: str
    alert_type: str
    symbol: str
    happened_at: datetime


@dataclass(frozen=True, slots=True)
class Counts:
    """How many alerts there are, by status."""

    active: int
    acknowledged: int
    resolved: int


class AlertRepository:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def alerts(
        self,
        account_id: UUID,
        *,
        open: bool = False,
        token: WatchedToken | None = None,
        ids: Sequence[UUID] | None = None,
        limit: int,
        offset: int = 0,
    ) -> list[AlertRecord]:
        """Alerts, newest first: open ones only, of one token, or those with some ids."""
        wanted = {
            "account_id": account_id,
            "open": open,
            **token_parameters(token),
            "ids": None if ids is None else list(ids),
            "limit": limit,
            "offset": offset,
        }
        return await self.store.rows("alerts/list_alerts", wanted, AlertRecord)

    async def counts(self, account_id: UUID) -> Counts:
        """How many there are."""
        found = await self.store.row("alerts/summarize", {"account_id": account_id}, Counts)
        assert found is not None  # noqa: S101 - a count always has a row
        return found

    async def act(self, account_id: UUID, act: Act, ids: Sequence[UUID]) -> None:
        """Acknowledge or resolve alerts; those that are already are left as they are. Each change is recorded with its
        event."""
        async with self.store.transaction() as transaction:
            wanted = {"account_id": account_id, "ids": list(ids)}
            changed = await transaction.rows(_STATEMENTS[act], wanted, DealtWith)
            await record_changes(transaction, account_id, act, changed)


async def resolve_of_rule(transaction: Transaction, account_id: UUID, rule_id: UUID) -> None:
    """Resolve the open alert of a rule that is changed or deleted, if it has one."""
    wanted = {"account_id": account_id, "rule_id": rule_id}
    await record_changes(
        transaction, account_id, "resolve", await transaction.rows("alerts/resolve_of_rule", wanted, DealtWith)
    )


async def record_changes(transaction: Transaction, account_id: UUID, act: Act, changed: Sequence[DealtWith]) -> None:
    """Record the events of alerts that were acknowledged or resolved."""
    for one in changed:
        about = alert_members(one.id, one.wallet, one.alert_type, one.symbol, one.happened_at)
        event = AlertAcknowledged(**about) if act == "acknowledge" else AlertResolved(**about, reason="manual")
        await events.record(transaction, of_account(event, account_id))
