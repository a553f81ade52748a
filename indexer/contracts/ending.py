"""Ending a registration through its registry: announce, wait, execute.

Every step first reads the announced end from the chain, so each is safe to repeat after a kill at any instant. Two
processes that announce at once announce once: the contract refuses the second.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from eth_account.signers.local import LocalAccount

from indexer.chains.errors import CallFailed
from indexer.chains.evm.rpc import EvmClient
from indexer.contracts.registry import Reason, announcement_calldata, contract, withdrawal_calldata
from indexer.contracts.sending import send
from indexer.contracts.signer import Signer
from indexer.contracts.statements import EndAnnouncement, EndWithdrawal, sign

STATEMENT_SECONDS = 900


@dataclass(frozen=True, slots=True)
class End:
    """An announced end. ``due_at`` is in seconds of chain time; after an objection the guardian must confirm."""

    reason: Reason
    due_at: int
    objected: bool
    confirmed: bool

    def is_due(self, now: int) -> bool:
        """Whether anyone may execute it."""
        return now >= self.due_at and (self.confirmed or not self.objected)


def read_end(client: EvmClient, registry: str, token_id: int) -> End | None:
    """The announced end of a registration; None where none is announced, or the registration has ended.

    Raises:
        RpcError: the nodes do not answer.
    """
    return read_ends(client, registry, [token_id]).get(token_id)


def read_ends(client: EvmClient, registry: str, token_ids: Sequence[int]) -> dict[int, End]:
    """The announced ends among these registrations, by token id.

    Raises:
        RpcError: the nodes do not answer.
    """
    calls = [
        ("eth_call", ({"to": registry, "data": contract().call("endOf", token_id)}, "latest")) for token_id in token_ids
    ]
    found = {}
    for token_id, answer in zip(token_ids, client.batch(calls), strict=True):
        reason, due_at, objected, confirmed = contract().returns("endOf", json.loads(bytes(answer)))
        if reason:
            found[token_id] = End(Reason(reason), due_at, objected, confirmed)
    return found


def announce_end(
    client: EvmClient,
    *,
    registry: str,
    token_id: int,
    reason: int,
    signer: Signer,
    payer: LocalAccount,
    nonce: int | None = None,
) -> str | None:
    """Announce the end of a registration; the hash of the transaction, None if an end is announced already or the
    registration has ended.

    Args:
        nonce: of the statement; random by default. The contract takes a nonce once, so what is announced under the same
            nonce again, after it was stopped, is refused.

    Raises:
        SendError: the payer cannot pay, or the chain refused it.
        SignerUnavailable: the remote signer did not sign.
        RpcError: the nodes do not answer.
    """
    if read_end(client, registry, token_id) is not None or not is_registered(client, registry, token_id):
        return None
    unique = secrets.randbits(256) if nonce is None else nonce
    statement = EndAnnouncement(token_id, reason, chain_time(client) + STATEMENT_SECONDS, unique)
    data = announcement_calldata(statement, sign(signer, client.chain.chain_id, registry, statement))
    return _send(client, payer, registry, data, f"the announcement that registration {token_id} ends")


def execute_end(client: EvmClient, *, registry: str, token_id: int, payer: LocalAccount) -> str | None:
    """End a registration whose announced end is due; the hash of the transaction, None if none is due.

    Raises:
        SendError: the chain refused it, for example because the guardian stopped it just now.
        RpcError: the nodes do not answer.
    """
    end = read_end(client, registry, token_id)
    if end is None or not end.is_due(chain_time(client)):
        return None
    return _send(
        client, payer, registry, contract().call("executeEnd", token_id), f"the end of registration {token_id}"
    )


def withdraw_end(client: EvmClient, *, registry: str, token_id: int, signer: Signer, payer: LocalAccount) -> str | None:
    """Take the announcement of an end back; the hash of the transaction, None if no end is announced.

    Raises:
        SendError, SignerUnavailable, RpcError: as ``announce_end``.
    """
    if read_end(client, registry, token_id) is None:
        return None
    statement = EndWithdrawal(token_id, chain_time(client) + STATEMENT_SECONDS, secrets.randbits(256))
    data = withdrawal_calldata(statement, sign(signer, client.chain.chain_id, registry, statement))
    return _send(client, payer, registry, data, f"the withdrawal of the end of registration {token_id}")


def is_nonce_used(client: EvmClient, registry: str, nonce: int) -> bool:
    """Whether the contract has taken a statement with this nonce.

    Raises:
        RpcError: the nodes do not answer.
    """
    data = contract().call("nonceUsed", nonce)
    return int(client.call("eth_call", {"to": registry, "data": data}, "latest"), 16) == 1


def is_registered(client: EvmClient, registry: str, token_id: int) -> bool:
    """Whether the registration exists and has not ended.

    Raises:
        RpcError: the nodes do not answer.
    """
    try:
        client.call("eth_call", {"to": registry, "data": contract().call("ownerOf", token_id)}, "latest")
    except CallFailed:  # the contract knows no owner
        return False
    return True


def chain_time(client: EvmClient) -> int:
    """The time of the newest block, in seconds."""
    return int(client.call("eth_getBlockByNumber", "latest", False)["timestamp"], 16)


def _send(client: EvmClient, payer: LocalAccount, registry: str, data: str, what: str) -> str:
    return send(client, payer, to=registry, data=data, what=what).transaction_hash
