"""Folding registry events into registrations."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from warehouse.domain.addresses import AddressFormat, hash_text, stored_from_digits
from warehouse.domain.registrations import END_REASONS, MAX_TOKEN_ID, Registration


@dataclass(frozen=True, slots=True)
class RegistryEventRow:
    """An event of the registry, as ``registrations/events`` reads it. Hexadecimal is without prefix, times are in
    seconds. Fields that its kind does not have are empty."""

    block_number: int
    log_index: int
    block_hash: str
    block_time: int
    transaction_hash: str
    registry: str
    kind: str
    token_id: int
    symbol: str
    owner: str
    token_address: str
    fee_wei: int
    with_receipt: int
    account: str
    enabled: int
    metadata_cid: str
    peer_chain_id: int
    peer_token_id: int
    reason: int
    due_at: int
    new_token_id: int

    @property
    def at(self) -> datetime:
        """When it happened on the chain."""
        return _moment(self.block_time)


def fold_events(chain_id: int, form: AddressFormat, events: Iterable[RegistryEventRow]) -> dict[int, Registration]:
    """Registrations of a chain by token id, from its registry events in order. Events of an id that was never
    registered (by another contract's mistake) are ignored."""
    found: dict[int, Registration] = {}
    for event in events:
        if event.kind in ("signer_changed", "signer_suspended"):
            for registration in found.values():  # what a signer announced does not outlive it
                _clear_end(registration)
        elif event.kind == "registered":
            found[event.token_id] = _registered(chain_id, form, event)
        elif event.token_id in found:
            _apply(found[event.token_id], event)
    return found


def _registered(chain_id: int, form: AddressFormat, event: RegistryEventRow) -> Registration:
    return Registration(
        chain_id=chain_id,
        token_id=event.token_id,
        block_hash=hash_text(event.block_hash, form),
        log_index=event.log_index,
        block_number=event.block_number,
        transaction_hash=hash_text(event.transaction_hash, form),
        registry=stored_from_digits(event.registry),
        symbol=event.symbol,
        owner=stored_from_digits(event.owner),
        token_address=stored_from_digits(event.token_address),
        fee_wei=event.fee_wei,
        with_receipt=bool(event.with_receipt),
        minted_at=event.at,
    )


def _apply(registration: Registration, event: RegistryEventRow) -> None:
    match event.kind:
        case "manager":
            _change_role(registration.managers, event)
        case "maintainer":
            _change_role(registration.maintainers, event)
        case "metadata":
            registration.metadata_cid = event.metadata_cid or None
        case "canonical_peer":
            registration.peer_chain_id, registration.peer_token_id = _peer(event)
        case "released" | "settled" | "ended":
            _end(registration, event)
        case _:
            _change_pending_end(registration, event)


def _change_role(accounts: list[str], event: RegistryEventRow) -> None:
    account = stored_from_digits(event.account)
    if account in accounts:
        accounts.remove(account)
    if event.enabled:
        accounts.append(account)


def _end(registration: Registration, event: RegistryEventRow) -> None:
    _clear_end(registration)
    if event.kind == "ended":
        registration.expired_at, registration.end_reason = event.at, END_REASONS.get(event.reason)
        return
    registration.released_at, registration.end_reason = event.at, event.kind
    if event.kind == "settled":
        registration.settled_token_id = event.new_token_id


def _change_pending_end(registration: Registration, event: RegistryEventRow) -> None:
    match event.kind:
        case "end_announced":
            _clear_end(registration)
            registration.pending_end = END_REASONS.get(event.reason)
            registration.pending_end_due_at = _moment(event.due_at)
        case "end_objected":
            registration.pending_end_due_at = _moment(event.due_at)
            registration.pending_end_objected_at = event.at
        case "end_confirmed":
            registration.pending_end_confirmed_at = event.at
        case "end_vetoed" | "end_withdrawn":
            _clear_end(registration)
            registration.end_stopped_at = event.at


def _clear_end(registration: Registration) -> None:
    registration.pending_end = registration.pending_end_due_at = None
    registration.pending_end_objected_at = registration.pending_end_confirmed_at = None


def _peer(event: RegistryEventRow) -> tuple[int | None, int | None]:
    """What an owner names as the peer. The contract takes any two numbers, and facts keep the largest for all that do
    not fit: where one cannot be an id there is no peer. One owner's bad data must not stop the refresh."""
    if max(event.peer_chain_id, event.peer_token_id) > MAX_TOKEN_ID:
        return None, None
    return event.peer_chain_id or None, event.peer_token_id or None


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
