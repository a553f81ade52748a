"""Reads what a chains file says about the instructions of an exchange's program."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from warehouse.domain.pool_programs import Curve, PoolAction, PoolInstruction, PoolProtocol

_PLACES = ("position", "ticks", "liquidity", "sqrt_price")
_DECLARED = frozenset(PoolAction) - {PoolAction.IGNORE}
_VAULTS = {PoolProtocol.CONSTANT_PRODUCT: 2, PoolProtocol.CONCENTRATED: 2, PoolProtocol.BONDING_CURVE: 1}


def anchor_discriminator(name: str) -> bytes:
    """The first eight bytes of the data of an Anchor program's instruction."""
    return hashlib.sha256(f"global:{name}".encode()).digest()[:8]


def read_instructions(table: Mapping[str, Any]) -> tuple[PoolInstruction, ...]:
    """The instructions that an exchange's table declares.

    Raises:
        ValueError: an instruction cannot be what it is said to be; the message names it.
    """
    protocol = table.get("protocol")
    return tuple(_instructions(PoolProtocol(protocol), table)) if protocol in list(PoolProtocol) else ()


def read_curve(table: Mapping[str, Any]) -> Curve | None:
    """The reserves that an exchange's bonding curves begin with.

    Raises:
        ValueError: a bonding curve without them, or ones that sell more than there is.
    """
    if table.get("protocol") != PoolProtocol.BONDING_CURVE:
        return None
    given = table.get("curve", {})
    try:
        curve = Curve(**{name: int(given[name]) for name in ("virtual_tokens", "virtual_quote", "tokens_for_sale")})
    except KeyError as error:
        raise ValueError(f"curve.{error.args[0]} is missing") from None
    if not 0 < curve.tokens_for_sale < curve.virtual_tokens or curve.virtual_quote <= 0:
        raise ValueError("curve: tokens_for_sale must be less than virtual_tokens, and all above zero")
    return curve


def _instructions(protocol: PoolProtocol, table: Mapping[str, Any]) -> Iterator[PoolInstruction]:
    for name, given in table.get("instructions", {}).items():
        for item in given if isinstance(given, list) else [given]:
            try:
                yield _instruction(protocol, name, item)
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"instructions.{name}: {error}") from error
    for name in table.get("ignored", ()):
        yield PoolInstruction(PoolAction.IGNORE, anchor_discriminator(name))


def _instruction(protocol: PoolProtocol, name: str, given: Mapping[str, Any]) -> PoolInstruction:
    action = PoolAction(given["action"])
    if action not in _DECLARED:
        raise ValueError(f"action must be one of {', '.join(sorted(_DECLARED))}")
    found = PoolInstruction(
        action=action,
        discriminator=bytes.fromhex(given["data"]) if "data" in given else anchor_discriminator(name),
        pool=int(given["pool"]),
        vaults=tuple(map(int, given.get("vaults", ()))),
        mints=tuple(map(int, given.get("mints", ()))),
        anywhere=bool(given.get("anywhere", False)),
        **{place: int(given[place]) if place in given else None for place in _PLACES},
    )
    sides = _VAULTS[protocol]
    positioned = action not in (PoolAction.CREATE, PoolAction.SWAP, PoolAction.UNKNOWN)
    if not found.discriminator:
        raise ValueError("data must not be empty")
    if action is PoolAction.CREATE and len(found.mints) != sides:
        raise ValueError(f"mints must name {sides} accounts")
    if len(found.vaults) != sides and action not in (PoolAction.OPEN, PoolAction.UNKNOWN):
        raise ValueError(f"vaults must name {sides} accounts")
    if protocol is PoolProtocol.CONCENTRATED and action is PoolAction.CREATE and found.sqrt_price is None:
        raise ValueError("sqrt_price is missing")
    if protocol is PoolProtocol.CONCENTRATED and positioned and found.position is None:
        raise ValueError("position is missing")
    if action in (PoolAction.OPEN, PoolAction.REPOSITION) and found.ticks is None:
        raise ValueError("ticks is missing")
    return found
