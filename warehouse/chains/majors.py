"""Reads the list of major coins: ``majors.toml`` overridden by the operator's file (``REGALIA_MAJORS``)."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from warehouse.chains.facts import ChainFactsError
from warehouse.domain.chains import Chains
from warehouse.domain.majors import Majors, Place
from warehouse.domain.symbols import fold


def load(chains: Chains, path: Path | None = None) -> Majors:
    """The listed majors, with each chain's own stablecoins and wrapped native coin (where the major of that name is
    listed) as further canonical addresses.

    Raises:
        ChainFactsError: the file at ``path`` is missing, is not TOML, or is not made of tables of addresses.
    """
    listed = {symbol: dict(places) for symbol, places in _builtin().items()}
    if path is not None:
        try:
            listed.update(tomllib.loads(path.read_text())["majors"])
        except OSError as error:
            raise ChainFactsError(f"majors file {path}: {error.strerror}") from error
        except (tomllib.TOMLDecodeError, KeyError, ValueError) as error:
            raise ChainFactsError(f"majors file {path}: {error}") from error
    table: dict[str, list[Place]] = {}
    for symbol, places in listed.items():
        if not isinstance(places, Mapping):
            raise ChainFactsError(f"majors file {path}: majors.{symbol} must be a table of addresses by chain key")
        known = table.setdefault(fold(symbol), [])
        for key, address in places.items():
            chain = chains.by_key.get(key)
            if chain is not None:
                known.append((chain.chain_id, address.lower()))
    for chain in chains.by_key.values():
        for coin in chain.stablecoins:
            _add(table, coin.symbol, (chain.chain_id, coin.address))
        if chain.wrapped_native:
            _add(table, f"W{chain.native_symbol}", (chain.chain_id, chain.wrapped_native))
    return Majors({symbol: tuple(places) for symbol, places in table.items() if places})


@cache
def _builtin() -> Mapping[str, Mapping[str, str]]:
    majors: Mapping[str, Mapping[str, str]] = tomllib.loads(
        files("warehouse.chains").joinpath("majors.toml").read_text()
    )["majors"]
    return majors


def _add(table: Mapping[str, list[Place]], symbol: str, place: Place) -> None:
    known = table.get(fold(symbol))
    if known is not None and place not in known:
        known.append(place)
