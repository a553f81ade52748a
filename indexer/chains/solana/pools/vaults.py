"""What the vaults of pools gained and held in one transaction: from token balances and the transfers in between."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_2022_PROGRAM
from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import Call, DecodedTransaction, TokenBalance

_TRANSFER, _TRANSFER_CHECKED, _FEE_EXTENSION = 3, 12, 26
_WITH_FEE = 1
_SYSTEM_TRANSFER = 2


@dataclass(frozen=True, slots=True)
class Transfer:
    """An amount that an instruction moved between two accounts, before what Token-2022 withholds."""

    source: str
    destination: str
    amount: int


@dataclass(frozen=True, slots=True)
class VaultBalance:
    """A vault's mint, its owner, and its balances before and after the transaction. ``withholds`` if its program can
    take a fee from transfers."""

    mint: bytes
    owner: str | None
    before: int
    after: int
    withholds: bool


def read_transfer(call: Call) -> Transfer | None:
    """The transfer of tokens or lamports that a call is; None for every other call."""
    data, accounts = call.data, call.accounts
    if call.program == SYSTEM_PROGRAM:
        if len(data) == 12 and int.from_bytes(data[:4], "little") == _SYSTEM_TRANSFER and len(accounts) >= 2:
            return Transfer(accounts[0], accounts[1], int.from_bytes(data[4:], "little"))
        return None
    kind = data[0] if data else None
    if kind == _TRANSFER and len(accounts) >= 3 and len(data) >= 9:
        return Transfer(accounts[0], accounts[1], int.from_bytes(data[1:9], "little"))
    if kind == _TRANSFER_CHECKED and len(accounts) >= 4 and len(data) >= 9:
        return Transfer(accounts[0], accounts[2], int.from_bytes(data[1:9], "little"))
    if kind == _FEE_EXTENSION and len(accounts) >= 4 and len(data) >= 10 and data[1] == _WITH_FEE:
        return Transfer(accounts[0], accounts[2], int.from_bytes(data[2:10], "little"))
    return None


def vault_balances(transaction: DecodedTransaction, vaults: Collection[str]) -> dict[str, VaultBalance]:
    """Balances of these accounts, those that are token accounts."""
    before, after = (
        {account: item for item in listed or () if (account := transaction.accounts[item.account_index]) in vaults}
        for listed in (transaction.meta.pre_token_balances, transaction.meta.post_token_balances)
    )
    found: dict[str, VaultBalance] = {}
    for account in before.keys() | after.keys():
        item = after.get(account) or before[account]
        found[account] = VaultBalance(
            key_bytes(item.mint),
            item.owner,
            _amount(before, account),
            _amount(after, account),
            item.program_id == TOKEN_2022_PROGRAM,
        )
    return found


def hop_transfers(transfers: Sequence[Transfer], into: str, from_: str, start: int) -> int | None:
    """Where in a route's transfers, from ``start`` on, one goes into a vault and the next comes out of the other."""
    for place in range(start, len(transfers) - 1):
        if transfers[place].destination == into and transfers[place + 1].source == from_:
            return place
    return None


def withheld(balances: dict[str, VaultBalance], transfers: Collection[Transfer]) -> dict[str, tuple[int, int]]:
    """For each vault that received less than was sent to it: how much was withheld, of how much."""
    sent: defaultdict[str, int] = defaultdict(int)
    net: defaultdict[str, int] = defaultdict(int)
    for one in transfers:
        if one.source == one.destination:
            continue
        sent[one.destination] += one.amount
        net[one.destination] += one.amount
        net[one.source] -= one.amount
    missing = {
        account: (net[account] - (balance.after - balance.before), sent[account])
        for account, balance in balances.items()
        if balance.withholds
    }
    return {account: (taken, whole) for account, (taken, whole) in missing.items() if 0 < taken <= whole}


def _amount(listed: dict[str, TokenBalance], account: str) -> int:
    return int(listed[account].ui_token_amount.amount) if account in listed else 0
