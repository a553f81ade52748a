"""Recording what was done to an account: in its audit log and as events, in the transaction that does it.

The audit log holds the data of the events, so it has what subscribers get, and no secrets: a key is named by its id and
its public prefix, a session by its id.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID, uuid4

from api.outbound.destinations import Address
from api.security.callers import WalletSession
from warehouse import event_log, postgres
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.accounts import AccountEvent
from warehouse.domain.events.event import Occurrence, given, of_account
from warehouse.postgres import Connection
from warehouse.store import Transaction

_RECORD: Final = "audit/record"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something to an account.

    Args:
        wallet: of a session, the wallet that signed in first.
        address: of the client, where it is known.
    """

    kind: Literal["session", "operator", "service"]
    wallet: str | None = None
    session_id: UUID | None = None
    address: Address | None = None

    @classmethod
    def of(cls, session: WalletSession, address: Address | None) -> "Actor":
        """A session's client."""
        return cls("session", session.wallet, session.session_id, address)

    @property
    def members(self) -> dict[str, Any]:
        """The members of an event's data that say who acted."""
        return {
            "actor": self.kind,
            "wallet": given(None if self.wallet is None else checksum_address(self.wallet)),
            "client_ip": given(None if self.address is None else str(self.address)),
        }


OPERATOR: Final = Actor("operator")
SERVICE: Final = Actor("service")


@dataclass(frozen=True, slots=True)
class Action:
    """Something done to an account.

    Args:
        event: what was done; also recorded in the event log.
        key_id: the key that it is about.
    """

    account_id: UUID
    actor: Actor
    event: AccountEvent
    at: datetime
    key_id: UUID | None = None


async def record(transaction: Transaction, *actions: Action) -> None:
    """Append actions to the audit log and to the event log."""
    if actions:
        await transaction.execute(_RECORD, {"entries": _entries(actions)})
        await transaction.execute(event_log.STATEMENT, event_log.parameters(_occurrences(actions)))


def record_now(connection: Connection, *actions: Action) -> None:
    """The same over a connection of a command."""
    postgres.run(connection, _RECORD, {"entries": _entries(actions)})
    postgres.run(connection, event_log.STATEMENT, event_log.parameters(_occurrences(actions)))


def _entries(actions: Iterable[Action]) -> str:
    rows = [
        {
            "account_id": action.account_id,
            "action": action.event.type,
            "actor": action.actor.kind,
            "wallet": action.actor.wallet,
            "session_id": action.actor.session_id,
            "address": None if action.actor.address is None else str(action.actor.address),
            "key_id": action.key_id,
            "data": action.event,
            "created_at": action.at,
        }
        for action in actions
    ]
    return event_log.encode(rows)


def _occurrences(actions: Iterable[Action]) -> list[Occurrence]:
    # Each action is an event of its own, except where the event names what makes it unique.
    return [of_account(action.event, action.account_id, action=uuid4(), change=uuid4()) for action in actions]
