"""Checks of holders, against the sums and against the chain."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import Any

import dagster as dg

from indexer.chains.errors import RpcError
from indexer.chains.kinds import AnySource, open_source
from indexer.chains.source import Holding
from pipelines.checks.asset_checks import violations_table
from pipelines.checks.check import Check, Stops
from pipelines.checks.parts import Scope
from pipelines.holders.derive import SUBJECT
from pipelines.locks import writer_paused
from pipelines.resources import Connections, Engines
from pipelines.windows import read_checkpoint
from warehouse import postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain

_SAMPLE = 50
_WRITER_WAIT_SECONDS = 10.0

_LOOKED_AT = 200_000
_MOST_HOLDERS = 100_000


def _counted(connections: Connections, chain: Chain) -> Mapping[str, Any]:
    """The last change that holder counts know of. Counting a token with many holders again after each of its changes
    would cost more than the change: it waits for the pass through the history."""
    checkpoint = read_checkpoint(connections.store, SUBJECT, chain.chain_id)
    return {"counted_up_to": checkpoint.change_id, "most_holders": _MOST_HOLDERS}


HOLDER_CHECKS = (
    Check(name="supply_equals_balances", asset="agg_token_hour", scope=Scope.TOKENS, stops=Stops.PUBLICATION),
    Check(
        name="holders_equal_balances",
        asset="agg_token_hour",
        scope=Scope.TOKENS,
        stops=Stops.PUBLICATION,
        parameters=_counted,
    ),
    Check(name="days_equal_hours", asset="agg_token_hour", scope=Scope.TOKENS, stops=Stops.NOTHING),
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
    metadata: dict[str, Any] = {
        "compared": compared,
        "differences": len(differences),
        "unreadable": "; ".join(unreadable) or "none",
    }
    if differences:
        metadata["rows"] = violations_table([asdict(difference) for difference in differences])
    return dg.AssetCheckResult(passed=not differences, severity=dg.AssetCheckSeverity.WARN, metadata=metadata)


def compare_balances(
    warehouse: Warehouse, source: AnySource, chain: Chain, block: int, sample: int = _SAMPLE
) -> tuple[Sequence[Difference], int]:
    """Balances of a random sample of wallets against the chain at ``block``; the differences, and how many were
    compared (contracts that do not answer are left out)."""
    chosen = {
        "chain_id": chain.chain_id,
        "sample": sample,
        "place": secrets.token_hex(2),
        "looked_at": max(sample, _LOOKED_AT),
    }
    rows = warehouse.rows(sql.load("transforms/holders/balance_sample"), chosen)
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
