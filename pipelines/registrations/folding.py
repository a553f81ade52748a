"""Folding registry events into registrations."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from warehouse.domain.registrations import MAX_TOKEN_ID, Registration


def fold_events(chain_id: int, events: Iterable[Mapping[str, Any]]) -> dict[int, Registration]:
    """Registrations of a chain by token id, from its registry events in order. Events of an id that was never
    registered (by another contract's mistake) are ignored."""
    found: dict[int, Registration] = {}
    for event in events:
        token_id = event["token_id"]
        if event["kind"] == "registered":
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
        registration.released_at = _time(event)
    elif kind == "expired":
        registration.expired_at = _time(event)
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


def _time(event: Mapping[str, Any]) -> datetime:
    return datetime.fromtimestamp(event["block_time"], UTC)
