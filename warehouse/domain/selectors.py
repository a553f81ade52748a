"""Function selectors and event topics: what a call or a log of an EVM contract begins with."""

from functools import cache
from typing import Final

from eth_hash.auto import keccak


@cache
def function_selector(signature: str) -> str:
    """The first four bytes of a call, such as ``0x06fdde03`` for ``name()``."""
    return "0x" + keccak(signature.encode())[:4].hex()


@cache
def event_topic(signature: str) -> bytes:
    """The first topic of an event, 32 bytes."""
    return keccak(signature.encode())


NAME: Final = function_selector("name()")
SYMBOL: Final = function_selector("symbol()")
DECIMALS: Final = function_selector("decimals()")
TOTAL_SUPPLY: Final = function_selector("totalSupply()")
BALANCE_OF: Final = function_selector("balanceOf(address)")
OWNER: Final = function_selector("owner()")
ALLOWANCE: Final = function_selector("allowance(address,address)")
APPROVE: Final = function_selector("approve(address,uint256)")
GET_OWNER: Final = function_selector("getOwner()")


def balance_of(account: str) -> str:
    """Data of the call ``balanceOf(account)``; ``account`` is hexadecimal, with or without 0x."""
    return BALANCE_OF + account.removeprefix("0x").rjust(64, "0")
