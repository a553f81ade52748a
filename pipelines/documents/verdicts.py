"""Copy verdicts and places of many tokens at once, in Polars.

:func:`pipelines.copies.judge` and :func:`pipelines.copies.precedence` are the specification, one group of tokens at a
time. Comparing each token of a popular symbol with every other in Python took seconds; here it is a join.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Final

import polars as pl

from pipelines.copies import (
    CREATION_UNKNOWN,
    DEPTH_UNKNOWN,
    NOTHING,
    Candidate,
    Exceptions,
    Hours,
    Verdict,
    first_registered,
    through_copies,
)
from pipelines.documents.rows import Document
from warehouse.domain.chains import Chain
from warehouse.domain.copies import CopyRule, CopyRules, Creation, is_established
from warehouse.domain.majors import Majors

_TIME = pl.Datetime("us", "UTC")
_USD = pl.Decimal(38, 8)
"""Two digits more than stored amounts have, for shares of them."""
_RULES: Final[tuple[CopyRule, ...]] = ("registered", "senior")
"""In the order in which they are tried."""


def candidate(row: Document, chain: Chain) -> Candidate:
    """A document as the copy rules see it."""
    registered_at = None if row.registered_at is None or row.registration_expired else row.registered_at
    known = row.deployed_block is not None and row.deployed_index is not None
    # A token that took its symbol later is as old, under it, as if it had been made then.
    block = max(row.deployed_block or 0, row.named_block or 0)
    return Candidate(
        chain_id=row.chain_id,
        address=row.stored_address,
        symbol_folded=row.symbol_folded,
        first_time=datetime.fromtimestamp(row.first_seen_at if row.deployed_at is None else row.deployed_at, UTC),
        market_score=row.market_score,
        registered_at=None if registered_at is None else datetime.fromtimestamp(registered_at, UTC),
        creation=Creation(block, row.deployed_index or 0) if known else None,
        account=row.deployer if row.deployed_directly else "",
        older_than_index=not known and chain.start_block > 0,
        named_at=None if row.named_at is None else datetime.fromtimestamp(row.named_at, UTC),
    )


def judge_all(
    candidates: Sequence[Candidate], known: Majors, seen: Hours, rules: CopyRules, exceptions: Exceptions
) -> dict[str, Verdict]:
    """Verdicts for tokens of one chain by address, each judged among those that share its folded symbol."""
    majors = {
        token.address: known.original_of(token.chain_id, token.address, token.symbol_folded) for token in candidates
    }
    seen = seen.since_named(candidates)
    rivals = _rivals(candidates, seen, rules)
    found = _copies(_tokens(candidates), rivals, _own_points(candidates, seen), exceptions)
    originals = {row[0]: row for row in found.filter(pl.col("is_senior")).iter_rows()}
    uncertain = set(found.get_column("address"))
    unknown = _older_than_index(candidates)
    chain_ids = {token.address: token.chain_id for token in candidates}
    verdicts = {}
    for token in candidates:
        address, major = token.address, majors[token.address]
        if address in exceptions.rulings:
            verdicts[address] = exceptions.rulings[address]
        elif major is not None:
            verdicts[address] = Verdict(True, major[0], major[1], "major")
        elif known.is_major(token.chain_id, address, token.symbol_folded):
            verdicts[address] = Verdict()
        elif address in originals:
            _, original, rule, place, _ = originals[address]
            until = seen.hours[place] + timedelta(hours=rules.settle_hours + 1) if place else None
            doubt = DEPTH_UNKNOWN if token.older_than_index else ""
            verdicts[address] = Verdict(True, chain_ids[original], original, _RULES[rule], until, doubt)
        else:
            namesake_unknown = unknown.get(token.symbol_folded, 0) > token.older_than_index
            doubt = DEPTH_UNKNOWN if namesake_unknown else CREATION_UNKNOWN if address in uncertain else ""
            verdicts[address] = Verdict(unknown=doubt)
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
            "first_time": [token.first_time for token in candidates],
            "unseen": [token.creation is None for token in candidates],
            "block": [token.creation.block if token.creation else 0 for token in candidates],
            "position": [token.creation.position if token.creation else 0 for token in candidates],
        }
    )
    by = [
        "symbol_key", "unregistered", "is_copy", "market_score", "first_time", "unseen", "block", "position",
        "address",
    ]  # fmt: skip
    ordered = tokens.sort(by, descending=[column == "market_score" for column in by])
    placed = ordered.select("address", pl.int_range(pl.len()).over("symbol_key"))
    return dict(placed.iter_rows())


def _older_than_index(candidates: Sequence[Candidate]) -> dict[str, int]:
    """How many tokens of each folded symbol may be older than the index."""
    counts: dict[str, int] = {}
    for token in candidates:
        if token.older_than_index:
            counts[token.symbol_folded] = counts.get(token.symbol_folded, 0) + 1
    return counts


def _tokens(candidates: Sequence[Candidate]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "group": [token.symbol_folded for token in candidates],
            "address": [token.address for token in candidates],
            "registered_at": [token.registered_at for token in candidates],
            "block": [token.creation.block if token.creation else None for token in candidates],
            "position": [token.creation.position if token.creation else None for token in candidates],
            "account": [token.account or None for token in candidates],
        },
        schema={
            "group": pl.String,
            "address": pl.String,
            "registered_at": _TIME,
            "block": pl.Int64,
            "position": pl.Int64,
            "account": pl.String,
        },
    )


def _rivals(candidates: Sequence[Candidate], seen: Hours, rules: CopyRules) -> pl.DataFrame:
    """The tokens that make others copies, by hour: the first registered of each symbol, and the established ones.
    ``limit_usd`` is the weight below which a token is a copy."""
    groups: dict[str, list[Candidate]] = {}
    for token in candidates:
        if token.registered_at is not None:
            groups.setdefault(token.symbol_folded, []).append(token)
    registered = [first for group in groups.values() if (first := first_registered(group)) is not None]
    # Where no token of a symbol has depth, all hours are the same.
    changing = {token.symbol_folded for token in candidates if token.address in seen.standings}
    rows = [
        (token, 0, place, seen.standing(token.address, place))
        for token in registered
        for place in range(len(seen) if token.symbol_folded in changing else 1)
    ]
    rows += [
        (token, 1, place, standing)
        for token in candidates
        for place, standing in enumerate(seen.standings.get(token.address, ()))
        if is_established(standing, rules)
    ]
    return pl.DataFrame(
        {
            "group": [token.symbol_folded for token, _, _, _ in rows],
            "original": [token.address for token, _, _, _ in rows],
            "rule": [rule for _, rule, _, _ in rows],
            "place": [place for _, _, place, _ in rows],
            "limit_usd": [
                rules.copy_share * standing.established_usd if rule else standing.held_usd
                for _, rule, _, standing in rows
            ],
            "established_usd": [standing.established_usd for _, _, _, standing in rows],
            "original_since": [standing.since for _, _, _, standing in rows],
            "original_block": [token.creation.block if token.creation else None for token, _, _, _ in rows],
            "original_position": [token.creation.position if token.creation else None for token, _, _, _ in rows],
            "original_account": [token.account or None for token, _, _, _ in rows],
        },
        schema={
            "group": pl.String,
            "original": pl.String,
            "rule": pl.Int64,
            "place": pl.Int64,
            "limit_usd": _USD,
            "established_usd": _USD,
            "original_since": _TIME,
            "original_block": pl.Int64,
            "original_position": pl.Int64,
            "original_account": pl.String,
        },
    )


def _own_points(candidates: Sequence[Candidate], seen: Hours) -> pl.DataFrame:
    """The standings of tokens with depth, by hour."""
    points = [
        (token.address, place, standing)
        for token in candidates
        for place, standing in enumerate(seen.standings.get(token.address, ()))
        if standing != NOTHING
    ]
    return pl.DataFrame(
        {
            "address": [address for address, _, _ in points],
            "place": [place for _, place, _ in points],
            "held_usd": [standing.held_usd for _, _, standing in points],
            "since": [standing.since for _, _, standing in points],
        },
        schema={"address": pl.String, "place": pl.Int64, "held_usd": _USD, "since": _TIME},
    )


def _copies(tokens: pl.DataFrame, rivals: pl.DataFrame, points: pl.DataFrame, exceptions: Exceptions) -> pl.DataFrame:
    """``address``, ``original``, ``rule``, ``place`` and ``is_senior`` (null: their creations would decide, and one is
    unknown): for each token that a rule could apply to, the newest hour in which it does, or did."""
    consents = pl.DataFrame([*exceptions.consents], schema={"original": pl.String, "address": pl.String}, orient="row")
    nothing = pl.lit(Decimal(0)).cast(_USD)
    same_since = pl.col("since").eq_missing(pl.col("original_since"))
    created_first = (pl.col("original_block") < pl.col("block")) | (
        (pl.col("original_block") == pl.col("block")) & (pl.col("original_position") < pl.col("position"))
    )
    has_been_longer = pl.col("original_since").is_not_null() & (
        pl.col("since").is_null() | (pl.col("original_since") < pl.col("since"))
    )
    lighter = (pl.col("held_usd") < pl.col("limit_usd")) | ((pl.col("rule") == 0) & (pl.col("held_usd") == nothing))
    came_first = (
        (pl.col("rule") == 0) | pl.col("registered_at").is_null() | (pl.col("original_since") < pl.col("registered_at"))
    ).fill_null(False)
    return (
        tokens.join(rivals, on="group")
        .filter(
            pl.col("address") != pl.col("original"),
            (pl.col("account") != pl.col("original_account")).fill_null(True),
        )
        .join(consents, on=["original", "address"], how="anti")
        .join(points, on=["address", "place"], how="left")
        .with_columns(held_usd=pl.col("held_usd").fill_null(nothing))
        .filter(lighter, came_first)
        .with_columns(is_senior=pl.when(same_since).then(created_first).otherwise(has_been_longer))
        .filter(pl.col("is_senior").ne_missing(False))
        .sort(
            pl.col("is_senior").is_null(),
            "place",
            "rule",
            -pl.col("established_usd"),
            "original",
        )
        .group_by("address", maintain_order=True)
        .first()
        .select("address", "original", "rule", "place", "is_senior")
    )
