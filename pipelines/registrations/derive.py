"""Registrations: the registry's events as rows of the store, taken back with their blocks, final at finality.

Also asks for the documents of tokens whose registration came, went or changed, whoever changed it: the store queues
them in the transaction of the change (``presented_change``). They are asked for first and taken off the queue after: a
pass that dies in between leaves them there, and asking twice makes the same document. A request stands in the
warehouse until a pass has served it, so one that dies later loses nothing either. A change that comes meanwhile has a
row of its own, which is not removed with those that were looked at: its document is asked for again, after the change
is there to be read.
"""

import json
from dataclasses import asdict
from datetime import datetime

from pipelines.documents.requests import request_documents
from pipelines.refresh_run import RefreshRun
from pipelines.registrations.folding import fold_events
from pipelines.run_log import AssetRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain

SUBJECT = "registrations"
CAUSE = "registration"
"""Why it asks for documents."""
_ROWS_AT_ONCE = 5_000


def derive(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """Bring the store's registrations of a chain in line with its registry's events."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None

    def refresh() -> int:
        _refresh(run, window)
        return _ask_for_documents(run, chain.chain_id)

    rows, seconds = timed(refresh)
    run.windows.advance(SUBJECT, window, {"through": window.through})
    return run.log.record(
        AssetRun("registrations", chain.chain_id, seconds, rows, str(window.after), str(window.up_to))
    )


STEP = ChainStep(
    name=SUBJECT,
    asset="registration",
    description="The registry's events folded into the store's registrations.",
    store_tables=("registration",),
    phase=Phase.IDENTITY,
    derive=derive,
)


def _refresh(run: RefreshRun, window: Window) -> None:
    parameters = window.parameters(run.version)
    chain_id = window.chain.chain_id
    # Rows that are not final may have been written from a receipt whose block was since orphaned, also without the
    # indexer ever having seen that block: each is held against the events.
    doubtful = {
        int(row["token_id"])
        for row in run.store_rows("registrations/list_not_final", {"chain_id": chain_id, "through": window.through})
    }
    first = run.read("registrations/first_block", parameters)[0] if window.has_changes else {"changes": 0}
    touched: set[int] = set()
    if first["changes"]:
        touched |= {row["token_id"] for row in run.read("registrations/touched", parameters)}
        if first["first_block"] <= int(window.details.get("through", -1)):
            # A release or a role that was taken back leaves no event to be found by.
            touched |= {
                int(row["token_id"]) for row in run.store_rows("registrations/list_ids", {"chain_id": chain_id})
            }
    if not (token_ids := sorted(touched | doubtful)):
        return
    events = run.read("registrations/events", {**parameters, "token_ids": token_ids})
    registrations = fold_events(chain_id, events)
    if told := [registrations[token_id] for token_id in token_ids if token_id in registrations]:
        for start in range(0, len(told), _ROWS_AT_ONCE):
            some = [asdict(one) for one in told[start : start + _ROWS_AT_ONCE]]
            rows = json.dumps(some, default=datetime.isoformat)
            run.store_rows("registrations/upsert", {"registrations": rows, "from_receipt": False})
        known = {"token_ids": [one.token_id for one in told], "block_hashes": [one.block_hash for one in told]}
        run.store_rows("registrations/finalise", {"chain_id": chain_id, "final_block": window.final_block, **known})
    if gone := sorted(doubtful - registrations.keys()):
        run.store_rows("registrations/revert", {"chain_id": chain_id, "token_ids": gone})


def _ask_for_documents(run: RefreshRun, chain_id: int) -> int:
    asked = 0
    while changes := run.store_rows("registrations/list_presented_changes", {"chain_id": chain_id}):
        addresses = {row["token_address"] for row in changes}
        request_documents(run, chain_id, sorted(address[2:] for address in addresses), CAUSE)
        run.store_rows("registrations/remove_presented_changes", {"change_ids": [row["change_id"] for row in changes]})
        asked += len(addresses)
    return asked
