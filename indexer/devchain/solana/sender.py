"""Transactions on the local Solana node: signed here, handed over in batches, checked afterwards."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.transaction import VersionedTransaction

from indexer.devchain.solana.surfpool import Surfpool, SurfpoolError

_STATUSES_PER_CALL = 256  # the limit of getSignatureStatuses
_SKIP_PREFLIGHT = {"encoding": "base64", "skipPreflight": True}


@dataclass(frozen=True, slots=True)
class Sent:
    """A transaction given to the node, and what it was for."""

    signature: str
    purpose: str


class Sender:
    """Collects transactions and hands them to the node in order."""

    def __init__(self, node: Surfpool, payer: Keypair | None = None) -> None:
        self.node = node
        self.payer = payer or node.payer
        self.sent: list[Sent] = []
        self._waiting: list[tuple[Sequence[Instruction], tuple[Keypair, ...], str]] = []

    def send(
        self,
        instructions: Sequence[Instruction],
        *signers: Keypair,
        payer: Keypair | None = None,
        purpose: str = "",
    ) -> None:
        """Queue one transaction; ``flush`` signs it and hands it over. The sender's payer pays unless one is named."""
        self._waiting.append((instructions, (payer or self.payer, *signers), purpose))

    def flush(self) -> list[str]:
        """Hand over what is queued; returns the signatures.

        Two equal transactions of one block are one: the node takes the first.
        """
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return []
        recent = Hash.from_string(self.node.rpc("getLatestBlockhash")["value"]["blockhash"])
        signed = [sign(instructions, keys, recent) for instructions, keys, _ in waiting]
        calls = [("sendTransaction", (base64.b64encode(bytes(one)).decode(), _SKIP_PREFLIGHT)) for one in signed]
        signatures: list[str] = self.node.batch(calls)
        self.sent += [Sent(found, purpose) for found, (*_, purpose) in zip(signatures, waiting, strict=True)]
        return signatures

    def run(self, instructions: Sequence[Instruction], *signers: Keypair, payer: Keypair | None = None) -> str:
        """Send one transaction on a paused node, make its block, and return its signature.

        Raises:
            SurfpoolError: it failed.
        """
        self.send(instructions, *signers, payer=payer, purpose="run")
        signature = self.flush()[-1]
        self.node.mine()
        self.check()
        return signature

    def check(self, tolerate: Sequence[str] = ()) -> None:
        """Look at everything that was sent since the last check.

        Raises:
            SurfpoolError: a transaction is in no block or failed, save for the tolerated purposes.
        """
        sent, self.sent = self.sent, []
        for start in range(0, len(sent), _STATUSES_PER_CALL):
            part = sent[start : start + _STATUSES_PER_CALL]
            statuses = self.node.rpc("getSignatureStatuses", [one.signature for one in part])["value"]
            for one, status in zip(part, statuses, strict=True):
                if status is None or (status["err"] is not None and one.purpose not in tolerate):
                    error = "is in no block" if status is None else f"failed: {status['err']}"
                    raise SurfpoolError(f"transaction {one.signature} ({one.purpose}) {error}")


def sign(instructions: Sequence[Instruction], keys: Sequence[Keypair], recent: Hash) -> VersionedTransaction:
    """A signed transaction that the first key pays for. Keys that need not sign are left out."""
    message = MessageV0.try_compile(keys[0].pubkey(), instructions, [], recent)
    by_address = {key.pubkey(): key for key in keys}
    needed = message.account_keys[: message.header.num_required_signatures]
    return VersionedTransaction(message, [by_address[address] for address in needed])
