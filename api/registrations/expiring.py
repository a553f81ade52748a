"""Expires registrations that were inactive for long: finds them, and submits signed statements to the registry.

The chain decides; nothing is written here. A registration has expired once its registry's event is indexed.
Submitting a statement twice, or two statements for one registration, expires it once.
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from eth_account.signers.local import LocalAccount

from indexer.chains.evm.rpc import EvmClient
from indexer.contracts import registry
from indexer.contracts.sending import send
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.domain.lifecycle import INACTIVE_BELOW, expiry_min_hours, grace_cutoff
from warehouse.postgres import Connection

STATEMENT_SECONDS = 900
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


def find_inactive(
    store: Connection, warehouse: Warehouse, chain: Chain, *, days: int, now: datetime | None = None
) -> list[Inactive]:
    """Registrations of a chain whose heartbeat was below the threshold for ``days`` consecutive days after their grace
    period."""
    end = now or datetime.now(UTC)
    since = end - timedelta(days=days)
    rows = postgres.run(
        store,
        "registrations/list_inactive",
        {
            "chain_id": chain.chain_id,
            "inactive_below": INACTIVE_BELOW,
            "minted_before": grace_cutoff(since),
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


def expire(chain: Chain, signer: LocalAccount, payer: LocalAccount, found: Sequence[Inactive]) -> list[str]:
    """Sign and submit the expiry of each registration. Returns the hashes of the transactions.

    Raises:
        SendError: the chain refused one; those before it have expired.
        RpcError: the nodes do not answer.
    """
    client = EvmClient(chain, patience_seconds=_PATIENCE_SECONDS)
    contract = chain.contracts["registry"]
    try:
        hashes = []
        for one in found:
            statement = registry.ExpiryStatement(
                one.token_id, int(time.time()) + STATEMENT_SECONDS, secrets.randbits(256)
            )
            signature = registry.sign_expiry(signer, chain.chain_id, contract, statement)
            data = registry.expiry_calldata(statement, signature)
            receipt = send(client, payer, to=contract, data=data, what=f"the expiry of {one.symbol}")
            hashes.append(receipt.transaction_hash)
        return hashes
    finally:
        client.close()
