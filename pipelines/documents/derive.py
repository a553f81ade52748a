"""Search documents: the row of every token, the row and forms of its symbol, and its place among tokens of it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from pipelines import frames
from pipelines.copies import Verdict
from pipelines.documents import rows as documents
from pipelines.documents.hours import read_exceptions, read_hours
from pipelines.documents.inputs import ListedToken, TokenInputs, TokenRegistration
from pipelines.documents.listings import listings
from pipelines.documents.making import Making
from pipelines.documents.requests import request_documents
from pipelines.documents.rows import Document, DocumentKey
from pipelines.documents.same_symbol import SameSymbolTokens
from pipelines.documents.symbols import Symbol, refresh_symbols
from pipelines.documents.verdicts import candidate, judge_all
from pipelines.parallel import run_parallel
from pipelines.provenance.silent import with_silent
from pipelines.publication import declare_writing
from pipelines.refresh_run import RefreshRun
from pipelines.registrations.derive import CAUSE as REGISTRATION
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Group, Phase
from pipelines.tokens.derive import CAUSE as IDENTITY
from pipelines.windows import Window
from warehouse.contexts import carry
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.chains import Chain
from warehouse.domain.symbols import fold
from warehouse.postgres import Jsonb

SUBJECT = "documents"
NEW_TOKENS_SUBJECT = "news"  # as it is stored in checkpoints
_TOKENS_PER_BATCH = 2_000
"""Their keys are passed as parameters, of which the server takes 128 KiB at a time."""
_SCORED_SECONDS = 26 * 3_600
"""How far back a run scores hours. The document of a token without a score in that time is rebuilt instead."""


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Rebuild the requested documents, and those of tokens with the same symbol whose verdict changed; write what
    differs."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    return _derive_requested(run, window, SUBJECT, int(window.details.get("version", 0)), [])


STEP = ChainStep(
    name=SUBJECT,
    description="What search answers with: tokens, symbols and the forms that find them.",
    after=("tokens", "registrations", "holders", "prices", "weights", "heartbeats"),
    tables=("serve_token", "serve_symbol", "serve_symbol_form"),
    store_tables=("indexed_token",),
    group=Group.SERVING,
    phase=Phase.SERVING,
    derive=derive,
)


def derive_new_tokens(run: RefreshRun, chain: Chain) -> StepRun | None:
    """The same for tokens that are new, changed their own statements, or were registered."""
    window = run.windows.open(NEW_TOKENS_SUBJECT, chain)
    served = run.windows.open(SUBJECT, chain)
    if window is None or served is None:
        return None
    seen = max(int(mark.details.get("version", 0)) for mark in (window, served))
    return _derive_requested(run, window, NEW_TOKENS_SUBJECT, seen, [IDENTITY, REGISTRATION])


def _derive_requested(
    run: RefreshRun, window: Window, subject: str, seen: int, causes: Sequence[str]
) -> StepRun | None:
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
    making = Making.begin(run, window, asked, keeps_figures=subject == NEW_TOKENS_SUBJECT)

    def refresh() -> int:
        done, changed = _publish_scores(run, window, seen) if scored else (set(), 0)
        found = sorted(asked | (scored - done))
        batches = [found[start : start + _TOKENS_PER_BATCH] for start in range(0, len(found), _TOKENS_PER_BATCH)]
        return changed + sum(_refresh(run, making, batch) for batch in batches)

    rows, seconds = timed(refresh)
    done = making.details(run.version)
    if making.inconsistent:
        # For the next run: this one moves its checkpoint past all versions it has used so far.
        run.allocate_version()
        request_documents(run, window.chain.chain_id, sorted(making.inconsistent), "figures")
    run.windows.advance(subject, window, done)
    return run.log.record(StepRun("documents", window.chain.chain_id, seconds, rows, str(seen), str(run.version)))


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
        declare_writing(run, chain_id)
        run.transform("documents/scores", {**bounds, "new_version": run.version})
        run.serve_rows += changed
    updated = run.store_rows("tokens/update_scores", {**scored, "chain_id": chain_id})[0]["tokens"]
    return {token for token in str(updated).split(",") if token}, changed


def _refresh(run: RefreshRun, making: Making, tokens: Sequence[str]) -> int:
    """Build the documents of a batch of tokens. Documents of tokens that were not asked for are requested for the steps
    that follow, where their verdict changed."""
    # Batches and chains share symbols, so each writes under its own version.
    run.allocate_version()
    window, chain = making.window, making.window.chain
    addresses = [stored_from_digits(token) for token in tokens]
    same_symbol = SameSymbolTokens(run)
    with ThreadPoolExecutor(1) as thread:
        reading = thread.submit(carry(_inputs), run, chain, tokens)
        keys = {"chain_id": chain.chain_id, "addresses": addresses}
        # A registration counts for a token while the token has the registered symbol.
        registrations = {
            (digits_of(one.token_address), one.symbol): one
            for one in run.store_records(TokenRegistration, "registrations/list_of_tokens", keys)
        }
        listed = run.store_records(ListedToken, "tokens/list", keys)
        # Nearly all tokens still have the symbol under which they were listed.
        same_symbol.find(token.symbol_key for token in listed)
        inputs = reading.result()
    made = making.documents(run, inputs, registrations)
    same_symbol.find(row.symbol_key for row in made.values())
    before = {row.key: row for row in same_symbol.tokens}
    making.keep_served_figures(made, before)
    after = _merged(chain, before, made, set(tokens))
    folds = {row.symbol_folded for row in made.values()} | {fold(token.symbol_key) for token in listed}
    verdicts = _judge(run, chain, after.values(), folds)
    after = {key: _with_verdict(row, verdicts.get(row.stored_address), chain) for key, row in after.items()}
    written = [
        row._replace(version=run.version)
        for key, row in after.items()
        if documents.differs(row, before.get(key)) or (row.address in made and making.is_orphaned(before.get(key)))
    ]
    _, listing = run_parallel(
        lambda: _write(run, chain, written, after, same_symbol.symbols),
        lambda: listings(window, after.values(), verdicts, inputs, made),
    )
    # Provenance shows whether a token is a copy, and a verdict may change although the token itself did not.
    judged = {
        row.address
        for row in written
        if row.chain_id == chain.chain_id and not row.deleted and _verdict_changed(row, before)
    }
    request_documents(run, chain.chain_id, sorted(judged.difference(making.asked)), "namesake")
    # Write the store last: the listed symbol tells the next run which rows in the warehouse a token has left.
    if listing:
        run.store_rows("tokens/upsert", {"rows": Jsonb(listing)})
    gone = [stored_from_digits(token) for token in tokens if token not in made]
    if gone:
        run.store_rows("tokens/remove", {"chain_id": chain.chain_id, "addresses": gone})
    return len(written)


def _inputs(run: RefreshRun, chain: Chain, tokens: Sequence[str]) -> Mapping[str, TokenInputs]:
    keys = {"chain_id": chain.chain_id, "tokens": ",".join(tokens)}
    found = run.read_records(TokenInputs, "documents/inputs", keys)
    # Provenance comes next and reads the same for the same tokens. Of many batches only the last is kept.
    run.token_inputs = {chain.chain_id: {token.token: token for token in with_silent(run, chain, found)}}
    return run.token_inputs[chain.chain_id]


def _merged(
    chain: Chain, before: Mapping[DocumentKey, Document], made: Mapping[str, Document], touched: set[str]
) -> dict[DocumentKey, Document]:
    """All rows by key after this batch: the new rows over the old ones. A row that a touched token has left (its symbol
    changed, or it is gone) is marked as deleted."""
    after = dict(before)
    for key, row in before.items():
        if key.chain_id == chain.chain_id and key.address in touched:
            now = made.get(key.address)
            if now is None or now.symbol_key != key.symbol_key:
                after[key] = row._replace(deleted=1)
    for row in made.values():
        if not row.symbol_key:
            continue
        old = before.get(row.key)
        after[row.key] = row._replace(token_rank=old.token_rank) if old and not old.deleted else row
    return after


def _judge(run: RefreshRun, chain: Chain, rows: Iterable[Document], folds: set[str]) -> dict[str, Verdict]:
    """Verdicts for the chain's visible tokens with one of these folded symbols. Those without namesakes need no
    weights."""
    candidates = [
        candidate(row, chain)
        for row in rows
        if row.chain_id == chain.chain_id and not row.deleted and row.symbol_folded in folds
    ]
    tokens_of = Counter(token.symbol_folded for token in candidates)
    shared = [token.address for token in candidates if tokens_of[token.symbol_folded] > 1]
    seen = read_hours(run, chain, shared)
    exceptions = read_exceptions(run, chain, candidates)
    return judge_all(candidates, run.majors, seen, run.copy_rules, exceptions)


def _with_verdict(row: Document, verdict: Verdict | None, chain: Chain) -> Document:
    if verdict is None or row.chain_id != chain.chain_id or row.deleted:
        return row
    return row._replace(
        is_copy=int(verdict.is_copy),
        copy_of_chain_id=verdict.of_chain_id,
        copy_of_address=digits_of(verdict.of_address) if verdict.of_address else "",
        copy_rule=verdict.rule,
        copy_unknown=verdict.unknown,
        copy_until=None if verdict.until is None else int(verdict.until.timestamp()),
    )


def _verdict_changed(row: Document, before: Mapping[DocumentKey, Document]) -> bool:
    old = before.get(row.key)
    return old is None or bool(old.deleted) or old.is_copy != row.is_copy


def _write(
    run: RefreshRun,
    chain: Chain,
    written: Sequence[Document],
    after: Mapping[DocumentKey, Document],
    symbols: Iterable[Symbol],
) -> None:
    if not written:
        return
    declare_writing(run, chain.chain_id)
    refresh_symbols(run, {row.symbol_key for row in written}, after.values(), symbols)
    run.warehouse.insert_arrow("serve_token", frames.of_tuples(documents.COLUMNS, written))
    run.serve_rows += len(written)
