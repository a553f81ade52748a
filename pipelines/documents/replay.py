"""Served holder counts against the transfers they come from: each is replayed up to the block that its row names."""

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.checks import parts
from pipelines.checks.parts import ALL_TOKENS, Part
from pipelines.documents.derive import SUBJECT
from pipelines.windows import read_checkpoint
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

SAMPLE = 1_000
_MOST_TRANSFERS = 1_000_000
_MOST_IN_ALL = 10_000_000


@dataclass(frozen=True, slots=True)
class ServedCount:
    """A served holder count, the block that it is true of, and what the transfers up to that block say."""

    token_hex: str
    as_of_block: int
    holders: int
    replayed: int


@dataclass(frozen=True, slots=True)
class Replay:
    """What a check compared. ``waiting`` are tokens whose served row is older than a reorganisation that touched them:
    the next refresh run writes it anew."""

    compared: Sequence[ServedCount]
    waiting: int

    @property
    def differences(self) -> list[ServedCount]:
        """The counts that are wrong."""
        return [count for count in self.compared if count.holders != count.replayed]


def replay_holders(
    warehouse: Warehouse, store: Connection, chain: Chain, *, tokens: Part = ALL_TOKENS, sample: int = SAMPLE
) -> Replay:
    """Compare the served holder counts of randomly chosen tokens, with ten million transfers at most. Indexer and
    refresh runs may go on meanwhile."""
    # First what the served rows know of at least, then the rows, then their transfers, then what changed since.
    seen = _seen_change(warehouse, store, chain)
    version = warehouse.scalar("SELECT max(version) FROM serve_publication")
    parameters = {"chain_id": chain.chain_id, "version": version, "sample": sample}
    parameters |= {"most": _MOST_TRANSFERS, "most_in_all": _MOST_IN_ALL, **tokens}
    sampled = warehouse.rows(parts.statement("transforms/documents/holders_sample"), parameters)
    served = {row["token"]: row for row in sampled}
    if not served:
        return Replay([], 0)
    asked = ",".join(f"{token}:{row['as_of_block']}" for token, row in served.items())
    found = warehouse.rows(
        sql.load("transforms/checks/holders_replayed"), {"chain_id": chain.chain_id, "tokens": asked}
    )
    replayed = {row["token_hex"]: row["holders"] for row in found}
    later = {"chain_id": chain.chain_id, "seen": seen, "tokens": ",".join(served)}
    newer = warehouse.rows(sql.load("transforms/documents/changed_since"), later)
    changed = {row["token"]: row["from_block"] for row in newer}
    compared = [
        ServedCount(token, row["as_of_block"], row["holders"], replayed.get(token, 0))
        for token, row in served.items()
        if token not in changed or changed[token] > row["as_of_block"]
    ]
    return Replay(compared, len(served) - len(compared))


def _seen_change(warehouse: Warehouse, store: Connection, chain: Chain) -> int:
    """The last change that the published documents know of. Those of a run that has not published yet may know more."""
    details = read_checkpoint(store, SUBJECT, chain.chain_id).details
    published = warehouse.scalar("SELECT max(version) FROM serve_publication")
    known = "changes" if published >= int(details.get("version", 0)) else "changes_before"
    return int(details.get(known) or 0)
