"""Registrations: the registry's events as rows of the store, reverted with their blocks and final at finality.

Also requests the documents of tokens whose registration was added, removed or changed, whoever changed it. The store
queues them in the transaction of the change (``presented_change``). Documents are requested before the queue is
emptied, so a run that dies in between leaves the queue, and requesting twice builds the same document. A change that
arrives meanwhile has its own row, which is not removed with those that were read, so its document is requested again.
"""

import json
from dataclasses import asdict
from datetime import datetime

from pipelines.documents.requests import request_documents
from pipelines.refresh_run import RefreshRun
from pipelines.registrations.folding import RegistryEventRow, fold_events
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of
from warehouse.domain.chains import Chain

SUBJECT = "registrations"
CAUSE = "registration"
"""The cause of its document requests."""
_ROWS_AT_ONCE = 5_000


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Bring the store's registrations of a chain up to date with its registry's events."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None

    def refresh() -> int:
        _refresh(run, window)
        return _ask_for_documents(run, chain.chain_id)

    rows, seconds = timed(refresh)
    run.windows.advance(SUBJECT, window, {"through": window.through})
    return run.log.record(StepRun("registrations", chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="The registry's events folded into the store's registrations.",
    store_tables=("registration",),
    phase=Phase.IDENTITY,
    derive=derive,
)


def _refresh(run: RefreshRun, window: Window) -> None:
    parameters = window.parameters(run.version)
    chain_id = window.chain.chain_id
    # Rows that are not final may come from a receipt whose block has since been removed, even one the indexer never
    # saw. Compare each with the events.
    doubtful = {
        int(row["token_id"])
        for row in run.store_rows("registrations/list_not_final", {"chain_id": chain_id, "through": window.through})
    }
    first = run.read("registrations/first_block", parameters)[0] if window.has_changes else {"changes": 0}
    touched: set[int] = set()
    if first["changes"]:
        touched |= {row["token_id"] for row in run.read("registrations/touched", parameters)}
        if 0 in touched or first["first_block"] <= int(window.details.get("through", -1)):
            # A new signer voids ends of any registration, and what was reverted leaves no event to find it by.
            touched |= {
                int(row["token_id"]) for row in run.store_rows("registrations/list_ids", {"chain_id": chain_id})
            }
    if not (token_ids := sorted((touched | doubtful) - {0})):
        return
    events = run.read_records(RegistryEventRow, "registrations/events", {**parameters, "token_ids": token_ids})
    registrations = fold_events(chain_id, window.chain.address_format, events)
    if changed := [registrations[token_id] for token_id in token_ids if token_id in registrations]:
        for start in range(0, len(changed), _ROWS_AT_ONCE):
            some = [asdict(one) for one in changed[start : start + _ROWS_AT_ONCE]]
            rows = json.dumps(some, default=datetime.isoformat)
            run.store_rows("registrations/upsert", {"registrations": rows, "from_receipt": False})
        known = {"token_ids": [one.token_id for one in changed], "block_hashes": [one.block_hash for one in changed]}
        run.store_rows("registrations/finalise", {"chain_id": chain_id, "final_block": window.final_block, **known})
    if gone := sorted(doubtful - registrations.keys()):
        run.store_rows("registrations/revert", {"chain_id": chain_id, "token_ids": gone})


def _ask_for_documents(run: RefreshRun, chain_id: int) -> int:
    asked = 0
    while changes := run.store_rows("registrations/list_presented_changes", {"chain_id": chain_id}):
        addresses = {row["token_address"] for row in changes}
        request_documents(run, chain_id, sorted(map(digits_of, addresses)), CAUSE)
        run.store_rows("registrations/remove_presented_changes", {"change_ids": [row["change_id"] for row in changes]})
        asked += len(addresses)
    return asked
