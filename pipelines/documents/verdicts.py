"""Copy verdicts and places of many tokens at once, in Polars.

:func:`pipelines.copies.judge` and :func:`pipelines.copies.precedence` are the specification, one group of tokens at a
time. Comparing each token of a popular symbol with every other in Python took seconds; here it is a join.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal

import polars as pl

from pipelines.copies import Candidate, Verdict, through_copies
from pipelines.documents.rows import Document
from pipelines.rules import COPY_FACTOR, COPY_MIN_HOLDERS
from warehouse.domain.majors import Majors

_NO_LIQUIDITY = Decimal(0)


def candidate(row: Document) -> Candidate:
    """A document as the copy rules see it."""
    registered_at = None if row.registered_at is None or row.registration_expired else row.registered_at
    return Candidate(
        chain_id=row.chain_id,
        address=f"0x{row.address}",
        symbol_folded=row.symbol_folded,
        first_time=datetime.fromtimestamp(row.first_seen_at if row.deployed_at is None else row.deployed_at, UTC),
        holders=row.holders or 0,
        liquidity_usd=row.liquidity_usd,
        has_market=row.price_usd is not None,
        market_score=row.market_score,
        registered_at=None if registered_at is None else datetime.fromtimestamp(registered_at, UTC),
    )


def judge_all(candidates: Sequence[Candidate], known: Majors) -> dict[str, Verdict]:
    """Verdicts for tokens of one chain by address, each judged among those that share its folded symbol."""
    tokens = _frame(candidates, known)
    registered = (
        tokens.filter(pl.col("registered_at").is_not_null())
        .sort("registered_at", "address")
        .group_by("group", maintain_order=True)
        .first()
        .select("group", first_registered="address")
    )
    tokens = tokens.join(registered, on="group", how="left", maintain_order="left")
    tokens = tokens.join(_larger_originals(tokens), on="address", how="left", maintain_order="left")
    is_original = (pl.col("address") == pl.col("first_registered")).fill_null(False) | pl.col("is_major")
    judged = tokens.select(
        "chain_id",
        "address",
        "major_chain_id",
        "major_address",
        "first_registered",
        "larger",
        rule=pl.when(pl.col("major_chain_id").is_not_null())
        .then(pl.lit("major"))
        .when(pl.col("first_registered").is_not_null() & ~is_original)
        .then(pl.lit("registered"))
        .when(pl.col("larger").is_not_null() & ~is_original)
        .then(pl.lit("older_and_larger")),
    )
    verdicts = {}
    for chain_id, address, major_chain_id, major_address, first_registered, larger, rule in judged.iter_rows():
        if rule is None:
            verdicts[address] = Verdict()
        elif rule == "major":
            verdicts[address] = Verdict(True, major_chain_id, major_address, rule)
        else:
            verdicts[address] = Verdict(True, chain_id, first_registered if rule == "registered" else larger, rule)
    return {address: through_copies(address, verdict, verdicts) for address, verdict in verdicts.items()}


def places(
    candidates: Sequence[Candidate], symbol_keys: Sequence[str], verdicts: Mapping[str, Verdict]
) -> dict[str, int]:
    """The place of each token among those with its symbol key, from 0, by address."""
    tokens = pl.DataFrame(
        {
            "symbol_key": symbol_keys,
            "address": [token.address for token in candidates],
            "unregistered": [token.registered_at is None for token in candidates],
            "is_copy": [verdicts[token.address].is_copy for token in candidates],
            "market_score": pl.Series([token.market_score for token in candidates], dtype=pl.Decimal(38, 9)),
            "holders": [token.holders for token in candidates],
            "first_time": [token.first_time for token in candidates],
        }
    )
    by = ["symbol_key", "unregistered", "is_copy", "market_score", "holders", "first_time", "address"]
    ordered = tokens.sort(by, descending=[column in ("market_score", "holders") for column in by])
    placed = ordered.select("address", pl.int_range(pl.len()).over("symbol_key"))
    return dict(placed.iter_rows())


def _frame(candidates: Sequence[Candidate], known: Majors) -> pl.DataFrame:
    majors = [known.original_of(token.chain_id, token.address, token.symbol_folded) for token in candidates]
    liquidity = [token.liquidity_usd or _NO_LIQUIDITY for token in candidates]
    needed = [COPY_FACTOR * amount for amount in liquidity]
    # Amounts in USD do not fit a 128-bit decimal. Only their order matters.
    rank = {amount: place for place, amount in enumerate(sorted({*liquidity, *needed}))}
    return pl.DataFrame(
        {
            "chain_id": [token.chain_id for token in candidates],
            "address": [token.address for token in candidates],
            "group": [token.symbol_folded for token in candidates],
            "first_time": [token.first_time for token in candidates],
            "holders": [token.holders for token in candidates],
            "liquidity": [rank[amount] for amount in liquidity],
            "liquidity_needed": [rank[amount] for amount in needed],
            "has_market": [token.has_market for token in candidates],
            "is_major": [known.is_major(token.chain_id, token.address, token.symbol_folded) for token in candidates],
            "major_chain_id": [None if major is None else major[0] for major in majors],
            "major_address": [None if major is None else major[1] for major in majors],
            "registered_at": [token.registered_at for token in candidates],
        },
        schema={
            "chain_id": pl.Int64,
            "address": pl.String,
            "group": pl.String,
            "first_time": pl.Datetime("us", "UTC"),
            "holders": pl.Int64,
            "liquidity": pl.Int64,
            "liquidity_needed": pl.Int64,
            "has_market": pl.Boolean,
            "is_major": pl.Boolean,
            "major_chain_id": pl.Int64,
            "major_address": pl.String,
            "registered_at": pl.Datetime("us", "UTC"),
        },
    )


def _larger_originals(tokens: pl.DataFrame) -> pl.DataFrame:
    """``address`` of each token without a market and without a registered token of its symbol, and ``larger``: the
    largest token that is older and outweighs it, if there is one."""
    judged = tokens.filter(
        ~pl.col("has_market") & pl.col("first_registered").is_null() & pl.col("major_chain_id").is_null()
    ).select("address", "group", "first_time", "holders", "liquidity_needed")
    others = tokens.filter(pl.col("holders") >= COPY_MIN_HOLDERS).select(
        "group", larger="address", larger_time="first_time", larger_holders="holders", larger_liquidity="liquidity"
    )
    older = (pl.col("larger_time") < pl.col("first_time")) | (
        (pl.col("larger_time") == pl.col("first_time")) & (pl.col("larger") < pl.col("address"))
    )
    return (
        judged.join(others, on="group")
        .filter(
            older,
            pl.col("larger_holders") >= COPY_FACTOR * pl.col("holders"),
            pl.col("larger_liquidity") >= pl.col("liquidity_needed"),
        )
        .sort("larger_liquidity", "larger_holders", "larger")
        .group_by("address", maintain_order=True)
        .last()
        .select("address", "larger")
    )
