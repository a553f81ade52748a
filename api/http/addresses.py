"""Reads addresses, hashes and symbols of requests and returns them as the store has them."""

import re
from importlib import import_module
from typing import Any, TypeAlias

from api.http.errors import InvalidInput
from warehouse.domain.addresses import AddressError, AddressFormat, is_base58_address, stored_text
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import REGISTRABLE_PATTERN

ArrowColumn: TypeAlias = Any  # pyarrow.ChunkedArray, which carries no types
_TRANSACTION = re.compile(r"0x[0-9a-fA-F]{64}")
_SOLANA_TRANSACTION = re.compile(r"[1-9A-HJ-NP-Za-km-z]{64,88}")
_HEX = re.compile(r"0[xX][0-9a-fA-F]{40}")
_SYMBOL = re.compile(REGISTRABLE_PATTERN)


def evm_address(field: str, text: str) -> str:
    """The address in lower case. All-lower and all-upper digits carry no checksum; mixed ones must be right.

    Raises:
        InvalidInput: not twenty bytes of hexadecimal, or a wrong checksum.
    """
    try:
        return stored_text(text, AddressFormat.HEX)
    except AddressError as error:
        raise InvalidInput(field, str(error)) from error


def chain_address(field: str, text: str, chain: Chain) -> str:
    """An address of the chain in the store's form. Base58 keeps its case, which counts.

    Raises:
        InvalidInput: not written as on that chain, or a wrong checksum.
    """
    try:
        return stored_text(text, chain.address_format)
    except AddressError as error:
        if chain.address_format is AddressFormat.BASE58 and _HEX.fullmatch(text):
            raise InvalidInput(field, f"is an EVM address; on {chain.name} it {error}") from error
        if chain.address_format is AddressFormat.HEX and is_base58_address(text):
            raise InvalidInput(field, f"is a Solana address; on {chain.name} it {error}") from error
        raise InvalidInput(field, str(error)) from error


def wallet_text(text: str) -> str | None:
    """A wallet in the store's form, or None when it is neither an EVM nor a Solana address."""
    if is_base58_address(text):
        return text
    try:
        return evm_address("wallet", text)
    except InvalidInput:
        return None


def wallet_address(field: str, text: str) -> str:
    """A wallet of either kind in the store's form.

    Raises:
        InvalidInput: it is neither, or has a wrong checksum.
    """
    if is_base58_address(text):
        return text
    if not text.lower().startswith("0x"):
        raise InvalidInput(field, "must be 0x and 40 hexadecimal digits (EVM), or 32 bytes in base58 (Solana)")
    return evm_address(field, text)


def transaction_hash(field: str, text: str) -> str:
    """A transaction hash in lower case.

    Raises:
        InvalidInput: not 32 bytes of hexadecimal.
    """
    if not _TRANSACTION.fullmatch(text):
        raise InvalidInput(field, "must be 0x and 64 hexadecimal digits")
    return text.lower()


def transaction_on(field: str, text: str, chain: Chain) -> str:
    """What names a transaction of a chain: its hash in lower case, or on Solana its first signature in base58.

    Raises:
        InvalidInput: it is written otherwise.
    """
    if chain.address_format is AddressFormat.HEX:
        return transaction_hash(field, text)
    if not _SOLANA_TRANSACTION.fullmatch(text):
        raise InvalidInput(field, "must be a signature of 64 bytes in base58")
    return text


def claim_symbol(field: str, text: str) -> str:
    """A symbol that can be registered, upper-cased.

    Raises:
        InvalidInput: not 1 to 12 of A-Z and 0-9.
    """
    symbol = text.upper()
    if not (text.isascii() and _SYMBOL.fullmatch(symbol)):
        raise InvalidInput(field, "must be 1 to 12 letters A-Z or digits")
    return symbol


def are_registrable(symbols: ArrowColumn) -> ArrowColumn:
    """:func:`warehouse.domain.symbols.is_registrable_symbol` of each of a column of thousands."""
    compute: Any = import_module("pyarrow.compute")  # commands that check an address need no Arrow
    upper = compute.ascii_upper(symbols)
    fits = compute.match_substring_regex(upper, pattern=f"^(?:{_SYMBOL.pattern})$")
    return compute.and_not(fits, compute.match_substring_regex(upper, pattern="^[0-9]*$"))
