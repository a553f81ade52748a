"""What is known about each chain, in one place: ``builtin.toml`` with the operator's file laid over it.

Tables of the operator's file merge over the built-in ones, arrays replace them. A chain is enabled when it has
``rpc_urls``. Nothing here contacts a node.
"""

import tomllib
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

KNOWN_CONTRACTS = frozenset({"registry", "factory", "checkout", "locker"})


class ChainFactsError(ValueError):
    """The chains file cannot be read, or says something impossible; the message names the key."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A token the chain's prices rest on."""

    address: str
    symbol: str
    decimals: int


@dataclass(frozen=True, slots=True)
class Exchange:
    """One exchange deployment: the protocol it speaks and the addresses that make its pools genuine.

    ``fee_ppm`` is the fee of V2 pools, which do not announce it, in parts per million.
    """

    protocol: str
    name: str
    factory: str
    router: str | None = None
    fee_ppm: int = 3000


@dataclass(frozen=True, slots=True)
class Chain:
    """Facts of one chain. Addresses are 0x-prefixed lower-case hexadecimal."""

    key: str
    chain_id: int
    name: str
    kind: str
    aliases: tuple[str, ...]
    native_symbol: str
    native_decimals: int
    explorer_url: str
    finality_blocks: int
    block_seconds: float
    claim_only: bool = False
    start_block: int = 0
    rpc_urls: tuple[str, ...] = ()
    wrapped_native: str | None = None
    stablecoins: tuple[Asset, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    contracts: Mapping[str, str] = field(default_factory=dict)
    relayers: tuple[str, ...] = ()

    @property
    def enabled(self) -> bool:
        """Whether a node is configured."""
        return bool(self.rpc_urls)

    @property
    def caip2(self) -> str:
        """CAIP-2 identifier, such as ``eip155:8453``."""
        return f"eip155:{self.chain_id}" if self.kind == "evm" else "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"


@dataclass(frozen=True, slots=True)
class Chains:
    """All chains, looked up by key, alias or numeric id."""

    by_key: Mapping[str, Chain]

    def find(self, name: str) -> Chain | None:
        """The chain called ``name``: its key, an alias (``arb``, ``sol``, ``bsc``) or its decimal chain id."""
        wanted = name.lower()
        if wanted in self.by_key:
            return self.by_key[wanted]
        for chain in self.by_key.values():
            if wanted in chain.aliases or (chain.kind == "evm" and wanted == str(chain.chain_id)):
                return chain
        return None

    def by_id(self, chain_id: int) -> Chain | None:
        """The chain with this numeric id (Solana is 900900)."""
        return next((chain for chain in self.by_key.values() if chain.chain_id == chain_id), None)

    def enabled(self) -> tuple[Chain, ...]:
        """Chains with a node, in the order of the facts."""
        return tuple(chain for chain in self.by_key.values() if chain.enabled)


def load(path: Path | None) -> Chains:
    """Built-in facts with the file at ``path`` laid over them.

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
        return Chains({key: _chain(key, table) for key, table in tables.items()})
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


def _address(chain: str, name: str, value: str) -> str:
    text = value.lower()
    if not (text.startswith("0x") and len(text) == 42 and all(digit in "0123456789abcdef" for digit in text[2:])):
        raise ChainFactsError(f"chains.{chain}.{name}: {value!r} is not a 20-byte hexadecimal address")
    return text


def _chain(key: str, table: Mapping[str, Any]) -> Chain:
    assets = table.get("assets", {})
    evm = table["kind"] == "evm"

    def address(name: str, value: str) -> str:
        return _address(key, name, value) if evm else value

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
        aliases=tuple(table.get("aliases", ())),
        native_symbol=table["native_symbol"],
        native_decimals=int(table.get("native_decimals", 18)),
        explorer_url=table["explorer_url"],
        finality_blocks=int(table["finality_blocks"]),
        block_seconds=float(table["block_seconds"]),
        claim_only=bool(table.get("claim_only", False)),
        start_block=int(table.get("start_block", 0)),
        rpc_urls=tuple(table.get("rpc_urls", ())),
        wrapped_native=address("assets.wrapped_native", wrapped) if wrapped else None,
        stablecoins=tuple(
            Asset(address("assets.stablecoins", coin["address"]), coin["symbol"], int(coin["decimals"]))
            for coin in assets.get("stablecoins", ())
        ),
        exchanges=tuple(
            Exchange(
                protocol=item["protocol"],
                name=item["name"],
                factory=address("exchanges", item.get("pool_manager") or item["factory"]),
                router=address("exchanges.router", item["router"]) if item.get("router") else None,
                fee_ppm=int(item.get("fee_ppm", 3000)),
            )
            for item in table.get("exchanges", ())
        ),
        contracts=contracts,
        relayers=tuple(address("relayers", item) for item in table.get("relayers", ())),
    )
