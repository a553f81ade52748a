"""The registry program's interface (``idl.json``, in Anchor's format 0.1.0): encodes instructions, decodes accounts,
events and errors. Values are Borsh: numbers little-endian, text as its length in four bytes and UTF-8.
"""

import json
import struct
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

_NUMBERS = {"u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q", "i64": "<q"}
FIRST_ERROR = 6000
EVENT_TAG = bytes.fromhex("e445a52e51cb9a1d")
"""Anchor's mark of an instruction with which a program records an event."""


@cache
def document() -> Mapping[str, Any]:
    """The whole interface."""
    found: Mapping[str, Any] = json.loads(files("indexer.contracts.solana").joinpath("idl.json").read_text())
    return found


def instruction(
    program: Pubkey, name: str, accounts: Mapping[str, Pubkey], arguments: Mapping[str, Any] | None = None
) -> Instruction:
    """An instruction of the program. Accounts with a fixed address, and the program itself, need not be named.

    Raises:
        KeyError: an account or an argument is missing.
    """
    declared = _named("instructions", name)
    named = {"program": program, **accounts}
    metas = [
        AccountMeta(
            Pubkey.from_string(one["address"]) if "address" in one else named[one["name"]],
            one.get("signer", False),
            one.get("writable", False),
        )
        for one in declared["accounts"]
    ]
    data = discriminator(name) + b"".join(
        encode(one["type"], (arguments or {})[one["name"]]) for one in declared["args"]
    )
    return Instruction(program, data, metas)


def discriminator(name: str) -> bytes:
    """How the data of an instruction begins."""
    return bytes(_named("instructions", name)["discriminator"])


def decode_account(name: str, data: bytes) -> dict[str, Any]:
    """The fields of an account of the program.

    Raises:
        ValueError: the data is no such account.
    """
    return _decode_tagged("accounts", name, data)


def decode_event(data: bytes) -> tuple[str, dict[str, Any]]:
    """The name and the fields of an event, from the data of the instruction with which the program recorded it.

    Raises:
        ValueError: the data is no event of the program.
    """
    if not is_event(data):
        raise ValueError("not an event of the registry program")
    name = _event_names().get(data[len(EVENT_TAG)])
    if name is None:
        raise ValueError(f"event {data[len(EVENT_TAG)]} is not known")
    return name, _decode_tagged("events", name, data[len(EVENT_TAG) :])


def is_event(data: bytes) -> bool:
    """Whether this is the data of an instruction with which the program records an event."""
    return len(data) > len(EVENT_TAG) and data.startswith(EVENT_TAG)


def error_name(code: int) -> str | None:
    """The name of an error by the custom code of a refused transaction; None where it is not the program's."""
    return next((error["name"] for error in document()["errors"] if error["code"] == code), None)


def error_code(name: str) -> int:
    """The custom code of an error."""
    return int(_named("errors", name)["code"])


def encode(kind: Any, value: Any) -> bytes:
    """A value in Borsh."""
    if isinstance(kind, dict):
        item, count = kind["array"]
        if len(value) != count:
            raise ValueError(f"{count} values expected, {len(value)} given")
        return bytes(value) if item == "u8" else b"".join(encode(item, one) for one in value)
    if kind == "bool":
        return bytes([value])
    if kind == "pubkey":
        return bytes(value)
    if kind == "string":
        text: bytes = value.encode()
        return struct.pack("<I", len(text)) + text
    return struct.pack(_NUMBERS[kind], value)


def decode(kind: Any, data: bytes, at: int) -> tuple[Any, int]:
    """A value in Borsh at an offset, and the offset after it.

    Raises:
        ValueError: the data ends before.
    """
    if isinstance(kind, dict):
        return _decode_compound(kind, data, at)
    if kind == "bool":
        return bool(_part(data, at, 1)[0]), at + 1
    if kind == "pubkey":
        return Pubkey(_part(data, at, 32)), at + 32
    if kind == "string":
        size = struct.unpack("<I", _part(data, at, 4))[0]
        return _part(data, at + 4, size).decode(), at + 4 + size
    size = struct.calcsize(_NUMBERS[kind])
    return struct.unpack(_NUMBERS[kind], _part(data, at, size))[0], at + size


def _decode_compound(kind: Mapping[str, Any], data: bytes, at: int) -> tuple[Any, int]:
    if "defined" in kind:
        return _decode_fields(_fields(kind["defined"]["name"]), data, at)
    item, count = kind["array"]
    if item == "u8":
        return _part(data, at, count), at + count
    found = []
    for _ in range(count):
        value, at = decode(item, data, at)
        found.append(value)
    return found, at


def _decode_tagged(section: str, name: str, data: bytes) -> dict[str, Any]:
    tag = bytes(_named(section, name)["discriminator"])
    if data[: len(tag)] != tag:
        raise ValueError(f"not a {name}")
    return _decode_fields(_fields(name), data, len(tag))[0]


def _decode_fields(fields: Sequence[Mapping[str, Any]], data: bytes, at: int) -> tuple[dict[str, Any], int]:
    found = {}
    for one in fields:
        found[one["name"]], at = decode(one["type"], data, at)
    return found, at


def _fields(name: str) -> Sequence[Mapping[str, Any]]:
    fields: Sequence[Mapping[str, Any]] = _named("types", name)["type"]["fields"]
    return fields


@cache
def _event_names() -> Mapping[int, str]:
    return {event["discriminator"][0]: event["name"] for event in document()["events"]}


@cache
def _named(section: str, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = next(one for one in document()[section] if one["name"] == name)
    return found


def _part(data: bytes, at: int, size: int) -> bytes:
    if at + size > len(data):
        raise ValueError(f"{size} bytes expected at {at} of {len(data)}")
    return data[at : at + size]
