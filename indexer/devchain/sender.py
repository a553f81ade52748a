"""Transactions in bulk: explicit nonces, JSON-RPC batches, receipts checked afterwards.

The node impersonates senders, so that thousands of transactions need no signatures. Every wallet has a known key
anyway.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from eth_typing import HexAddress, HexStr
from web3.types import Nonce
from web3.utils.address import get_create2_address, get_create_address

from indexer.devchain.anvil import Anvil, AnvilError

GAS_PRICE_WEI = 2_000_000_000
_DEFAULT_GAS = 400_000


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction given to the node, and what it was for."""

    transaction_hash: str
    purpose: str


class Sender:
    """Collects transactions and hands them to the node in order."""

    def __init__(self, anvil: Anvil) -> None:
        self.anvil = anvil
        self.sent: list[Sent] = []
        self._depth = 0
        self._nonces: dict[str, int] = {}
        self._waiting: list[tuple[dict[str, Any], str]] = []

    def send(
        self,
        sender: str,
        to: str | None,
        data: str = "0x",
        *,
        value: int = 0,
        gas: int = _DEFAULT_GAS,
        purpose: str = "",
    ) -> None:
        """Queue one transaction; ``flush`` hands it over."""
        transaction = {
            "from": sender, "nonce": hex(self._next_nonce(sender)), "gas": hex(gas), "gasPrice": hex(GAS_PRICE_WEI),
            "data": data,
        }  # fmt: skip
        if to is not None:
            transaction["to"] = to
        if value:
            transaction["value"] = hex(value)
        self._waiting.append((transaction, purpose))

    def create(self, sender: str, data: str, *, gas: int = 6_000_000, purpose: str = "") -> str:
        """Queue the creation of a contract; returns the address it will have."""
        address = created_address(sender, self._peek_nonce(sender))
        self.send(sender, None, data, gas=gas, purpose=purpose)
        return address

    def flush(self) -> int:
        """Hand over what is queued; returns how many transactions that was."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            with self.impersonation():
                hashes = self.anvil.batch(("eth_sendTransaction", (transaction,)) for transaction, _ in waiting)
            self.sent += [Sent(found, purpose) for found, (_, purpose) in zip(hashes, waiting, strict=True)]
        return len(waiting)

    def mine(self, blocks: int = 1) -> None:
        """Hand over what is queued and mine it into the first of ``blocks`` blocks."""
        self.flush()
        self.anvil.mine(blocks)

    def check(self, tolerate: Collection[str] = ()) -> list[dict[str, Any]]:
        """Receipts of everything sent since the last check.

        Raises:
            AnvilError: a transaction is not mined or was reverted, save for the tolerated purposes.
        """
        sent, self.sent = self.sent, []
        receipts = self.anvil.batch(("eth_getTransactionReceipt", (item.transaction_hash,)) for item in sent)
        failed = Counter(
            item.purpose
            for item, receipt in zip(sent, receipts, strict=True)
            if receipt is None or (receipt["status"] != "0x1" and item.purpose not in tolerate)
        )
        if failed:
            raise AnvilError(f"transactions failed: {dict(failed)}")
        return receipts

    def forget_nonces(self) -> None:
        """Ask the node for nonces again: another sender used the same wallets, or the chain was reset."""
        self._nonces.clear()

    def _peek_nonce(self, sender: str) -> int:
        if sender not in self._nonces:
            self._nonces[sender] = int(self.anvil.rpc("eth_getTransactionCount", sender, "pending"), 16)
        return self._nonces[sender]

    def _next_nonce(self, sender: str) -> int:
        nonce = self._peek_nonce(sender)
        self._nonces[sender] = nonce + 1
        return nonce

    @contextmanager
    def impersonation(self) -> Iterator[None]:
        """While this lasts the node takes unsigned transactions of any wallet. May be nested."""
        self._depth += 1
        if self._depth == 1:
            self.anvil.rpc("anvil_autoImpersonateAccount", True)
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self.anvil.rpc("anvil_autoImpersonateAccount", False)


def created_address(sender: str, nonce: int) -> str:
    """The address of the contract that ``sender`` creates with this nonce."""
    return get_create_address(HexAddress(HexStr(sender)), Nonce(nonce)).lower()


def create2_address(creator: str, salt: bytes, code: str) -> str:
    """The address that CREATE2 by ``creator`` gives this creation code."""
    return get_create2_address(HexAddress(HexStr(creator)), HexStr("0x" + salt.hex()), HexStr(code)).lower()
