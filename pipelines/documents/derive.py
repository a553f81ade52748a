"""Search documents: the row of every token, the row and forms of its symbol, and its place among tokens of it."""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pipelines import frames
from pipelines.copies import Verdict
from pipelines.documents import rows as documents
from pipelines.documents.listings import listings
from pipelines.documents.requests import request_documents
from pipelines.documents.rows import Row
from pipelines.documents.same_symbol import SameSymbolTokens
from pipelines.documents.symbols import refresh_symbols
from pipelines.documents.verdicts import candidate, judge_all
from pipelines.holders.derive import SUBJECT as HOLDERS
from pipelines.parallel import run_parallel
from pipelines.publication import declare_writing
from pipelines.refresh_run import RefreshRun
from pipelines.registrations.derive import CAUSE as REGISTRATION
from pipelines.run_log import AssetRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.tokens.derive import CAUSE as IDENTITY
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import fold
from warehouse.postgres import Jsonb

SUBJECT = "documents"
NEW_TOKENS_SUBJECT = "news"  # as it is stored in checkpoints
_TOKENS_PER_BATCH = 2_000
"""Their keys are passed as parameters, of which the server takes 128 KiB at a time."""
_SCORED_SECONDS = 26 * 3_600
"""How far back a run scores hours. The document of a token without a score in that time is rebuilt instead."""


