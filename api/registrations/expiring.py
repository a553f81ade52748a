"""Expires registrations that were inactive for long: announces their end in the registry, and executes it when due.

The chain decides; nothing is written here. Each pass reads from the registry how far each registration is and makes the
next step only, so a pass may be killed at any instant and repeated. A registration that recovered while its end was
announced keeps it: the announcement is withdrawn.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from eth_account.signers.local import LocalAccount

from indexer.chains.evm.rpc import EvmClient
from indexer.contracts.ending import End, announce_end, chain_time, execute_end, read_ends, withdraw_end
from indexer.contracts.registry import Reason
from indexer.contracts.signer import Signer
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.domain.lifecycle import INACTIVE_BELOW, expiry_min_hours, grace_cutoff
from warehouse.domain.registrations import END_REASONS
from warehouse.postgres import Connection

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Inactive:
    """A registration that was inactive throughout; ``highest`` is the highest score of its ``hours`` scored hours."""

    token_id: int
    symbol: str
    owner: str
    token_address: str
    hours: int
    highest: float


@dataclass(frozen=True, slots=True)
class Step:
    """What a pass did about a registration.

    Attributes:
        step: ``waiting`` until the end is due, ``objected`` until the guardian confirms or stops it.
        transaction: the hash of the transaction that made the step; None where there was nothing to do.
        due_at: when the announced end takes effect at the earliest, in seconds of chain time.
    """

    token_id: int
    step: Literal["announced", "waiting", "objected", "ended", "withdrawn"]
    transaction: str | None
    due_at: int | None = None


def find_inactive(
    store: Connection, warehouse: Warehouse, chain: Chain, *, days: int, now: datetime | None = None
) -> list[Inactive]:
    """Registrations of a chain whose heartbeat was below the threshold for ``days`` consecutive days after their grace
    period. Those whose announced end was stopped within that time are left out."""
    end = now or datetime.now(UTC)
    since = end - timedelta(days=days)
    rows = postgres.run(
        store,
        "registrations/list_inactive",
        {
            "chain_id": chain.chain_id,
            "inactive_below": INACTIVE_BELOW,
            "minted_before": grace_cutoff(since),
            "stopped_before": since,
        },
    )
    if not rows:
        return []
    found = warehouse.rows(
        sql.load("queries/heartbeats/inactive_throughout"),
        {
            "chain_id": chain.chain_id,
            "tokens": [row["token_address"].removeprefix("0x") for row in rows],
            "since": int(since.timestamp()),
            "inactive_below": INACTIVE_BELOW,
            "least_hours": expiry_min_hours(days),
        },
    )
    throughout = {f"0x{row['token']}": row for row in found}
    return [
        Inactive(
            row["token_id"],
            row["symbol"],
            row["owner"],
            row["token_address"],
            throughout[row["token_address"]]["hours"],
            throughout[row["token_address"]]["highest"],
        )
        for row in rows
        if row["token_address"] in throughout
    ]


def find_announced(store: Connection, chain: Chain) -> list[int]:
    """Token ids whose expiry is announced, as far as the chain is indexed."""
    parameters = {"chain_id": chain.chain_id, "reason": END_REASONS[Reason.INACTIVE]}
    return [row["token_id"] for row in postgres.run(store, "registrations/list_pending_ends", parameters)]


def advance(
    chain: Chain, signer: Signer, payer: LocalAccount, inactive: Sequence[int], announced: Sequence[int]
) -> Iterator[Step]:
    """Make the next step of every registration, one after the other: announce the end of those that are inactive,
    execute what is due, and withdraw what was announced of those that are no longer inactive.

    Raises:
        SendError: the chain refused a step; those before it were made.
        SignerUnavailable: the remote signer did not sign.
        RpcError: the nodes do not answer.
    """
    client = EvmClient(chain, patience_seconds=_PATIENCE_SECONDS)
    registry = chain.contracts["registry"]
    try:
        ends = read_ends(client, registry, sorted({*inactive, *announced}))
        now = chain_time(client)
        for token_id in inactive:
            end = ends.get(token_id)
            if end is None:
                sent = announce_end(
                    client, registry=registry, token_id=token_id, reason=Reason.INACTIVE, signer=signer, payer=payer
                )
                if sent is not None:  # otherwise the registration has ended, and the index lags behind
                    yield Step(token_id, "announced", sent)
            elif end.reason is Reason.INACTIVE and end.is_due(now):
                sent = execute_end(client, registry=registry, token_id=token_id, payer=payer)
                yield Step(token_id, "ended", sent)
            else:
                yield _waiting(token_id, end)
        for token_id in sorted(set(announced) - set(inactive)):
            if (end := ends.get(token_id)) and end.reason is Reason.INACTIVE:
                sent = withdraw_end(client, registry=registry, token_id=token_id, signer=signer, payer=payer)
                yield Step(token_id, "withdrawn", sent)
    finally:
        client.close()


def _waiting(token_id: int, end: End) -> Step:
    waits_for_guardian = end.objected and not end.confirmed
    return Step(token_id, "objected" if waits_for_guardian else "waiting", None, end.due_at)
