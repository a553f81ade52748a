"""The block that all figures of a document are true of.

Holders and prices are computed by different steps, and often as of different blocks. A token's holder figures hold from
its last transfer until the block up to which the chain is counted. Its market figures hold at the block as of which
they were written. A document is made only of
figures that hold at one and the same block; docs/decisions/0038-figures.md gives the reasons.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pipelines.documents.inputs import TokenInputs
from pipelines.documents.rows import AsOf, Document, DocumentKey
from pipelines.refresh_run import RefreshRun
from warehouse.domain.chains import Chain

NEVER = AsOf(-1, 0)
_FIGURES = (
    "total_supply_raw", "holders", "top10_share", "price_usd", "price_confidence", "price_source", "market_cap_usd",
    "fdv_usd", "volume_24h_usd", "liquidity_usd", "price_change_1h", "price_change_6h", "price_change_24h",
    "transactions_24h", "market_score", "as_of_block", "as_of_time",
)  # fmt: skip


def figures_as_of(token: TokenInputs, counted: AsOf) -> AsOf | None:
    """The block that the token's stored figures are true of; None where no block is known to be one.

    ``counted`` is the block up to which the chain's holders are counted. The time is 0 where it is not known yet.
    """
    priced = AsOf(token.priced_block, token.priced_seconds) if token.priced_block else None
    if not token.is_counted(counted.block_number):
        return priced or as_read(token)
    if priced is None:
        return counted
    # A token that a reorganisation did not touch may be counted as of a block that was removed. So the time of its last
    # transfer decides as well; several blocks may have the same time.
    is_later = token.counted_block <= priced.block_number or token.moved_seconds < priced.time_seconds
    return priced if is_later and priced.block_number <= counted.block_number else None


def without_figures(token: TokenInputs) -> TokenInputs:
    """A token of which nothing is known but what its contract says."""
    return replace(
        token,
        counted=0,
        counted_block=0,
        moved_seconds=0,
        holders=0,
        supply_raw=0,
        price_usd=None,
        price_confidence=None,
        price_source="",
        liquidity_usd=None,
        volume_24h_usd=None,
        transactions_24h=None,
        price_change_1h=None,
        price_change_6h=None,
        price_change_24h=None,
        priced_block=0,
    )


def with_served_figures(row: Document, served: Document) -> Document:
    """The document with the figures that are served already, and their block."""
    sources = tuple(source for source in row.sources if source != "market")
    market = ("market",) if served.price_usd is not None else ()
    return row._replace(sources=(*sources, *market), **{name: getattr(served, name) for name in _FIGURES})


def served_documents(chain: Chain, rows: Mapping[DocumentKey, Document]) -> dict[str, Document]:
    """The chain's visible documents by token."""
    return {row.address: row for row in rows.values() if row.chain_id == chain.chain_id and not row.deleted}


def block_times(run: RefreshRun, chain: Chain, blocks: Iterable[int]) -> dict[int, int]:
    """Unix seconds of some blocks."""
    asked = sorted(set(blocks))
    if not asked:
        return {}
    rows = run.read("documents/block_times", {"chain_id": chain.chain_id, "blocks": asked})
    return {row["block"]: row["seconds"] for row in rows}


def as_read(token: TokenInputs) -> AsOf:
    """The block as of which the contract was read last."""
    return AsOf(token.read_block, token.first_time_seconds if token.read_block == token.first_block else 0)