def derive(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """Rebuild the requested documents, and those of tokens with the same symbol whose verdict changed; write what
    differs."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    return _derive_requested(run, window, SUBJECT, int(window.details.get("version", 0)), [])


STEP = ChainStep(
    name=SUBJECT,
    asset="serve_token",
    description="What search answers with: tokens, symbols and the forms that find them.",
    after=("tokens", "registrations", "holders", "prices", "heartbeats"),
    tables=("serve_token", "serve_symbol", "serve_symbol_form"),
    store_tables=("indexed_token",),
    phase=Phase.SERVING,
    derive=derive,
)


def derive_new_tokens(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """The same for tokens that are new, changed their own statements, or were registered."""
    window = run.windows.open(NEW_TOKENS_SUBJECT, chain)
    served = run.windows.open(SUBJECT, chain)
    if window is None or served is None:
        return None
    seen = max(int(mark.details.get("version", 0)) for mark in (window, served))
    return _derive_requested(run, window, NEW_TOKENS_SUBJECT, seen, [IDENTITY, REGISTRATION])


def _derive_requested(
    run: RefreshRun, window: Window, subject: str, seen: int, causes: Sequence[str]
) -> AssetRun | None:
    requested = run.read(
        "documents/requested",
        {
            "chain_id": window.chain.chain_id,
            "after_version": seen,
            "version": run.version,
            "causes": list(causes),
        },
    )
    if not requested:
        return None
    asked = {row["token"] for row in requested if not row["merely_scored"]}
    scored = {row["token"] for row in requested} - asked
    holders = run.windows.open(HOLDERS, window.chain)
    counted = int(holders.details.get("through", -1)) if holders else -1

    def refresh() -> int:
        done, changed = _publish_scores(run, window, seen) if scored else (set(), 0)
        found = sorted(asked | (scored - done))
        batches = [found[start : start + _TOKENS_PER_BATCH] for start in range(0, len(found), _TOKENS_PER_BATCH)]
        return changed + sum(_refresh(run, window, batch, counted, asked) for batch in batches)

    rows, seconds = timed(refresh)
    run.windows.advance(subject, window, {"version": run.version})
    return run.log.record(AssetRun("documents", window.chain.chain_id, seconds, rows, str(seen), str(run.version)))


def _publish_scores(run: RefreshRun, window: Window, seen: int) -> tuple[set[str], int]:
    """Publish the newest scores of tokens for which nothing else changed, with one statement for all of them: at the
    end of an hour these are nearly all tokens. Repeating it changes nothing.

    Returns the tokens whose scores are published, and how many rows were written. Tokens that the store does not list
    yet are not among them: their documents are to be built.
    """
    as_of = int(window.as_of.timestamp())
    chain_id = window.chain.chain_id
    bounds = {
        "chain_id": chain_id,
        "after_version": seen,
        "version": run.version,
        "from_hour": max(0, as_of - _SCORED_SECONDS),
    }
    scored = run.read("documents/scored", bounds)[0]
    if not scored["addresses"]:
        return set(), 0
    changed = int(run.read("documents/scores_changed", bounds)[0]["changed"])
    if changed:
        run.allocate_version()
        declare_writing(run)
        run.transform(
            "documents/scores", {**bounds, "new_version": run.version, "through": window.through, "as_of": as_of}
        )
        run.serve_rows += changed
    listing = {**scored, "chain_id": chain_id, "as_of_block": window.through}
    updated = run.store_rows("tokens/update_scores", listing)[0]["tokens"]
    return {token for token in str(updated).split(",") if token}, changed


def _refresh(
    run: RefreshRun, window: Window, tokens: Sequence[str], counted_through: int, asked: AbstractSet[str]
) -> int:
    """Build the documents of a batch of tokens. Documents of tokens not in ``asked`` are requested for the steps that
    follow, where their verdict changed."""
    # Batches and chains share symbols, so each writes under its own version.
    run.allocate_version()
    chain = window.chain
    addresses = [f"0x{token}" for token in tokens]
    same_symbol = SameSymbolTokens(run)
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(_inputs, run, chain, tokens)
        registrations = {
            row["token_address"][2:]: row
            for row in run.store_rows(
                "registrations/list_of_tokens", {"chain_id": chain.chain_id, "addresses": addresses}
            )
        }
        listed = {
            row["address"][2:]: row
            for row in run.store_rows("tokens/list", {"chain_id": chain.chain_id, "addresses": addresses})
        }
        # Nearly all tokens still have the symbol under which they were listed.
        same_symbol.find(row["symbol_key"] for row in listed.values())
        inputs = reading.result()
    as_of = {"as_of_block": window.through, "as_of_time": int(window.as_of.timestamp())}
    made = {
        token: documents.document(found, registrations.get(token), chain, as_of, counted_through)
        for token in tokens
        if (found := inputs.get(token)) is not None and not found["deleted"]
    }
    same_symbol.find(row["symbol_key"] for row in made.values())
    before = {(row["symbol_key"], row["chain_id"], row["address"]): row for row in same_symbol.tokens}
    after = _merged(chain, before, made, set(tokens), as_of)
    folds = {row["symbol_folded"] for row in made.values()} | {fold(row["symbol_key"]) for row in listed.values()}
    verdicts = _judge(run, chain, after.values(), folds)
    for row in after.values():
        _apply_verdict(row, verdicts.get(f"0x{row['address']}"), chain)
    written = [row for key, row in after.items() if documents.differs(row, before.get(key))]
    for row in written:
        row.update(as_of, version=run.version)
    _, listing = run_parallel(
        lambda: _write(run, written, after, same_symbol.symbols),
        lambda: listings(window, after.values(), verdicts, inputs, made),
    )
    # Provenance shows whether a token is a copy, and a verdict may change although the token itself did not.
    judged = {
        row["address"]
        for row in written
        if row["chain_id"] == chain.chain_id and not row["deleted"] and _verdict_changed(row, before)
    }
    request_documents(run, chain.chain_id, sorted(judged.difference(asked)), "namesake")
    # Write the store last: the listed symbol tells the next run which rows in the warehouse a token has left.
    if listing:
        run.store_rows("tokens/upsert", {"rows": Jsonb(listing)})
    gone = [f"0x{token}" for token in tokens if token not in made]
    if gone:
        run.store_rows("tokens/remove", {"chain_id": chain.chain_id, "addresses": gone})
    return len(written)


def _inputs(run: RefreshRun, chain: Chain, tokens: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    found = run.read("documents/inputs", {"chain_id": chain.chain_id, "tokens": ",".join(tokens)})
    # Provenance comes next and reads the same for the same tokens. Of many batches only the last is kept.
    run.token_inputs = {chain.chain_id: {row["token"]: row for row in found}}
    return run.token_inputs[chain.chain_id]


def _merged(
    chain: Chain, before: Mapping[tuple[str, int, str], Row], made: Mapping[str, Row], touched: set[str], as_of: Row
) -> dict[tuple[str, int, str], Row]:
    """All rows by key after this batch: the new rows over the old ones. A row that a touched token has left (its symbol
    changed, or it is gone) is marked as deleted."""
    after = {key: dict(row) for key, row in before.items()}
    for key, row in after.items():
        symbol, chain_id, address = key
        if chain_id == chain.chain_id and address in touched:
            now = made.get(address)
            if now is None or now["symbol_key"] != symbol:
                row["deleted"] = 1
    for row in made.values():
        if not row["symbol_key"]:
            continue
        key = (row["symbol_key"], row["chain_id"], row["address"])
        old = before.get(key)
        after[key] = {**row, "token_rank": old["token_rank"] if old and not old["deleted"] else None}
    return after


def _judge(run: RefreshRun, chain: Chain, rows: Iterable[Row], folds: set[str]) -> dict[str, Verdict]:
    """Verdicts for the chain's visible tokens with one of these folded symbols."""
    return judge_all(
        [
            candidate(row)
            for row in rows
            if row["chain_id"] == chain.chain_id and not row["deleted"] and row["symbol_folded"] in folds
        ],
        run.majors,
    )


def _apply_verdict(row: Row, verdict: Verdict | None, chain: Chain) -> None:
    if verdict is None or row["chain_id"] != chain.chain_id or row["deleted"]:
        return
    row["is_copy"] = int(verdict.is_copy)
    row["copy_of_chain_id"] = verdict.of_chain_id
    row["copy_of_address"] = verdict.of_address[2:]
    row["copy_rule"] = verdict.rule


def _verdict_changed(row: Row, before: Mapping[tuple[str, int, str], Row]) -> bool:
    old = before.get((row["symbol_key"], row["chain_id"], row["address"]))
    return old is None or bool(old["deleted"]) or old["is_copy"] != row["is_copy"]


def _write(
    run: RefreshRun,
    written: Sequence[Row],
    after: Mapping[tuple[str, int, str], Row],
    symbols: Iterable[Row],
) -> None:
    if not written:
        return
    declare_writing(run)
    refresh_symbols(run, {row["symbol_key"] for row in written}, after.values(), symbols)
    run.warehouse.insert_arrow("serve_token", frames.table(documents.COLUMNS, written))
    run.serve_rows += len(written)
