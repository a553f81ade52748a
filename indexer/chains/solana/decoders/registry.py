"""Events of our own registration program: the instructions with which it calls itself, at its configured address only.

Only the program can make such a call succeed (``contracts/solana/program/events.h``), so what a transaction that
succeeded holds is genuine. Logs are not read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import DecodedBlock, DecodedTransaction, log_index
from indexer.chains.solana.decoders.frame import Columns, Scope
from indexer.contracts.solana import idl
from indexer.contracts.solana.program import MANAGER
from warehouse.domain.registrations import RegistryEvent

TABLE = "fact_registry_event"
_MAX_MOMENT = 2**32 - 1
_IPFS = "ipfs://"
_MAX_CID = 128
_END_KINDS = {
    "EndAnnounced": "end_announced",
    "EndObjected": "end_objected",
    "EndConfirmed": "end_confirmed",
    "EndVetoed": "end_vetoed",
    "EndWithdrawn": "end_withdrawn",
    "Ended": "ended",
}
_WITHOUT_EVENT = idl.discriminator("initialize")
"""Every other instruction records one event."""
_SIGNER_KINDS = {"SignerChanged": "signer_changed", "SignerSuspended": "signer_suspended"}


def decode(block: DecodedBlock, scope: Scope) -> Mapping[str, Columns]:
    """Rows of fact_registry_event."""
    if scope.registry is None:
        return {}
    program = scope.chain.contracts["registry"]
    rows = [
        _row(block, transaction, place, program, kind, event)
        for transaction in block.transactions
        for place, (kind, event) in enumerate(registry_events(transaction, program))
    ]
    return {TABLE: {name: [row[name] for row in rows] for name in rows[0]}} if rows else {}


def registry_events(transaction: DecodedTransaction, program: str) -> list[tuple[str, RegistryEvent]]:
    """Kind and fields of each event that a transaction recorded, in order. Amounts are in lamports.

    Args:
        transaction: one that succeeded.
        program: the registration program's address, in base58.

    Raises:
        ValueError: an instruction lacks its event, so the node has left inner instructions out.
    """
    if program not in transaction.accounts:
        return []
    own = [call.data for call in transaction.calls if call.program == program]
    recorded = [data for data in own if idl.is_event(data)]
    due = sum(not idl.is_event(data) and data[:1] != _WITHOUT_EVENT for data in own)
    if len(recorded) != due:
        raise ValueError(f"{due} instructions of the registry, {len(recorded)} events")
    return [event for data in recorded for event in _events(*idl.decode_event(data))]


def _row(
    block: DecodedBlock, transaction: DecodedTransaction, place: int, program: str, kind: str, event: RegistryEvent
) -> dict[str, Any]:
    return {
        "block_number": block.slot,
        "log_index": log_index(transaction.index, place),
        "transaction_hash": transaction.signature,
        "block_hash": block.hash,
        "registry": key_bytes(program),
        "kind": kind.encode(),
        "token_id": event.token_id,
        "symbol": event.symbol,
        "owner": event.owner,
        "token_address": event.token_address,
        "fee_wei": event.fee_wei,
        "with_receipt": event.with_receipt,
        "account": event.account,
        "enabled": event.enabled,
        "metadata_cid": event.metadata_cid,
        "peer_chain_id": event.peer_chain_id,
        "peer_token_id": event.peer_token_id,
        "reason": event.reason,
        "due_at": event.due_at,
        "new_token_id": event.new_token_id,
        "deal": event.deal,
    }


def _events(name: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, RegistryEvent]]:
    """An event of the program as events of registries. Kinds that no table needs give none."""
    if name in _SIGNER_KINDS:
        yield _SIGNER_KINDS[name], RegistryEvent(0, account=bytes(fields["account"]))
        return
    if "token_id" not in fields:
        return
    token_id, symbol = fields["token_id"], fields["symbol"][: fields["symbol_length"]]
    owner = bytes(fields["owner"])
    if name == "Registered":
        mint = bytes(fields["mint"])
        yield "registered", RegistryEvent(token_id, symbol, owner, mint, fee_wei=fields["fee"])
    elif name == "Released":
        yield "released", RegistryEvent(token_id, symbol, owner)
    elif name in _END_KINDS:
        due_at = min(max(fields["due_at"], 0), _MAX_MOMENT) if name in ("EndAnnounced", "EndObjected") else 0
        yield _END_KINDS[name], RegistryEvent(token_id, symbol, owner, reason=fields["reason"], due_at=due_at)
    elif name == "Settled":
        yield from _settled(token_id, symbol, fields)
    elif name == "RoleChanged":
        kind = "manager" if fields["kind"] == MANAGER else "maintainer"
        yield kind, RegistryEvent(token_id, account=bytes(fields["account"]), enabled=fields["enabled"])
    elif name == "ProfileChanged":
        yield "metadata", RegistryEvent(token_id, metadata_cid=_cid(fields["uri"]))
    elif name == "PeerChanged":
        peer = {"peer_chain_id": fields["peer_chain_id"], "peer_token_id": fields["peer_token_id"]}
        yield "canonical_peer", RegistryEvent(token_id, **peer)


def _settled(token_id: int, symbol: bytes, fields: Mapping[str, Any]) -> Iterator[tuple[str, RegistryEvent]]:
    """One event of the program ends a registration and begins the next."""
    previous, new_token_id = bytes(fields["previous_owner"]), fields["new_token_id"]
    yield "settled", RegistryEvent(token_id, owner=previous, new_token_id=new_token_id, deal=fields["deal"])
    yield "registered", RegistryEvent(new_token_id, symbol, bytes(fields["owner"]), bytes(fields["mint"]))


def _cid(uri: str) -> bytes:
    """The CID of a profile document on IPFS; empty for any other URI, which names no document that we can check."""
    cid = uri.removeprefix(_IPFS)
    return cid.encode() if uri.startswith(_IPFS) and cid.isascii() and cid.isalnum() and len(cid) <= _MAX_CID else b""
