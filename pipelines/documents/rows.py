"""One search document: what is served of a token, put together from its identity, holders, market and registration."""

from collections.abc import Mapping
from decimal import Decimal, localcontext
from typing import Any

from pipelines import frames
from pipelines.amm import EXACT
from pipelines.pricing import round_usd
from pipelines.ranking import believed_value, market_score
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import fold, symbol_key

Row = dict[str, Any]

COLUMNS: Mapping[str, frames.Kind] = {
    "symbol_key": frames.TEXT,
    "chain_id": frames.UINT32,
    "address": frames.HEX,
    "version": frames.UINT64,
    "deleted": frames.UINT8,
    "symbol": frames.TEXT,
    "symbol_folded": frames.TEXT,
    "name": frames.TEXT,
    "name_source": frames.TEXT,
    "sources": frames.TEXTS,
    "decimals": frames.UINT8,
    "total_supply_raw": frames.UINT256,
    "holders": frames.UINT64,
    "top10_share": frames.decimal(18, 9),
    "price_usd": frames.decimal(76, 36),
    "price_confidence": frames.decimal(4, 3),
    "price_source": frames.TEXT,
    "market_cap_usd": frames.decimal(76, 6),
    "fdv_usd": frames.decimal(76, 6),
    "volume_24h_usd": frames.decimal(76, 6),
    "liquidity_usd": frames.decimal(76, 6),
    "price_change_1h": frames.decimal(38, 6),
    "price_change_6h": frames.decimal(38, 6),
    "price_change_24h": frames.decimal(38, 6),
    "transactions_24h": frames.UINT64,
    "market_score": frames.decimal(18, 9),
    "token_rank": frames.UINT64,
    "heartbeat_score": frames.decimal(5, 2),
    "deployed_at": frames.TIME,
    "deployed_block": frames.UINT64,
    "deployer": frames.HEX,
    "first_seen_at": frames.TIME,
    "is_copy": frames.UINT8,
    "copy_of_chain_id": frames.UINT32,
    "copy_of_address": frames.HEX,
    "copy_rule": frames.TEXT,
    "registration_token_id": frames.UINT64,
    "registration_owner": frames.HEX,
    "registration_manager": frames.HEX,
    "registry_address": frames.HEX,
    "registered_at": frames.TIME,
    "registration_expired": frames.UINT8,
    "verification_method": frames.TEXT,
    "verified_at": frames.TIME,
    "made_by_factory": frames.UINT8,
    "logo_url": frames.TEXT,
    "website": frames.TEXT,
    "twitter": frames.TEXT,
    "telegram": frames.TEXT,
    "discord": frames.TEXT,
    "as_of_block": frames.UINT64,
    "as_of_time": frames.TIME,
}
# Types are compared by identity: comparing an Arrow type with a name costs more than all else about a row.
_SOURCES = [(name, f"{name}_hex" if kind is frames.HEX else name) for name, kind in COLUMNS.items()]
_TIMES = [name for name, kind in COLUMNS.items() if kind is frames.TIME]
_LISTS = [name for name, kind in COLUMNS.items() if kind is frames.TEXTS]
_COMPARED = [name for name in COLUMNS if name not in ("version", "as_of_block", "as_of_time")]
_LINKS = {
    "logo_url": "logoUrl",
    "website": "website",
    "twitter": "twitter",
    "telegram": "telegram",
    "discord": "discord",
}
_MARKET = (
    "price_usd", "price_confidence", "price_source", "volume_24h_usd", "liquidity_usd", "price_change_1h",
    "price_change_6h", "price_change_24h", "transactions_24h",
)  # fmt: skip
_SHARE_DIGITS = Decimal("1e-9")


def document(
    token: Mapping[str, Any],
    registration: Mapping[str, Any] | None,
    chain: Chain,
    as_of: Mapping[str, int],
    counted_through: int,
) -> Row:
    """The document of one token; copy verdict and rank are filled in where the others of its symbol are known.

    A token that is younger than ``counted_through``, the block up to which holders are counted, has unknown ones.
    """
    counted = bool(token["counted"]) or token["first_block"] <= counted_through
    row: Row = {
        "symbol_key": symbol_key(token["symbol"]),
        "chain_id": chain.chain_id,
        "address": token["token"],
        "version": 0,
        "deleted": 0,
        "symbol": token["symbol"],
        "symbol_folded": fold(token["symbol"]),
        "name": token["name"],
        "name_source": "indexer",
        "decimals": token["decimals"],
        "holders": max(0, token["holders"]) if counted else None,
        "token_rank": None,
        "heartbeat_score": token["heartbeat_score"] if token["beat_hour"].year > 1970 else None,
        "deployed_at": token["created_time"],
        "deployed_block": token["created_block"],
        "deployer": deployer(token, chain),
        "first_seen_at": token["first_time"],
        "is_copy": 0,
        "copy_of_chain_id": 0,
        "copy_of_address": "",
        "copy_rule": "",
        "made_by_factory": int(bool(token["factory"]) and f"0x{token['factory']}" == chain.contracts.get("factory")),
        **_supply_figures(token, counted),
        **_registration_columns(registration),
        **as_of,
    }
    priced = row["price_usd"] is not None
    row["sources"] = [*(["registry"] if registration else []), "indexer", *(["market"] if priced else [])]
    row["market_score"] = market_score(row["market_cap_usd"], row["volume_24h_usd"], row["liquidity_usd"])
    return row


