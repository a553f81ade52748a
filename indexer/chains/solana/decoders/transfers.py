"""Rows of fact_transfer: what each owner of token accounts gained or gave, per transaction and mint.

They come from the balances before and after a transaction and not from instructions: so fees, hooks, burns by a
delegate, closed and reopened accounts and changes of an account's owner are all counted, each for the owner that the
account had on that side. A transaction is paired into as few transfers as its net changes allow, in the order in which
its accounts are listed.

Token-2022 has balances that accounts do not show: fees withheld in them, and confidential amounts. The mint's own
address holds those. What its instructions minted and burned tells them apart, so that everyone's holdings always sum
up to what was minted less what was burned. Mints of SPL Token hide nothing: what owners gained together was minted.
"""

from collections.abc import Mapping

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM
from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import DecodedBlock, DecodedTransaction, TokenBalance, log_index
from indexer.chains.solana.decoders.frame import Columns, Scope
from indexer.chains.solana.decoders.mint_events import EVENTS, Seen
from indexer.chains.solana.decoders.token_instructions import issued
from warehouse.domain.mints import TokenProgram

NATIVE_MINTS = frozenset(
    {"So11111111111111111111111111111111111111112", "9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXej9"}
)
"""Wrapped SOL in either token program: balances grow and shrink without being minted or burned."""
NOBODY = bytes(20)
"""The sender of what is minted and the receiver of what is burned, as on every kind of chain."""

_NO_OWNER = "a balance of {} without the owner of its account"

Gains = dict[str, int]
"""What each owner gained (negative: gave) of one mint."""


def decode(block: DecodedBlock, _scope: Scope) -> Mapping[str, Columns]:
    """Rows of fact_transfer, and which mints were moved."""
    tokens: list[bytes] = []
    places: list[int] = []
    hashes: list[bytes] = []
    senders: list[bytes] = []
    receivers: list[bytes] = []
    amounts: list[int] = []
    seen: dict[str, TokenBalance] = {}
    moved: set[str] = set()
    for transaction in block.transactions:
        gains = gains_by_mint(transaction, seen)
        if not gains:
            continue
        moves = [(mint, move) for mint, owners in gains.items() for move in pair(owners)]
        hashes += [transaction.signature] * len(moves)
        for row, (mint, (sender, receiver, amount)) in enumerate(moves):
            moved.add(mint)
            tokens.append(key_bytes(mint))
            places.append(log_index(transaction.index, row))
            senders.append(key_bytes(sender) if sender else NOBODY)
            receivers.append(key_bytes(receiver) if receiver else NOBODY)
            amounts.append(amount)
    if not tokens:
        return {}
    return {
        "fact_transfer": {
            "block_number": [block.slot] * len(tokens),
            "log_index": places,
            "transaction_hash": hashes,
            "token": tokens,
            "from_address": senders,
            "to_address": receivers,
            "amount_raw": amounts,
        },
        EVENTS: {"event": [_seen(balance, block.slot) for mint, balance in seen.items() if mint in moved]},
    }


def gains_by_mint(transaction: DecodedTransaction, seen: dict[str, TokenBalance]) -> dict[str, Gains]:
    """What each owner gained of each mint whose balances changed. ``seen`` learns a balance of each of these mints.

    Raises:
        ValueError: the node does not tell an account's owner.
    """
    meta = transaction.meta
    after = meta.post_token_balances or ()
    if not after and not meta.pre_token_balances:
        return {}
    before = {balance.account_index: balance for balance in meta.pre_token_balances or ()}
    gains: dict[str, Gains] = {}
    for balance in after:
        earlier = before.pop(balance.account_index, None)
        if earlier is None:
            _gain(gains, balance, 1, seen)
            continue
        mint, owner = balance.mint, balance.owner
        if earlier.owner != owner or earlier.mint != mint:
            _gain(gains, earlier, -1, seen)
            _gain(gains, balance, 1, seen)
        elif (amount := balance.ui_token_amount.amount) != (old := earlier.ui_token_amount.amount):
            if not owner:
                raise ValueError(_NO_OWNER.format(mint))
            owners = gains.get(mint)
            if owners is None:
                gains[mint] = {owner: int(amount) - int(old)}
                seen[mint] = balance
            else:
                owners[owner] = owners.get(owner, 0) + int(amount) - int(old)
    for balance in before.values():
        _gain(gains, balance, -1, seen)
    if TOKEN_2022_PROGRAM in transaction.accounts:
        _add_hidden(gains, transaction, seen)
    return gains


def pair(gains: Gains) -> list[tuple[str, str, int]]:
    """(sender, receiver, amount) of the fewest transfers with these results; the empty text stands for nobody."""
    if len(gains) == 2:  # by far the most frequent
        (one, gain), (other, loss) = gains.items()
        if gain and gain + loss == 0:
            return [(other, one, gain)] if gain > 0 else [(one, other, loss)]
    changed = [(owner, gain) for owner, gain in gains.items() if gain]
    surplus = sum(gain for _, gain in changed)
    if surplus:
        changed.append(("", -surplus))
    givers = [(owner, -gain) for owner, gain in changed if gain < 0]
    takers = [(owner, gain) for owner, gain in changed if gain > 0]
    transfers = []
    while givers and takers:
        (giver, given), (taker, taken) = givers[0], takers[0]
        amount = min(given, taken)
        transfers.append((giver, taker, amount))
        givers[:1] = [(giver, given - amount)] if given > amount else []
        takers[:1] = [(taker, taken - amount)] if taken > amount else []
    return transfers


def _gain(gains: dict[str, Gains], balance: TokenBalance, sign: int, seen: dict[str, TokenBalance]) -> None:
    amount = balance.ui_token_amount.amount
    if amount != "0":
        owners, owner = gains.setdefault(balance.mint, {}), balance.owner
        if not owner:
            raise ValueError(_NO_OWNER.format(balance.mint))
        owners[owner] = owners.get(owner, 0) + sign * int(amount)
        seen[balance.mint] = balance


def _add_hidden(gains: dict[str, Gains], transaction: DecodedTransaction, seen: dict[str, TokenBalance]) -> None:
    meta = transaction.meta
    hiding = {
        balance.mint: balance
        for balance in (*(meta.pre_token_balances or ()), *(meta.post_token_balances or ()))
        if balance.program_id == TOKEN_2022_PROGRAM and balance.mint not in NATIVE_MINTS
    }
    if not hiding:
        return
    amounts = issued(transaction)
    for mint, balance in hiding.items():
        hidden = amounts.get(mint, 0) - sum(gains.get(mint, {}).values())
        if hidden:
            owners = gains.setdefault(mint, {})
            owners[mint] = owners.get(mint, 0) + hidden
            seen[mint] = balance


def _seen(balance: TokenBalance, slot: int) -> Seen:
    program = TokenProgram.TOKEN_2022 if balance.program_id == TOKEN_2022_PROGRAM else TokenProgram.SPL_TOKEN
    return Seen(key_bytes(balance.mint), slot, program, balance.ui_token_amount.decimals)
