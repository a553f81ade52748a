"""Checks of holders, against the sums and against the chain."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass

import dagster as dg

from indexer.chains.errors import RpcError
from indexer.chains.kinds import AnySource, open_source
from indexer.chains.source import Holding
from pipelines.checks import violations_checks
from pipelines.locks import writer_paused
from pipelines.resources import Engines
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

_SAMPLE = 50
_WRITER_WAIT_SECONDS = 10.0

holder_checks = violations_checks(
    "agg_token_hour", "supply_equals_balances", "holders_equal_balances", "days_equal_hours"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A balance that differs from the chain's."""

    chain: str
    token: str
    wallet: str
    summed_raw: int
    chain_raw: int


@dg.asset_check(
    asset="agg_token_hour",
    name="balances_equal_chain",
    description="A sample of balances against balanceOf at the published block. Tokens whose balances change without "
    "transfers (rebasing ones) always differ.",
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
            # The sums belong to the published block only while nobody writes.
            with writer_paused(connections.store, chain, _WRITER_WAIT_SECONDS) as held:
                rows = postgres.run(connections.store, "ingestion/find_block", {"chain_id": chain.chain_id})
                if not held or not rows or rows[0]["unfinished"]:
                    unreadable.append(f"{chain.key}: nothing is published, or it is being written")
                    continue
                try:
                    with closing(open_source(chain, 10.0)) as source:
                        block = int(rows[0]["block_number"])
                        found, number = compare_balances(connections.warehouse, source, chain, block)
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
    warehouse: Warehouse, source: AnySource, chain: Chain, block: int, sample: int = _SAMPLE
) -> tuple[Sequence[Difference], int]:
    """Balances of a random sample of wallets against the chain at ``block``; the differences, and how many were
    compared (contracts that do not answer are left out)."""
    rows = warehouse.rows(sql.load("transforms/holders/balance_sample"), {"chain_id": chain.chain_id, "sample": sample})
    holdings = [Holding(bytes.fromhex(row["token_hex"]), bytes.fromhex(row["wallet_hex"])) for row in rows]
    differences: list[Difference] = []
    compared = 0
    for row, balance in zip(rows, source.balances(holdings, block), strict=True):
        if balance is None:
            continue
        compared += 1
        if balance != row["balance_raw"]:
            differences.append(
                Difference(chain.key, row["token_hex"], row["wallet_hex"], int(row["balance_raw"]), balance)
            )
    return differences, compared
