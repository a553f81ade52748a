"""Rows of the search tables: single ones to state a case, and any number of generated ones to measure with.

The generated world is made, not observed: skewed symbols, thousands of copies of the popular ones, look-alike
spellings, and figures missing as often as they are on real chains. The same seed gives the same rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.clickhouse import Warehouse
from warehouse.symbols import deletion_edits, deletion_forms, fold, symbol_key

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""When the generated world was seen; mints and deployments lie before it."""
_INSERT_ROWS = 200_000
CHAIN_SHARES = {8453: 0.34, 56: 0.22, 1: 0.2, 42161: 0.1, 137: 0.08, 43114: 0.04, 100: 0.02}

_TIME = pa.timestamp("s", tz="UTC")
TOKEN_TYPES: dict[str, pa.DataType] = {
    "symbol_key": pa.string(), "chain_id": pa.uint32(), "address": pa.binary(), "version": pa.uint64(),
    "deleted": pa.uint8(), "symbol": pa.string(), "symbol_folded": pa.string(), "name": pa.string(),
    "name_source": pa.string(), "sources": pa.list_(pa.string()), "decimals": pa.uint8(),
    "total_supply_raw": pa.binary(32), "holders": pa.uint64(), "top10_share": pa.decimal128(18, 9),
    "price_usd": pa.decimal256(76, 36), "price_confidence": pa.decimal128(4, 3), "price_source": pa.string(),
    "market_cap_usd": pa.decimal256(76, 6), "fdv_usd": pa.decimal256(76, 6), "volume_24h_usd": pa.decimal256(76, 6),
    "liquidity_usd": pa.decimal256(76, 6), "price_change_1h": pa.decimal128(38, 6),
    "price_change_6h": pa.decimal128(38, 6), "price_change_24h": pa.decimal128(38, 6),
    "transactions_24h": pa.uint64(), "market_score": pa.decimal128(18, 9), "token_rank": pa.uint64(),
    "heartbeat_score": pa.decimal128(5, 2), "deployed_at": _TIME, "deployed_block": pa.uint64(),
    "deployer": pa.binary(), "first_seen_at": _TIME, "is_copy": pa.uint8(), "copy_of_chain_id": pa.uint32(),
    "copy_of_address": pa.binary(), "copy_rule": pa.string(), "registration_token_id": pa.uint64(),
    "registration_owner": pa.binary(), "registration_manager": pa.binary(), "registry_address": pa.binary(),
    "registered_at": _TIME, "registration_expired": pa.uint8(), "verification_method": pa.string(),
    "verified_at": _TIME, "made_by_factory": pa.uint8(), "logo_url": pa.string(), "website": pa.string(),
    "twitter": pa.string(), "telegram": pa.string(), "discord": pa.string(), "as_of_block": pa.uint64(),
    "as_of_time": _TIME,
}  # fmt: skip
TOKEN_SCHEMA = pa.schema(list(TOKEN_TYPES.items()))
SYMBOL_SCHEMA = pa.schema(
    [
        ("symbol_key", pa.string()), ("version", pa.uint64()), ("deleted", pa.uint8()),
        ("symbol_folded", pa.string()), ("token_count", pa.uint32()), ("best_market_score", pa.decimal128(18, 9)),
    ]
)  # fmt: skip
FORM_SCHEMA = pa.schema([("form", pa.string()), ("symbol_key", pa.string())])
_ABSENT: dict[pa.DataType, Any] = {pa.string(): "", pa.binary(): b"", pa.uint8(): 0, pa.uint32(): 0}
_NULLABLE_WHEN_EMPTY = {"decimals"}


def token_row(symbol: str, **given: Any) -> dict[str, Any]:
    """One row of ``serve_token``: an unclaimed token on Base without a market, changed by what is given.

    ``address`` may be a number; ``copy_of`` another row; ``registered`` true for an unexpired registration.
    """
    key = symbol_key(symbol)
    row: dict[str, Any] = {
        name: None if name in _NULLABLE_WHEN_EMPTY else _ABSENT.get(kind) for name, kind in TOKEN_TYPES.items()
    }
    row |= {
        "symbol_key": key, "symbol": symbol, "symbol_folded": fold(key), "name": f"{symbol} token",
        "name_source": "indexer", "sources": ["indexer"], "chain_id": 8453, "version": 1, "decimals": 18,
        "market_score": Decimal(0), "first_seen_at": EPOCH, "as_of_block": 100, "as_of_time": EPOCH,
    }  # fmt: skip
    original = given.pop("copy_of", None)
    if original is not None:
        row |= {"is_copy": 1, "copy_of_chain_id": original["chain_id"], "copy_of_address": original["address"],
                "copy_rule": "older_and_larger"}  # fmt: skip
    if given.pop("registered", False):
        row |= {
            "registration_token_id": 1, "registration_owner": b"\x0e" * 20, "registry_address": b"\x0f" * 20,
            "registered_at": datetime(2025, 1, 1, tzinfo=UTC), "heartbeat_score": Decimal(90),
            "sources": ["registry", "indexer"],
        }  # fmt: skip
    row |= given
    if isinstance(row["address"], int):
        row["address"] = row["address"].to_bytes(20, "big")
    return row


