"""What must hold of holders: against the sums, and against the chain."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import dagster as dg
import msgspec

from indexer.chains.errors import RpcError
from indexer.chains.evm.rpc import EvmClient
from pipelines.checks import violations_checks
from pipelines.locks import writer_paused
from pipelines.resources import Engines
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

_SAMPLE = 50
_WRITER_WAIT_SECONDS = 10.0
_BALANCE_OF = "70a08231"

holder_checks = violations_checks(
    "agg_token_hour", "supply_equals_balances", "holders_equal_balances", "days_equal_hours"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A balance that is not what the chain says."""

    chain: str
    token: str
    wallet: str
    summed_raw: int
    chain_raw: int


@dg.asset_check(
    asset="agg_token_hour",
    name="balances_equal_chain",
    description="A sample of balances against balanceOf at the published block. Tokens whose balances change without "
    "transfers (rebasing ones) differ by nature.",
)
def balances_equal_chain(engines: Engines) -> dg.AssetCheckResult:
    """Sample balances on every chain with a node."""
    compared = 0
    differences: list[Difference] = []
    unreadable: list[str] = []
    with engines.connect() as connections:
        for chain in connections.chains.enabled():
            if not chain.can_index:
                continue
            # The sums are those of the published block only while nobody writes.
            with writer_paused(connections.store, chain, _WRITER_WAIT_SECONDS) as held:
                rows = connections.store.execute(
                    "SELECT block_number FROM chain_checkpoint WHERE chain_id = %s AND pending IS NULL",
                    (chain.chain_id,),
                ).fetchall()
                if not held or not rows or rows[0]["block_number"] is None:
                    unreadable.append(f"{chain.key}: nothing is published, or it is being written")
                    continue
                try:
                    with closing(EvmClient(chain, patience_seconds=10)) as client:
                        block = int(rows[0]["block_number"])
                        found, number = compare_balances(connections.warehouse, client, chain, block)
                except RpcError as error:
                    unreadable.append(f"{chain.key}: {error}")
                    continue
            compared += number
            differences += found
    return dg.AssetCheckResult(
        passed=not differences,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={
            "compared": compared,
            "differences": len(differences),
            "first": "\n".join(map(str, differences[:10])) or "none",
            "unreadable": "; ".join(unreadable) or "none",
        },
    )


def compare_balances(
    warehouse: Warehouse, client: EvmClient, chain: Chain, block: int, sample: int = _SAMPLE
) -> tuple[Sequence[Difference], int]:
    """Balances of a random sample of wallets against the chain at ``block``; the differences, and how many were
    compared (contracts that do not answer are left out)."""
    rows = warehouse.rows(sql.load("transforms/holders/balance_sample"), {"chain_id": chain.chain_id, "sample": sample})
    calls = [
        (
            "eth_call",
            [{"to": f"0x{row['token_hex']}", "data": f"0x{_BALANCE_OF}{row['wallet_hex']:0>64}"}, hex(block)],
        )
        for row in rows
    ]
    differences: list[Difference] = []
    compared = 0
    for row, answer in zip(rows, client.many(calls), strict=True):
        if isinstance(answer, RpcError):
            continue
        text = msgspec.json.decode(answer)
        if not isinstance(text, str) or len(text) != 66:
            continue
        compared += 1
        if int(text, 16) != row["balance_raw"]:
            differences.append(
                Difference(chain.key, row["token_hex"], row["wallet_hex"], int(row["balance_raw"]), int(text, 16))
            )
    return differences, compared
