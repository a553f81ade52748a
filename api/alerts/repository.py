"""Statements on alert rules. Every one names the account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from api.alerts.rules import Terms
from warehouse.domain.alerts import ALERT_TYPES, Operator
from warehouse.domain.chains import Chain
from warehouse.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class WatchedToken:
    """A token of a chain: ``address`` is the stored text. Null filters nothing."""

    chain: Chain
    address: str


@dataclass(frozen=True, slots=True)
class TokenStanding:
    """What a rule on a token may rest on."""

    symbol: str | None
    registered_symbol: str | None


@dataclass(frozen=True, slots=True)
class RuleRecord:
    """A rule. ``place``: its place among the account's rules that are as enabled as it is, from 1."""

    id: UUID
    wallet: str
    chain_id: int
    token_address: str
    symbol: str
    alert_type: str
    operator: str
    threshold: Decimal
    window_minutes: int
    cooldown_minutes: int
    enabled: bool
    channels: Sequence[str]
    revision: int
    place: int
    created_at: datetime
    updated_at: datetime

    @property
    def terms(self) -> Terms:
        """What it watches."""
        return Terms(
            ALERT_TYPES[self.alert_type],
            Operator(self.operator),
            self.threshold,
            self.window_minutes,
            self.cooldown_minutes,
            tuple(self.channels),
        )


class AlertRuleRepository:
    """See the module."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def standing(self, token: WatchedToken) -> TokenStanding:
        """Whether a token is indexed and registered."""
        found = await self.store.row("alerts/find_token", token_parameters(token), TokenStanding)
        assert found is not None  # noqa: S101 - the statement always has a row
        return found

    async def rules(self, account_id: UUID, token: WatchedToken | None = None) -> list[RuleRecord]:
        """The account's rules, oldest first; of one token if it is given."""
        return await self.store.rows(
            "alerts/list_rules", {"account_id": account_id, **token_parameters(token)}, RuleRecord
        )

    async def rule(self, account_id: UUID, id: UUID) -> RuleRecord | None:
        """One of the account's rules. There are few, and the place of each depends on the others."""
        return next((rule for rule in await self.rules(account_id) if rule.id == id), None)

    async def lock_account(self, transaction: Transaction, account_id: UUID) -> str | None:
        """Hold the account's row until the transaction ends; its plan. None: another request holds it."""
        row = await transaction.row("alerts/lock_account", {"account_id": account_id})
        return None if row is None else str(row["plan"])

    async def count(self, transaction: Transaction, account_id: UUID) -> int:
        """How many rules the account has."""
        row = await transaction.row("alerts/count_rules", {"account_id": account_id})
        assert row is not None  # noqa: S101 - a count always has a row
        return int(row["rules"])

    async def add(self, transaction: Transaction, rule: Mapping[str, Any]) -> UUID:
        """Add a rule; its id."""
        row = await transaction.row("alerts/add_rule", rule)
        assert row is not None  # noqa: S101 - it returns the row that it adds
        id: UUID = row["id"]
        return id

    async def change(
        self, transaction: Transaction, account_id: UUID, rule: RuleRecord, terms: Terms, enabled: bool
    ) -> bool:
        """Change a rule, unless it was changed or deleted since it was read: then the answer is false. What an
        evaluation found out about it before is not recorded any more."""
        wanted = {"id": rule.id, "account_id": account_id, "revision": rule.revision}
        changed = {**wanted, **terms.columns(), "enabled": enabled}
        return await transaction.row("alerts/change_rule", changed) is not None

    async def toggle(self, transaction: Transaction, account_id: UUID, id: UUID, covered: Sequence[str]) -> bool:
        """Switch a rule off, or on if its type is covered; false: the account has none that can be switched."""
        wanted = {"id": id, "account_id": account_id, "covered": list(covered)}
        return await transaction.row("alerts/toggle_rule", wanted) is not None

    async def delete(self, transaction: Transaction, account_id: UUID, id: UUID) -> bool:
        """Delete a rule; whether the account had it."""
        return await transaction.row("alerts/delete_rule", {"account_id": account_id, "id": id}) is not None


def token_parameters(token: WatchedToken | None) -> dict[str, Any]:
    """The parameters that narrow a statement to a token; None: to none."""
    if token is None:
        return {"chain_id": None, "address": None}
    return {"chain_id": token.chain.chain_id, "address": token.address}