def token_table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Rows of ``serve_token`` as Arrow."""
    return pa.Table.from_pylist(list(rows), schema=TOKEN_SCHEMA)


def symbol_tables(rows: Iterable[Mapping[str, Any]], version: int) -> tuple[pa.Table, pa.Table]:
    """``serve_symbol`` and ``serve_symbol_form`` for the given rows of ``serve_token``."""
    symbols: dict[str, list[Decimal]] = {}
    for row in rows:
        if not row["deleted"]:
            symbols.setdefault(row["symbol_key"], []).append(row["market_score"])
    listed = [(key, fold(key), len(scores), max(scores)) for key, scores in sorted(symbols.items())]
    return _symbol_table(listed, version), form_table(key for key, *_ in listed)


def publish(warehouse: Warehouse, rows: Sequence[Mapping[str, Any]], version: int = 1) -> None:
    """Write the rows under a version, with all tokens of their symbols given, and make the version public."""
    tokens = token_table([{**row, "version": version} for row in rows])
    publish_tables(warehouse, tokens, *symbol_tables(rows, version), version=version)


def publish_tables(warehouse: Warehouse, tokens: pa.Table, symbols: pa.Table, forms: pa.Table, *, version: int) -> None:
    """Write tables of one version and make the version public."""
    for name, table in (("serve_token", tokens), ("serve_symbol", symbols), ("serve_symbol_form", forms)):
        for offset in range(0, table.num_rows, _INSERT_ROWS):
            warehouse.insert_arrow(name, table.slice(offset, _INSERT_ROWS))
    warehouse.command(
        "INSERT INTO serve_publication VALUES ({version:UInt64}, now64(3), map(8453, {block:UInt64}))",
        {"version": version, "block": version * 100},
    )


def form_table(keys: Iterable[str]) -> pa.Table:
    """``serve_symbol_form`` of these symbols."""
    forms, symbols = [], []
    for key in keys:
        folded = fold(key)
        for form in deletion_forms(folded, deletion_edits(folded)):
            forms.append(form)
            symbols.append(key)
    return pa.table([pa.array(forms, pa.string()), pa.array(symbols, pa.string())], schema=FORM_SCHEMA)


def _symbol_table(listed: Sequence[tuple[str, str, int, Decimal]], version: int) -> pa.Table:
    return pa.Table.from_pylist(
        [
            {"symbol_key": key, "version": version, "deleted": 0, "symbol_folded": folded, "token_count": count,
             "best_market_score": score}
            for key, folded, count, score in listed
        ],
        schema=SYMBOL_SCHEMA,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GeneratedTokens:
    """The tables of a generated world, ready to insert, and its symbols by how often they occur."""

    tokens: pa.Table
    symbols: pa.Table
    forms: pa.Table
    popular: tuple[str, ...]


def generate_tokens(count: int, seed: int = 1, version: int = 1, registrations: int | None = None) -> GeneratedTokens:
    """``count`` tokens; a tenth of them registered unless told otherwise."""
    rng = np.random.default_rng(seed)
    names = _symbols(max(8, count * 2 // 5), rng)
    weights = 1.0 / np.arange(1, len(names) + 1) ** 0.75
    chosen = rng.choice(len(names), size=count, p=weights / weights.sum())
    keys = np.array([symbol_key(name) for name in names], dtype=object)
    folds = np.array([fold(key) for key in keys], dtype=object)
    chains = rng.choice(list(CHAIN_SHARES), size=count, p=list(CHAIN_SHARES.values())).astype(np.uint32)
    market = _Market(count, rng)
    original = _originals(folds[chosen], chains, market.score)
    is_copy = (original != np.arange(count)) & (~market.known | (rng.random(count) < 0.2))
    registered = np.zeros(count, dtype=bool)
    free = np.flatnonzero(original == np.arange(count))
    registered[rng.permutation(free)[: count // 10 if registrations is None else registrations]] = True
    addresses = _binary(rng, count)
    copied = np.where(is_copy, original, 0)
    token_columns = _columns(rng, market, registered, version) | {
        "symbol_key": pa.array(keys[chosen]),
        "symbol": pa.array(np.array(names, dtype=object)[chosen]),
        "symbol_folded": pa.array(folds[chosen]),
        "name": pa.array([f"{names[index].title()} {index}" for index in chosen]),
        "chain_id": pa.array(chains),
        "address": addresses,
        "is_copy": pa.array(is_copy.astype(np.uint8)),
        "copy_of_chain_id": pa.array(np.where(is_copy, chains[copied], 0).astype(np.uint32)),
        "copy_of_address": pa.compute.if_else(pa.array(is_copy), addresses.take(pa.array(copied)), b""),
        "copy_rule": pa.array(np.where(is_copy, "older_and_larger", "")),
    }
    tokens = pa.table(
        {name: token_columns[name].cast(kind) for name, kind in TOKEN_TYPES.items() if name in token_columns}
    )
    best = np.zeros(len(names))
    np.maximum.at(best, chosen, market.score)
    counts = np.bincount(chosen, minlength=len(names))
    listed: dict[str, tuple[str, int, float]] = {}
    for index in np.flatnonzero(counts):
        seen = listed.get(keys[index], ("", 0, 0.0))
        listed[keys[index]] = (folds[index], seen[1] + int(counts[index]), max(seen[2], float(best[index])))
    symbols = _symbol_table(
        [(key, folded, number, Decimal(f"{score:.9f}")) for key, (folded, number, score) in sorted(listed.items())],
        version,
    )
    popular = tuple(sorted(listed, key=lambda key: -listed[key][1])[:200])
    return GeneratedTokens(tokens, symbols, form_table(sorted(listed)), popular)


_SYLLABLES = (
    "PE",
    "DO",
    "GE",
    "CA",
    "TO",
    "MO",
    "ON",
    "INU",
    "SHI",
    "BA",
    "ZEN",
    "LU",
    "NA",
    "RA",
    "KO",
    "AI",
    "BO",
    "MEL",
)
_LOOKALIKES = str.maketrans("OISEA", "015ЕА")


def _symbols(count: int, rng: np.random.Generator) -> list[str]:
    """Made-up symbols; every fifteenth is another one in look-alike characters."""
    names: list[str] = []
    seen: set[str] = set()
    while len(names) < count:
        lengths = rng.integers(1, 5, size=count)
        picks = rng.integers(0, len(_SYLLABLES), size=(count, 4))
        suffixes = rng.integers(0, 400, size=count)
        others = rng.integers(0, count, size=count)
        for length, pick, suffix, other in zip(lengths, picks, suffixes, others, strict=True):
            name = "".join(_SYLLABLES[index] for index in pick[:length]) + (str(suffix) if suffix < 240 else "")
            if names and len(names) % 15 == 14:
                spelled = names[int(other) % len(names)].translate(_LOOKALIKES)
                name = name if spelled in seen else spelled
            if name not in seen:
                seen.add(name)
                names.append(name)
            if len(names) == count:
                break
    return names


class _Market:
    """Market figures: two of five tokens have none."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.known = rng.random(count) < 0.6
        self.liquidity = np.round(rng.lognormal(8.5, 2.2, count), 6)
        self.volume = np.round(self.liquidity * rng.lognormal(-1.5, 1.2, count), 6)
        self.cap = np.round(self.liquidity * rng.lognormal(2.0, 1.0, count), 6)
        self.price = np.round(rng.lognormal(-6, 3, count), 12)
        parts = ((0.4, self.cap, 1e4, 1e11), (0.3, self.volume, 1e2, 1e9), (0.3, self.liquidity, 1e3, 1e8))
        score = sum(
            part * np.clip(np.log10(amount / low) / np.log10(high / low), 0, 1) for part, amount, low, high in parts
        )
        self.score = np.round(np.where(self.known, score, 0), 9)


