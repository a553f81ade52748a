"""ERC-20 transfers, and the wrapped native coin's deposits and withdrawals as mints and burns.

ERC-721 transfers have the same first topic, with the token id as a fourth. The number of topics (three) and data words
(one) tells them apart without asking the contract.
"""

import numpy as np

from indexer.chains.evm.decoders.frame import (
    Columns,
    Frame,
    Scope,
    emitted_by,
    matching,
    position,
    zero_address,
)
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import address, is_address, little_endian
from warehouse.domain.selectors import event_topic

TRANSFER = event_topic("Transfer(address,address,uint256)")
DEPOSIT = event_topic("Deposit(address,uint256)")
WITHDRAWAL = event_topic("Withdrawal(address,uint256)")
TOPICS = (TRANSFER, DEPOSIT, WITHDRAWAL)


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_transfer."""
    transfers = _transfers(matching(logs, TRANSFER, topics=3, words=1))
    frames = [transfers]
    if scope.wrapped_native is not None:
        for topic, into in ((DEPOSIT, True), (WITHDRAWAL, False)):
            found = matching(logs, topic, topics=2, words=1)
            if len(found):
                frames.append(_wrapped(found.select(emitted_by(found, scope.wrapped_native)), into, transfers))
    return [frame for frame in frames if len(frame)]


def _transfers(logs: Logs) -> Frame:
    sender, recipient = logs.topic(1), logs.topic(2)
    sound = is_address(sender) & is_address(recipient)
    if not sound.all():
        logs, sender, recipient = logs.select(sound), sender[sound], recipient[sound]
    return Frame(
        "fact_transfer",
        {
            **position(logs),
            "token": logs.address(),
            "from_address": address(sender),
            "to_address": address(recipient),
            "amount_raw": little_endian(logs.words(1)[:, 0]),
        },
    )


def _wrapped(logs: Logs, into: bool, transfers: Frame) -> Frame:
    wallet = logs.topic(1)
    sound = is_address(wallet)
    logs, wallet = logs.select(sound), address(wallet[sound])
    zero = zero_address(len(logs))
    columns: Columns = {
        **position(logs),
        "token": logs.address(),
        "from_address": zero if into else wallet,
        "to_address": wallet if into else zero,
        "amount_raw": little_endian(logs.words(1)[:, 0]),
    }
    # Some wrapped coins also emit a Transfer for the mint or burn: count it once.
    transferred = {_movement(transfers.columns, row) for row in _same_blocks(columns, transfers.columns)}
    fresh = np.array([_movement(columns, row) not in transferred for row in range(len(logs))], np.bool_)
    return Frame("fact_transfer", {name: np.asarray(column)[fresh] for name, column in columns.items()})


def _same_blocks(columns: Columns, transfers: Columns) -> list[int]:
    """Rows of transfers that mint or burn the same token in a block with a deposit or withdrawal."""
    if not len(columns["block_number"]) or not len(transfers["block_number"]):
        return []
    token = np.asarray(columns["token"])[0]
    there = np.isin(np.asarray(transfers["block_number"]), np.asarray(columns["block_number"]))
    there &= (np.asarray(transfers["token"]) == token).all(axis=1)
    empty = ~np.asarray(transfers["from_address"]).any(axis=1) | ~np.asarray(transfers["to_address"]).any(axis=1)
    found: list[int] = np.flatnonzero(there & empty).tolist()
    return found


def _movement(columns: Columns, row: int) -> tuple[bytes, ...]:
    names = ("transaction_hash", "from_address", "to_address", "amount_raw")
    return tuple(np.asarray(columns[name])[row].tobytes() for name in names)