def differs(row: Row, current: Row | None) -> bool:
    """Whether a row differs from the current one in what it shows."""
    return current is None or any(row[name] != current[name] for name in _COMPARED)


def deployer(token: Mapping[str, Any], chain: Chain) -> str:
    """Who made the contract: the sender of the transaction, or, when a relayer sent it or it went to one (an ERC-4337
    entry point), the contract that made it for them; never a relayer or its bundler. Empty when unknown."""
    relayers = {relayer[2:] for relayer in chain.relayers}
    relayed = token["creator"] in relayers or token["transaction_to"] in relayers
    account = str(token["factory"] if relayed else token["creator"])
    return "" if account in relayers else account


def supply_raw(token: Mapping[str, Any]) -> int | None:
    """Total supply in base units: what was minted less what was burned, where the token's whole life was seen and
    coins came or went since its own statement was read; else its own statement."""
    reading: int | None = token["reading_supply_raw"]
    held = int(token["supply_raw"])
    whole_life = token["created_block"] is not None
    if reading is None or (whole_life and held > 0 and token["last_supply_block"] > token["read_block"]):
        return held if held > 0 else reading
    return reading


def _supply_figures(token: Mapping[str, Any], counted: bool) -> Row:
    supply = supply_raw(token)
    metrics: Row = {name: token[name] for name in _MARKET}
    metrics["transactions_24h"] = token["transactions_24h"]
    top = sum(int(balance) for balance in token["top_balances_raw"])
    price, decimals = token["price_usd"], token["decimals"]
    cap = fdv = share = None
    with localcontext(EXACT):
        if supply and counted:
            share = min(Decimal(1), Decimal(top) / Decimal(supply)).quantize(_SHARE_DIGITS)
        if price is not None and decimals is not None and supply is not None:
            circulating = max(0, supply - max(0, int(token["dead_raw"])))
            liquidity = metrics["liquidity_usd"]
            fdv = believed_value(round_usd(price * Decimal(supply).scaleb(-decimals)), liquidity)
            cap = believed_value(round_usd(price * Decimal(circulating).scaleb(-decimals)), liquidity)
    return {**metrics, "total_supply_raw": supply, "top10_share": share, "market_cap_usd": cap, "fdv_usd": fdv}


def _registration_columns(registration: Mapping[str, Any] | None) -> Row:
    if registration is None:
        return {
            "registration_token_id": None,
            "registration_owner": "",
            "registration_manager": "",
            "registry_address": "",
            "registered_at": None,
            "registration_expired": 0,
            "verification_method": "",
            "verified_at": None,
            **dict.fromkeys(_LINKS, ""),
        }
    said: Mapping[str, Any] = registration["presented"]
    managers = registration["managers"]
    verified_at = registration["verified_at"]
    return {
        "registration_token_id": int(registration["token_id"]),
        "registration_owner": registration["owner"][2:],
        "registration_manager": managers[0][2:] if managers else "",
        "registry_address": registration["registry"][2:],
        "registered_at": int(registration["minted_at"].timestamp()),
        "registration_expired": int(registration["expired_at"] is not None),
        "verification_method": registration["verification_method"] or "",
        "verified_at": None if verified_at is None else int(verified_at.timestamp()),
        **{column: _text(said.get(key)) for column, key in _LINKS.items()},
    }


def _text(value: Any) -> str:
    """What the owner or the document's author wrote, where it is text at all."""
    return value if isinstance(value, str) else ""


def from_warehouse(row: Mapping[str, Any]) -> Row:
    """A current row in the form of :func:`document`: binary columns as hexadecimal, times in seconds."""
    made: Row = {name: row[source] for name, source in _SOURCES}
    for name in _TIMES:
        if made[name] is not None:
            made[name] = int(made[name].timestamp())
    for name in _LISTS:
        made[name] = list(made[name])
    return made
