"""What a wallet holds of an SPL token: the sum of its token accounts, read from the chain."""

from typing import Any

from indexer.chains.errors import CallFailed, NodeLied, NodeLimited, NodeUnavailable, TooManyAccounts
from indexer.chains.holding import WalletHolding
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import (
    CLOCK,
    CONFIRMED,
    multiple_accounts,
    read_account,
    read_accounts,
    read_clock,
    with_slot,
)
from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.mint_accounts import read_mint
from indexer.chains.solana.reader import SolanaReader

# The layout of both programs: https://github.com/solana-program/token-2022 (interface/src/state.rs).
_ACCOUNT_BYTES, _AMOUNT, _STATE = 165, slice(64, 72), 108
_UNINITIALIZED = 0


async def read_holding(reader: SolanaReader, mint: str, wallet: str) -> WalletHolding | None:
    """The balance of a wallet over all its token accounts, associated or not, frozen or not, of either token program;
    None if there is no mint at the address. Fees that Token-2022 withholds in an account are not the wallet's, and
    confidential balances are not known.

    Raises:
        TooManyAccounts: the wallet has too many token accounts to read.
        RpcError: the chain could not be read.
    """
    # One batch, the mint and the clock first: the balance is of their slot or of a later one.
    try:
        found, held = await reader.settle([multiple_accounts([mint, CLOCK]), accounts_of(wallet, mint)])
    except NodeLimited as error:
        raise TooManyAccounts(f"{wallet} has too many accounts of {mint}: {error}") from error
    slot, (account, clock) = read_accounts(found, 2)
    if account is None or (known := read_mint(account.owner, account.data)) is None:
        return None
    if isinstance(held, CallFailed):
        raise NodeUnavailable(f"a mint whose token accounts the node does not list: {held}")
    if isinstance(held, NodeLimited):
        raise TooManyAccounts(f"{wallet} has too many accounts of {mint}: {held}") from held
    _, listed = with_slot(held)
    balance_raw = sum_of_accounts(listed, key_bytes(mint), key_bytes(wallet), known.program)
    return WalletHolding(balance_raw, slot, read_clock(clock))


def accounts_of(wallet: str, mint: str) -> Call:
    """A request for all token accounts of a wallet and a mint, of whichever token program the mint is."""
    part = {"offset": 0, "length": _ACCOUNT_BYTES}
    return (
        "getTokenAccountsByOwner",
        (wallet, {"mint": mint}, {"encoding": "base64", "commitment": CONFIRMED, "dataSlice": part}),
    )


def sum_of_accounts(listed: Any, mint: bytes, wallet: bytes, program: str) -> int:
    """The amounts of the token accounts that a node lists, each account once.

    Raises:
        NodeLied: one is no token account of this mint and wallet.
    """
    try:
        accounts = {one["pubkey"]: read_account(one["account"]) for one in listed}
    except (TypeError, KeyError) as error:
        raise NodeLied(f"not token accounts: {str(listed)[:80]}") from error
    total = 0
    for address, account in accounts.items():
        data = account.data
        if account.owner != program or len(data) < _ACCOUNT_BYTES or data[:64] != mint + wallet:
            raise NodeLied(f"{address} is no account of the mint and wallet that were asked for")
        if data[_STATE] != _UNINITIALIZED:
            total += int.from_bytes(data[_AMOUNT], "little")
    return total
