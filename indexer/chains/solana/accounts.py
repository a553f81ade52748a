"""Accounts in the answers of nodes, with their data in base64."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from indexer.chains.errors import NodeLied, RpcError
from indexer.chains.jsonrpc import Call

CONFIRMED = "confirmed"
"""The commitment of what claims read: two thirds of the stake voted for the block."""
MAX_ACCOUNTS = 100
"""Most addresses in one ``getMultipleAccounts``."""
_DATA_BYTES = 128 << 10
"""The most of an account's data that is asked for. The largest that are read are mints with metadata of 64 kB; an
account can have 10 MB, and anybody can name it."""
SYSTEM_PROGRAM = "1" * 32
TOKEN_PROGRAM = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"  # noqa: S105 - an address
TOKEN_2022_PROGRAM = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"  # noqa: S105 - an address
TOKEN_PROGRAMS = frozenset({TOKEN_PROGRAM, TOKEN_2022_PROGRAM})
CLOCK = "SysvarC1ock11111111111111111111111111111111"
_LAST_SECOND = 2**32 - 1
"""The last time that the warehouse can keep, in the year 2106."""


@dataclass(frozen=True, slots=True)
class Account:
    """An account: the program that owns it (base58), its lamports, its data."""

    owner: str
    lamports: int
    data: bytes


def multiple_accounts(addresses: Sequence[str], commitment: str = CONFIRMED) -> Call:
    """A request for at most ``MAX_ACCOUNTS`` accounts (base58), all as of one slot, each with the first 128 kB of its
    data."""
    part = {"offset": 0, "length": _DATA_BYTES}
    return "getMultipleAccounts", (
        list(addresses),
        {"encoding": "base64", "commitment": commitment, "dataSlice": part},
    )


def read_accounts(answer: Any, count: int) -> tuple[int, list[Account | None]]:
    """The slot, and the accounts in the order asked for; None where there is none.

    Raises:
        RpcError: the node answered an error, or something else.
    """
    slot, found = with_slot(answer)
    if not isinstance(found, list) or len(found) != count:
        raise NodeLied(f"not {count} accounts: {str(found)[:80]}")
    return slot, [None if one is None else read_account(one) for one in found]


def read_account(value: Any) -> Account:
    """An account as nodes write it, with its data in base64.

    Raises:
        NodeLied: it is not written so.
    """
    try:
        data, encoding = value["data"]
        if encoding != "base64":
            raise NodeLied(f"an account's data is in {encoding!r}")
        return Account(str(value["owner"]), int(value["lamports"]), base64.b64decode(data, validate=True))
    except (TypeError, KeyError, ValueError, binascii.Error) as error:
        raise NodeLied(f"not an account: {str(value)[:80]}") from error


def with_slot(answer: Any) -> tuple[int, Any]:
    """The slot that an answer holds as of, and its value.

    Raises:
        RpcError: the node answered an error, or something without a slot.
    """
    if isinstance(answer, RpcError):
        raise answer
    try:
        return int(answer["context"]["slot"]), answer["value"]
    except (TypeError, KeyError, ValueError) as error:
        raise NodeLied(f"an answer without its slot: {str(answer)[:80]}") from error


def read_clock(account: Account | None) -> int:
    """The chain's time in Unix seconds, from the clock's account.

    Raises:
        NodeLied: it is not the clock, or a time that no calendar has.
    """
    if account is None or len(account.data) < 40:
        raise NodeLied("the node has no clock")
    seconds = int.from_bytes(account.data[32:40], "little", signed=True)
    if not 0 <= seconds <= _LAST_SECOND:
        raise NodeLied(f"the node's clock says {seconds}")
    return seconds