def _originals(folds: np.ndarray, chains: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """For each token the index of the foremost token of the same folded symbol on its chain."""
    foremost: dict[tuple[Any, int], int] = {}
    for index in np.argsort(-scores, kind="stable"):
        foremost.setdefault((folds[index], int(chains[index])), int(index))
    return np.array([foremost[folds[index], int(chains[index])] for index in range(len(folds))])


def _binary(rng: np.random.Generator, count: int, width: int = 20) -> pa.Array:
    content = rng.bytes(count * width)
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), count, [None, pa.py_buffer(content)]).cast(
        pa.binary()
    )


def _columns(rng: np.random.Generator, market: _Market, registered: np.ndarray, version: int) -> dict[str, pa.Array]:
    count = len(registered)
    epoch = int(EPOCH.timestamp())
    absent = ~market.known
    deployed = epoch - rng.integers(3600, 4 * 365 * 86400, count)
    minted = np.minimum(epoch, deployed + rng.integers(3600, 400 * 86400, count))
    owners = _binary(rng, count)

    def some(values: np.ndarray, missing: np.ndarray | float) -> pa.Array:
        return pa.array(values, mask=rng.random(count) < missing if isinstance(missing, float) else missing)

    def of_registered(values: pa.Array) -> pa.Array:
        return pa.compute.if_else(pa.array(registered), values, b"")

    def everywhere(value: Any, kind: pa.DataType) -> pa.Array:
        return pa.repeat(pa.scalar(value, kind), count)

    ranks = np.empty(count, dtype=np.uint64)
    ranks[np.argsort(-market.score, kind="stable")] = np.arange(1, count + 1)
    supply = rng.integers(10**6, 10**12, count).astype("<u8")
    wide = np.zeros((count, 32), dtype=np.uint8)
    wide[:, 8:16] = supply.view(np.uint8).reshape(count, 8)
    return {
        "version": everywhere(version, pa.uint64()),
        "deleted": everywhere(0, pa.uint8()),
        "name_source": everywhere("indexer", pa.string()),
        "sources": everywhere(["indexer", "market"], pa.list_(pa.string())),
        "decimals": some(np.full(count, 18), 0.01),
        "total_supply_raw": pa.FixedSizeBinaryArray.from_buffers(
            pa.binary(32), count, [None, pa.py_buffer(wide.tobytes())]
        ),
        "holders": pa.array(rng.zipf(1.6, count).clip(1, 5_000_000)),
        "top10_share": everywhere(None, pa.decimal128(18, 9)),
        "price_usd": some(_scaled(market.price, 12), absent),
        "price_confidence": everywhere(None, pa.decimal128(4, 3)),
        "price_source": everywhere("pools", pa.string()),
        "market_cap_usd": some(_scaled(market.cap, 6), absent),
        "fdv_usd": some(_scaled(market.cap, 6), absent),
        "volume_24h_usd": some(_scaled(market.volume, 6), absent),
        "liquidity_usd": some(_scaled(market.liquidity, 6), absent),
        **{f"price_change_{hours}h": some(_scaled(rng.normal(0, hours, count), 6), absent) for hours in (1, 6, 24)},
        "transactions_24h": some(rng.integers(0, 50_000, count), absent),
        "market_score": _scaled(market.score, 9),
        "token_rank": pa.array(ranks),
        "heartbeat_score": some(_scaled(rng.uniform(30, 100, count), 2), 0.1),
        "deployed_at": some(deployed, 0.05),
        "deployed_block": pa.array(deployed - epoch + 4 * 365 * 86400),
        "deployer": _binary(rng, count),
        "first_seen_at": pa.array(deployed),
        "registration_token_id": some(np.arange(1, count + 1), ~registered),
        "registration_owner": of_registered(owners),
        "registration_manager": everywhere(b"", pa.binary()),
        "registry_address": of_registered(everywhere(b"\x0f" * 20, pa.binary())),
        "registered_at": some(minted, ~registered),
        "registration_expired": pa.array((registered & (rng.random(count) < 0.03)).astype(np.uint8)),
        "verification_method": pa.array(np.where(registered, "deployer", "")),
        "verified_at": some(minted, ~registered),
        "made_by_factory": everywhere(0, pa.uint8()),
        **{name: everywhere("", pa.string()) for name in ("logo_url", "website", "twitter", "telegram", "discord")},
        "as_of_block": everywhere(1_000_000, pa.uint64()),
        "as_of_time": everywhere(epoch, pa.int64()),
    }


def _scaled(values: np.ndarray, scale: int) -> pa.Array:
    """Floats as exact decimals of this scale."""
    whole = pa.array(np.round(values * 10**scale).clip(-(2**62), 2**62).astype(np.int64))
    raw = whole.cast(pa.decimal128(19, 0))
    return pa.Array.from_buffers(pa.decimal128(19, scale), len(raw), raw.buffers())
