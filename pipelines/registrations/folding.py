"""Folding registry events into registrations."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from warehouse.domain.registrations import END_REASONS, MAX_TOKEN_ID, Registration


def fold_events(chain_id: int, events: Iterable[Mapping[str, Any]]) -> dict[int, Registration]:
    """Registrations of a chain by token id, from its registry events in order. Events of an id that was never
    registered (by another contract's mistake) are ignored."""
    found: dict[int, Registration] = {}
    for event in events:
        token_id = event["token_id"]
        if event["kind"] in ("signer_changed", "signer_suspended"):
            for registration in found.values():  # what a signer announced does not outlive it
                _clear_end(registration)
        elif event["kind"] == "registered":
            found[token_id] = _registered(chain_id, event)
        elif token_id in found:
            _apply(found[token_id], event)
    return found


def _registered(chain_id: int, event: Mapping[str, Any]) -> Registration:
    return Registration(
        chain_id=chain_id,
        token_id=event["token_id"],
        block_hash=f"0x{event['block_hash']}",
        log_index=event["log_index"],
        block_number=event["block_number"],
        transaction_hash=f"0x{event['transaction_hash']}",
        registry=f"0x{event['registry']}",
        symbol=event["symbol"],
        owner=f"0x{event['owner']}",
        token_address=f"0x{event['token_address']}",
        fee_wei=event["fee_wei"],
        with_receipt=bool(event["with_receipt"]),
        minted_at=_time(event),
    )


def _apply(registration: Registration, event: Mapping[str, Any]) -> None:
    kind = event["kind"]
    if kind == "released":
        registration.released_at, registration.end_reason = _time(event), "released"
        _clear_end(registration)
    elif kind == "settled":
        registration.released_at, registration.end_reason = _time(event), "settled"
        registration.settled_token_id = event["new_token_id"]
        _clear_end(registration)
    elif kind == "ended":
        registration.expired_at, registration.end_reason = _time(event), END_REASONS.get(event["reason"])
        _clear_end(registration)
    elif kind == "end_announced":
        registration.pending_end = END_REASONS.get(event["reason"])
        registration.pending_end_due_at = _moment(event["due_at"])
        registration.pending_end_objected_at = None
    elif kind == "end_objected":
        registration.pending_end_due_at = _moment(event["due_at"])
        registration.pending_end_objected_at = _time(event)
    elif kind in ("end_vetoed", "end_withdrawn"):
        registration.end_stopped_at = _time(event)
        _clear_end(registration)
    elif kind in ("manager", "maintainer"):
        accounts = registration.managers if kind == "manager" else registration.maintainers
        account = f"0x{event['account']}"
        if account in accounts:
            accounts.remove(account)
        if event["enabled"]:
            accounts.append(account)
    elif kind == "metadata":
        registration.metadata_cid = event["metadata_cid"] or None
    elif kind == "canonical_peer":
        registration.peer_chain_id, registration.peer_token_id = _peer(event)


def _peer(event: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """What an owner names as the peer. The contract takes any two numbers, and facts keep the largest for all that do
    not fit: where one cannot be an id there is no peer. One owner's bad data must not stop the refresh."""
    chain_id, token_id = event["peer_chain_id"], event["peer_token_id"]
    if max(chain_id, token_id) > MAX_TOKEN_ID:
        return None, None
    return chain_id or None, token_id or None


def _clear_end(registration: Registration) -> None:
    registration.pending_end = registration.pending_end_due_at = registration.pending_end_objected_at = None


def _time(event: Mapping[str, Any]) -> datetime:
    return _moment(event["block_time"])


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
