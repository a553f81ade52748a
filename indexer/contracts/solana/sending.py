"""Send transactions from one of our accounts and wait until the cluster has confirmed them."""

import asyncio
import base64
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solders.hash import Hash
from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.message import MessageV0
from solders.transaction import VersionedTransaction

from indexer.chains.errors import CallFailed, NodeUnavailable, RpcError
from indexer.chains.solana.accounts import CONFIRMED
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.sending import SendError
from indexer.contracts.solana import idl

_POLL_SECONDS = 0.3
_REPEAT_SECONDS = 2.0
_SILENCE_SECONDS = 30.0
_AT_ONCE = 20
_CUSTOM = re.compile(r"custom program error: 0x([0-9a-f]+)")


@dataclass(frozen=True, slots=True)
class Step:
    """Instructions of one transaction, and who signs it beside the payer."""

    instructions: Sequence[Instruction]
    signers: Sequence[Keypair] = ()


async def send(
    reader: SolanaReader, payer: Keypair, instructions: Sequence[Instruction], *signers: Keypair, what: str
) -> str:
    """Send one transaction and wait until it is confirmed; its signature in base58.

    Args:
        reader: the chain's client.
        payer: signs and pays.
        instructions: all of them take effect, or none.
        signers: who signs beside the payer.
        what: what the transaction is, for messages.

    Raises:
        SendError: the payer cannot pay, the chain refused it, or it was not confirmed while its blockhash was valid.
        RpcError: the nodes do not answer.
    """
    return (await send_all(reader, payer, [Step(instructions, signers)], what=what))[0]


async def send_all(reader: SolanaReader, payer: Keypair, steps: Sequence[Step], *, what: str) -> list[str]:
    """Send transactions that need no order among themselves; their signatures once all are confirmed. Raises as
    ``send``; some may have taken effect then."""
    key = reader.chain.key
    latest = (await reader.request("getLatestBlockhash", {"commitment": CONFIRMED}))["value"]
    blockhash, last_height = Hash.from_string(latest["blockhash"]), int(latest["lastValidBlockHeight"])
    waiting = {str(made.signatures[0]): made for made in (_signed(payer, step, blockhash) for step in steps)}
    signatures, sent_at = list(waiting), 0.0
    answered_at = time.monotonic()
    while waiting:
        calls: list[tuple[str, Sequence[Any]]] = [("getBlockHeight", ({"commitment": CONFIRMED},))]
        asked = list(waiting)[:_AT_ONCE]
        is_repetition = sent_at > 0
        if time.monotonic() - sent_at >= _REPEAT_SECONDS or len(waiting) > len(asked):
            calls += [("sendTransaction", _sending(waiting[name], is_repetition)) for name in asked]
            sent_at = time.monotonic()
        calls.append(("getSignatureStatuses", (asked, {"searchTransactionHistory": False})))
        try:
            height, *sent, statuses = await reader.settle(calls)
        except NodeUnavailable:  # nodes limit how much may be sent at once
            if time.monotonic() - answered_at > _SILENCE_SECONDS:
                raise
            await asyncio.sleep(_POLL_SECONDS)
            continue
        answered_at = time.monotonic()
        if not is_repetition:
            _require_accepted(key, sent, what)
        _drop_confirmed(key, waiting, asked, statuses, what)
        if waiting and not isinstance(height, RpcError) and height > last_height:
            name = next(iter(waiting))
            raise SendError(f"chain {key}: {what}, {name}, was not confirmed before its blockhash expired")
        if waiting:
            await asyncio.sleep(_POLL_SECONDS)
    return signatures


def refusal(message: str) -> str:
    """Why a transaction is refused: the name that the registry program gives its error, else what the node says."""
    found = _CUSTOM.search(message)
    return (found and idl.error_name(int(found[1], 16))) or message


def _signed(payer: Keypair, step: Step, blockhash: Hash) -> VersionedTransaction:
    message = MessageV0.try_compile(payer.pubkey(), step.instructions, [], blockhash)
    keys = {key.pubkey(): key for key in (payer, *step.signers)}
    needed = message.account_keys[: message.header.num_required_signatures]
    return VersionedTransaction(message, [keys[address] for address in needed])


def _sending(transaction: VersionedTransaction, is_repetition: bool) -> Sequence[Any]:
    options = {"encoding": "base64", "skipPreflight": is_repetition, "preflightCommitment": CONFIRMED, "maxRetries": 0}
    return base64.b64encode(bytes(transaction)).decode(), options


def _require_accepted(key: str, answers: Sequence[Any], what: str) -> None:
    for answer in answers:
        # A reader repeats on another node what it got no answer to, and that node may know the transaction already.
        if isinstance(answer, CallFailed) and "already been processed" not in str(answer):
            raise SendError(f"chain {key} refuses {what}: {refusal(str(answer))}")


def _drop_confirmed(
    key: str, waiting: dict[str, VersionedTransaction], asked: Sequence[str], statuses: Any, what: str
) -> None:
    if isinstance(statuses, RpcError):
        raise statuses
    for name, status in zip(asked, statuses["value"], strict=True):
        if status is None or status.get("confirmationStatus") not in ("confirmed", "finalized"):
            continue
        if status.get("err") is not None:
            raise SendError(f"chain {key}: {what}, {name}, failed: {failure(status['err'])}")
        del waiting[name]


def failure(error: Any) -> str:
    """Why a transaction failed: the name of the registry program's error where it is one.

    Args:
        error: as nodes answer it, such as ``{"InstructionError": [1, {"Custom": 6011}]}``.
    """
    try:
        code = error["InstructionError"][1]["Custom"]
    except (TypeError, KeyError, IndexError):
        return str(error)
    return idl.error_name(int(code)) or f"custom program error {code}"
