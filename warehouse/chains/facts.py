"""What is known about each chain, in one place: ``builtin.toml`` overridden by the operator's file.

Tables of the operator's file merge over the built-in ones, arrays replace them. A chain is enabled when it has
``rpc_urls``. Nothing here contacts a node.
"""

import tomllib
import warnings
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from warehouse.chains.pool_programs import read_curve, read_instructions
from warehouse.domain.addresses import AddressError, AddressFormat, stored_text
from warehouse.domain.chains import KNOWN_CONTRACTS, Asset, Capability, Chain, Chains, Dex

MIN_KEPT_MONTHS = 3
"""What an hour's scores, a month's changes and a reorganisation can reach back to is younger."""


class ChainFactsError(ValueError):
    """The chains file cannot be read, or says something impossible; the message names the key."""


def load(path: Path | None) -> Chains:
    """Built-in facts overridden by the file at ``path``.

    Raises:
        ChainFactsError: the file is missing, is not TOML, names an unknown chain or lacks a required key.
    """
    facts = dict(_builtin())
    if path is not None:
        try:
            overlay = tomllib.loads(path.read_text())
        except OSError as error:
            raise ChainFactsError(f"chains file {path}: {error.strerror}") from error
        except tomllib.TOMLDecodeError as error:
            raise ChainFactsError(f"chains file {path}: {error}") from error
        facts = _merge(facts, overlay)
    try:
        tables = facts["chains"]
        return Chains({key: _chain(key, table, facts["kinds"]) for key, table in tables.items()})
    except (KeyError, TypeError, AttributeError) as error:
        raise ChainFactsError(f"chains file {path}: missing or malformed {error}") from error


@cache
def _builtin() -> Mapping[str, Any]:
    return tomllib.loads(files("warehouse.chains").joinpath("builtin.toml").read_text())


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _merge(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return merged


def _address(chain: str, name: str, value: str, form: AddressFormat) -> str:
    try:
        return stored_text(value.lower() if form is AddressFormat.HEX else value, form)
    except AddressError:
        described = "20-byte hexadecimal" if form is AddressFormat.HEX else "32-byte base58"
        raise ChainFactsError(f"chains.{chain}.{name}: {value!r} is not a {described} address") from None


def _kept_months(chain: str, value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or value < MIN_KEPT_MONTHS:
        raise ChainFactsError(f"chains.{chain}.kept_months: {value!r} is not a number from {MIN_KEPT_MONTHS} on")
    return value


def _dex(chain: str, item: Mapping[str, Any], form: AddressFormat) -> Dex:
    try:
        instructions, curve = read_instructions(item), read_curve(item)
    except ValueError as error:
        raise ChainFactsError(f"chains.{chain}.exchanges.{item.get('name')}: {error}") from error
    return Dex(
        protocol=item["protocol"],
        name=item["name"],
        factory=_address(chain, "exchanges", item.get("pool_manager") or item["factory"], form),
        router=_address(chain, "exchanges.router", item["router"], form) if item.get("router") else None,
        fee_ppm=int(item.get("fee_ppm", 3000)),
        instructions=instructions,
        curve=curve,
    )


def _chain(key: str, table: Mapping[str, Any], kinds: Mapping[str, Mapping[str, Any]]) -> Chain:
    kind = kinds.get(table["kind"])
    if kind is None:
        raise ChainFactsError(f"chains.{key}.kind: {table['kind']!r} is not one of {', '.join(kinds)}")
    assets = table.get("assets", {})
    form = AddressFormat(kind["address_format"])

    def address(name: str, value: str) -> str:
        return _address(key, name, value, form)

    contracts = {}
    for name, value in table.get("contracts", {}).items():
        if name not in KNOWN_CONTRACTS:
            warnings.warn(f"chains.{key}.contracts.{name} is not known and is ignored", stacklevel=3)
            continue
        contracts[name] = address(f"contracts.{name}", value)
    wrapped = assets.get("wrapped_native")
    return Chain(
        key=key,
        chain_id=int(table["chain_id"]),
        name=table["name"],
        kind=table["kind"],
        caip2=table.get("caip2") or f"{kind['caip2_namespace']}:{table['chain_id']}",
        address_format=form,
        capabilities=frozenset(map(Capability, kind["capabilities"])),
        token_standard=kind["token_standard"],
        aliases=tuple(table.get("aliases", ())),
        native_symbol=table["native_symbol"],
        native_decimals=int(table.get("native_decimals", 18)),
        explorer_url=table["explorer_url"],
        finality_blocks=int(table["finality_blocks"]),
        block_seconds=float(table["block_seconds"]),
        claim_only=bool(table.get("claim_only", False)),
        start_block=int(table.get("start_block", 0)),
        kept_months=_kept_months(key, table.get("kept_months")),
        rpc_urls=tuple(table.get("rpc_urls", ())),
        wrapped_native=address("assets.wrapped_native", wrapped) if wrapped else None,
        stablecoins=tuple(
            Asset(address("assets.stablecoins", coin["address"]), coin["symbol"], int(coin["decimals"]))
            for coin in assets.get("stablecoins", ())
        ),
        dexes=tuple(_dex(key, item, form) for item in table.get("exchanges", ())),
        contracts=contracts,
        relayers=tuple(address("relayers", item) for item in table.get("relayers", ())),
        launchpads=tuple(address("launchpads", item) for item in table.get("launchpads", ())),
        creator_programs=tuple(address("creator_programs", item) for item in table.get("creator_programs", ())),
        control_methods=tuple(kind.get("control_methods", ())),
    )
