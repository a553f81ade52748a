"""Events of the registry: registrations made, ended and about to end, and new profile documents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipelines.events.recording import iso, read_progress, recording, registration
from pipelines.refresh_run import RefreshRun
from pipelines.windows import Window
from warehouse.domain.addresses import address_text, hash_text
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Event, Occurrence
from warehouse.domain.events.registrations import (
    EndAnnounced,
    EndObjected,
    EndStopped,
    ProfileUpdated,
    TokenExpired,
    TokenMinted,
    TokenReleased,
    TokenSettled,
    of_registration,
)
from warehouse.domain.events.registrations import Registration as About
from warehouse.domain.registrations import END_REASONS

SOURCE = "registry"
_ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class RegistryLog:
    """A log of the registry, as ``events/registry`` reads it. Hexadecimal is without prefix."""

    block_number: int
    block_time_seconds: int
    log_index: int
    kind: str
    token_id: int
    symbol: str
    owner: str
    transaction_hash: str
    metadata_cid: str
    reason: int
    due_at: int
    new_token_id: int

    @property
    def position(self) -> tuple[int, int]:
        """Its block and its place in the block."""
        return self.block_number, self.log_index


@dataclass(frozen=True, slots=True)
class ProfileBefore:
    """A registration before a log named its profile document: its symbol and the document named until then."""

    symbol: str
    metadata_cid: str | None


def derive(run: RefreshRun, window: Window, final: int) -> int:
    """Record the registry's events up to the final block; how many. The whole history is recorded, but only recent
    events are delivered."""
    chain = window.chain
    recorded = 0
    while True:
        progress = read_progress(run, chain, SOURCE)
        if progress.first > final:
            return recorded
        logs, position = _read(run, chain, progress.first, final)
        events = registry_events(chain, logs, _profiles_before(run, chain, logs, final))
        with recording(run, window, progress, position, events):
            recorded += len(events)


def _read(run: RefreshRun, chain: Chain, first: int, final: int) -> tuple[list[RegistryLog], int]:
    """Logs of whole blocks, and the last of these blocks."""
    bounds = {"chain_id": chain.chain_id, "first": first, "final": final}
    logs = run.read_records(RegistryLog, "events/registry", {**bounds, "limit": _ROWS_AT_ONCE})
    if len(logs) < _ROWS_AT_ONCE:
        return logs, final
    last = logs[-1].block_number
    whole = [log for log in logs if log.block_number < last]
    if whole:
        return whole, last - 1
    return run.read_records(RegistryLog, "events/registry", {**bounds, "final": last, "limit": 1 << 31}), last


def _profiles_before(
    run: RefreshRun, chain: Chain, logs: Iterable[RegistryLog], final: int
) -> dict[tuple[int, int], ProfileBefore]:
    """The registration before each log that names a profile document, by the log's position."""
    token_ids = sorted({log.token_id for log in logs if log.kind == "metadata"})
    if not token_ids:
        return {}
    found: dict[tuple[int, int], ProfileBefore] = {}
    current: dict[int, ProfileBefore] = {}
    parameters = {"chain_id": chain.chain_id, "final": final, "token_ids": token_ids}
    for row in run.read("events/documents_named", parameters):
        token_id = row["token_id"]
        if row["kind"] == "registered":
            current[token_id] = ProfileBefore(row["symbol"], None)
        elif token_id in current:
            before = current[token_id]
            found[row["block_number"], row["log_index"]] = before
            current[token_id] = ProfileBefore(before.symbol, row["metadata_cid"] or None)
    return found


def registry_events(
    chain: Chain, logs: Iterable[RegistryLog], profiles_before: Mapping[tuple[int, int], ProfileBefore]
) -> list[Occurrence]:
    """Events of the registry's logs, in order."""
    events = (_registry_event(chain, log, profiles_before.get(log.position)) for log in logs)
    return [event for event in events if event is not None]


def _registry_event(chain: Chain, log: RegistryLog, before: ProfileBefore | None) -> Occurrence | None:
    about = registration(chain, log.token_id, log.symbol)
    transaction, happened_at = hash_text(log.transaction_hash, chain.address_format), log.block_time_seconds
    match log.kind:
        case "registered":
            minted = TokenMinted(**about.members, owner=address_text(log.owner), tx_hash=transaction)
            return of_registration(minted, about, happened_at)
        case "released":
            released = TokenReleased(**about.members, previous_owner=address_text(log.owner))
            return of_registration(released, about, happened_at, transaction=transaction)
        case "ended":
            expired = TokenExpired(
                **about.members, previous_owner=address_text(log.owner), reason=END_REASONS.get(log.reason, "")
            )
            return of_registration(expired, about, happened_at, transaction=transaction)
        case "settled":
            settled = TokenSettled(
                **about.members, previous_owner=address_text(log.owner), new_crown_id=str(log.new_token_id)
            )
            return of_registration(settled, about, happened_at, transaction=transaction)
        case "end_announced" | "end_objected" | "end_vetoed" | "end_withdrawn":
            event = _end_event(log, about)
            return of_registration(event, about, happened_at, change=f"{transaction}:{log.log_index}")
    if before is None or (log.metadata_cid or None) == before.metadata_cid:
        return None
    about = registration(chain, log.token_id, before.symbol)
    updated = ProfileUpdated(**about.members, updated_fields=("metadata_cid",))
    return of_registration(updated, about, happened_at, change=f"{transaction}:{log.log_index}")


def _end_event(log: RegistryLog, about: About) -> Event:
    if log.kind == "end_announced":
        return EndAnnounced(
            **about.members,
            owner=address_text(log.owner),
            reason=END_REASONS.get(log.reason, ""),
            due_at=iso(log.due_at),
        )
    if log.kind == "end_objected":
        return EndObjected(**about.members, owner=address_text(log.owner), due_at=iso(log.due_at))
    return EndStopped(**about.members, stopped_by="guardian" if log.kind == "end_vetoed" else "service")
