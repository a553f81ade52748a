"""Single rows of the search tables; ``generated`` makes any number of them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

from warehouse.clickhouse import Warehouse
from warehouse.domain.symbols import deletion_edits, deletion_forms, fold, symbol_key

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
"""When the generated world was seen; mints and deployments lie before it."""
BASE_AND_GNOSIS = (8453, 100)
_INSERT_ROWS = 200_000

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
    "as_of_time": _TIME, "program": pa.string(), "mint_authority": pa.binary(), "freeze_authority": pa.binary(),
    "update_authority": pa.binary(), "trust_flags": pa.list_(pa.string()),
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
        "market_score": Decimal(0), "first_seen_at": EPOCH, "as_of_block": 100, "as_of_time": EPOCH, "trust_flags": [],
    }  # fmt: skip
    original = given.pop("copy_of", None)
    if original is not None:
        row |= {"is_copy": 1, "copy_of_chain_id": original["chain_id"], "copy_of_address": original["address"],
                "copy_rule": "senior"}  # fmt: skip
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


def publish(
    warehouse: Warehouse,
    rows: Sequence[Mapping[str, Any]],
    version: int = 1,
    chains: Sequence[int] = BASE_AND_GNOSIS,
) -> None:
    """Write the rows under a version, with all tokens of their symbols given, and make the version public."""
    tokens = token_table([{**row, "version": version} for row in rows])
    publish_tables(warehouse, tokens, *symbol_tables(rows, version), version=version, chains=chains)


def publish_tables(
    warehouse: Warehouse,
    tokens: pa.Table,
    symbols: pa.Table,
    forms: pa.Table,
    *,
    version: int,
    chains: Sequence[int] = BASE_AND_GNOSIS,
) -> None:
    """Write tables of one version and make the version public; ``chains`` are indexed in it."""
    for name, table in (("serve_token", tokens), ("serve_symbol", symbols), ("serve_symbol_form", forms)):
        for offset in range(0, table.num_rows, _INSERT_ROWS):
            warehouse.insert_arrow(name, table.slice(offset, _INSERT_ROWS))
    warehouse.command(
        "INSERT INTO serve_publication SELECT {version:UInt64}, now64(3),"
        " mapFromArrays({chains:Array(UInt32)}, arrayMap(chain -> {block:UInt64}, {chains:Array(UInt32)}))",
        {"version": version, "block": version * 100, "chains": list(chains)},
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
