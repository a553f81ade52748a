"""Events of the registry: registrations minted, released and expired, and new profile documents."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipelines.events.recording import read_progress, recording, registration
from pipelines.refresh_run import RefreshRun
from pipelines.windows import Window
from warehouse.domain.addresses import address_text
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.registrations import (
    ProfileUpdated,
    TokenExpired,
    TokenMinted,
    TokenReleased,
    of_registration,
)

SOURCE = "registry"
_ROWS_AT_ONCE = 5_000


def derive(run: RefreshRun, window: Window, final: int) -> int:
    """Record the registry's events up to the final block; how many. The whole history is recorded, but only recent
    events are delivered."""
    chain = window.chain
    recorded = 0
    while True:
        progress = read_progress(run, chain, SOURCE)
        if progress.first > final:
            return recorded
        rows, position = _read(run, chain, progress.first, final)
        events = registry_events(chain, rows, _documents_before(run, chain, rows, final))
        with recording(run, window, progress, position, events):
            recorded += len(events)


def _read(run: RefreshRun, chain: Chain, first: int, final: int) -> tuple[list[dict[str, Any]], int]:
    """Rows of whole blocks, and the last of these blocks."""
    bounds = {"chain_id": chain.chain_id, "first": first, "final": final}
    rows = run.read("events/registry", {**bounds, "limit": _ROWS_AT_ONCE})
    if len(rows) < _ROWS_AT_ONCE:
        return rows, final
    last = rows[-1]["block_number"]
    whole = [row for row in rows if row["block_number"] < last]
    if whole:
        return whole, int(last) - 1
    return run.read("events/registry", {**bounds, "final": last, "limit": 1 << 31}), int(last)


def _documents_before(
    run: RefreshRun, chain: Chain, rows: Iterable[Mapping[str, Any]], final: int
) -> dict[tuple[int, int], tuple[str, str | None]]:
    """For each log that names a document, by block and log: the registration's symbol and the document named before."""
    token_ids = sorted({row["token_id"] for row in rows if row["kind"] == "metadata"})
    if not token_ids:
        return {}
    found: dict[tuple[int, int], tuple[str, str | None]] = {}
    standing: dict[int, tuple[str, str | None]] = {}
    parameters = {"chain_id": chain.chain_id, "final": final, "token_ids": token_ids}
    for row in run.read("events/documents_named", parameters):
        token_id = row["token_id"]
        if row["kind"] == "registered":
            standing[token_id] = (row["symbol"], None)
        elif token_id in standing:
            symbol, before = standing[token_id]
            found[row["block_number"], row["log_index"]] = (symbol, before)
            standing[token_id] = (symbol, row["metadata_cid"] or None)
    return found


def registry_events(
    chain: Chain,
    rows: Iterable[Mapping[str, Any]],
    documents_before: Mapping[tuple[int, int], tuple[str, str | None]],
) -> list[Occurrence]:
    """Events of the registry's logs, in order."""
    events = []
    for row in rows:
        made = _registry_event(chain, row, documents_before.get((row["block_number"], row["log_index"])))
        if made is not None:
            events.append(made)
    return events


def _registry_event(chain: Chain, row: Mapping[str, Any], document: tuple[str, str | None] | None) -> Occurrence | None:
    about = registration(chain, int(row["token_id"]), row["symbol"])
    transaction, happened_at = f"0x{row['transaction_hash']}", row["seconds"]
    match row["kind"]:
        case "registered":
            minted = TokenMinted(**about.members, owner=address_text(row["owner"]), tx_hash=transaction)
            return of_registration(minted, about, happened_at)
        case "released":
            released = TokenReleased(**about.members, previous_owner=address_text(row["owner"]))
            return of_registration(released, about, happened_at, transaction=transaction)
        case "expired":
            expired = TokenExpired(**about.members, previous_owner=address_text(row["owner"]))
            return of_registration(expired, about, happened_at, transaction=transaction)
    if document is None or (row["metadata_cid"] or None) == document[1]:
        return None
    about = registration(chain, about.token_id, document[0])
    updated = ProfileUpdated(**about.members, updated_fields=("metadata_cid",))
    return of_registration(updated, about, happened_at, change=f"{transaction}:{row['log_index']}")
