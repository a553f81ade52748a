"""Search documents: every token's row, its symbol's row and forms, and its place among its namesakes."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pipelines import frames
from pipelines.copies import Candidate, Verdict, judge, precedence
from pipelines.documents import rows as documents
from pipelines.documents.rows import Row
from pipelines.documents.symbols import read_of, refresh_symbols
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
NEWS_SUBJECT = "news"
_TOKENS_PER_BATCH = 2_000
"""Their keys go as parameters, of which a server takes 128 KiB at a time."""
_SCORED_SECONDS = 26 * 3_600
"""How far back the scores lie that a pass makes; a token without one of them gets its document made."""


def derive(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """Make the requested documents again, and those of their namesakes where a verdict changed; write what differs."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    return _serve(run, window, SUBJECT, int(window.details.get("version", 0)), [])


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
    """Likewise, of the tokens that are new, changed what they say of themselves, or were registered."""
    window = run.windows.open(NEWS_SUBJECT, chain)
    served = run.windows.open(SUBJECT, chain)
    if window is None or served is None:
        return None
    seen = max(int(mark.details.get("version", 0)) for mark in (window, served))
    return _serve(run, window, NEWS_SUBJECT, seen, [IDENTITY, REGISTRATION])


def _serve(run: RefreshRun, window: Window, subject: str, seen: int, causes: Sequence[str]) -> AssetRun | None:
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
        done, changed = _take_scores(run, window, seen) if scored else (set(), 0)
        found = sorted(asked | (scored - done))
        batches = [found[start : start + _TOKENS_PER_BATCH] for start in range(0, len(found), _TOKENS_PER_BATCH)]
        return changed + sum(_refresh(run, window, batch, counted, asked) for batch in batches)

    rows, seconds = timed(refresh)
    run.windows.advance(subject, window, {"version": run.version})
    return run.log.record(AssetRun("documents", window.chain.chain_id, seconds, rows, str(seen), str(run.version)))


def _take_scores(run: RefreshRun, window: Window, seen: int) -> tuple[set[str], int]:
    """Serve and list the newest scores of the tokens that were merely scored, some statements for all of them: at an
    hour's end these are nearly all. Which tokens these are, and how many rows were served; tokens that are not listed
    are left to be made. Repeating it changes nothing."""
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
    listed = run.store_rows("tokens/update_scores", {**scored, "chain_id": chain_id, "as_of_block": window.through})[0][
        "tokens"
    ]
    return {token for token in str(listed).split(",") if token}, changed


def _refresh(
    run: RefreshRun, window: Window, tokens: Sequence[str], counted_through: int, asked: AbstractSet[str]
) -> int:
    """Make the documents of some tokens. Of those ``asked`` for, the steps that follow know without being told."""
    # Batches and chains share symbols: each writes under a version of its own.
    run.allocate_version()
    chain = window.chain
    addresses = [f"0x{token}" for token in tokens]
    namesakes = _Namesakes(run)
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
        # Of nearly all tokens the symbol is still what it was when they were listed.
        namesakes.find(row["symbol_key"] for row in listed.values())
        inputs = reading.result()
    as_of = {"as_of_block": window.through, "as_of_time": int(window.as_of.timestamp())}
    made = {
        token: documents.document(found, registrations.get(token), chain, as_of, counted_through)
        for token in tokens
        if (found := inputs.get(token)) is not None and not found["deleted"]
    }
    namesakes.find(row["symbol_key"] for row in made.values())
    before = {(row["symbol_key"], row["chain_id"], row["address"]): row for row in namesakes.tokens}
    after = _overlaid(chain, before, made, set(tokens), as_of)
    verdicts = _judge(run, chain, after.values(), {row["symbol_folded"] for row in made.values()} | _folds(listed))
    for row in after.values():
        _apply_verdict(row, verdicts.get(f"0x{row['address']}"), chain)
    written = [row for key, row in after.items() if documents.differs(row, before.get(key))]
    for row in written:
        row.update(as_of, version=run.version)
    _, listing = run_parallel(
        lambda: _write(run, written, after, namesakes.symbols),
        lambda: _listings(window, after.values(), verdicts, inputs, made),
    )
    # Provenance says of a token whether it is a copy; a verdict may have changed without the token's own doing.
    judged = {
        row["address"]
        for row in written
        if row["chain_id"] == chain.chain_id and not row["deleted"] and _says_otherwise(row, before)
    }
    request(run, chain.chain_id, sorted(judged.difference(asked)), "namesake")
    # After the warehouse: the symbol that is listed tells the next pass which rows there a token has left.
    if listing:
        run.store_rows("tokens/upsert", {"rows": Jsonb(listing)})
    gone = [f"0x{token}" for token in tokens if token not in made]
    if gone:
        run.store_rows("tokens/remove", {"chain_id": chain.chain_id, "addresses": gone})
    return len(written)


def _inputs(run: RefreshRun, chain: Chain, tokens: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    found = run.read("documents/inputs", {"chain_id": chain.chain_id, "tokens": ",".join(tokens)})
    # Provenance comes next and asks the same of the same tokens; of many batches only the last is kept.
    run.token_inputs = {chain.chain_id: {row["token"]: row for row in found}}
    return run.token_inputs[chain.chain_id]


@dataclass(slots=True)
class _Namesakes:
    """The newest rows of all tokens whose symbol is, was, or looks like one of those asked about, and the newest rows
    of these symbols. Each is read once, however often it is asked about: nobody else writes them while this serves."""

    run: RefreshRun
    tokens: list[Row] = field(default_factory=list)
    symbols: list[Row] = field(default_factory=list)
    _folds: set[str] = field(default_factory=set)
    _keys: set[str] = field(default_factory=set)

    def find(self, keys: Iterable[str]) -> None:
        """Read what is not there yet of these symbols and their look-alikes."""
        asked = {key for key in keys if key} - self._keys
        folds = {fold(key) for key in asked} - self._folds
        alike = {row["symbol_key"] for row in read_of(self.run, "documents/symbols_of_forms", "forms", folds)}
        new = asked | {key for key in alike if fold(key) in folds} - self._keys
        if new:
            tokens, symbols = run_parallel(
                lambda: read_of(self.run, "documents/standing", "symbols", new),
                lambda: read_of(self.run, "documents/standing_symbols", "symbols", new),
            )
            self.tokens += map(documents.from_warehouse, tokens)
            self.symbols += symbols
        self._folds |= folds
        self._keys |= new


def _overlaid(
    chain: Chain, before: Mapping[tuple[str, int, str], Row], made: Mapping[str, Row], touched: set[str], as_of: Row
) -> dict[tuple[str, int, str], Row]:
    """Rows by key as they are to stand: those made now over those that stood; a key that a touched token has left is
    hidden."""
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
        stood = before.get(key)
        after[key] = {**row, "token_rank": stood["token_rank"] if stood and not stood["deleted"] else None}
    return after


def _folds(listed: Mapping[str, Mapping[str, Any]]) -> set[str]:
    return {fold(row["symbol_key"]) for row in listed.values()}


def _judge(run: RefreshRun, chain: Chain, rows: Iterable[Row], folds: set[str]) -> dict[str, Verdict]:
    groups: dict[str, list[Candidate]] = defaultdict(list)
    for row in rows:
        if row["chain_id"] == chain.chain_id and not row["deleted"] and row["symbol_folded"] in folds:
            groups[row["symbol_folded"]].append(candidate(row))
    verdicts: dict[str, Verdict] = {}
    for group in groups.values():
        verdicts.update(judge(group, run.majors))
    return verdicts


def candidate(row: Row) -> Candidate:
    """A document as the copy rules see it."""
    registered = row["registered_at"] is not None and not row["registration_expired"]
    return Candidate(
        chain_id=row["chain_id"],
        address=f"0x{row['address']}",
        symbol_folded=row["symbol_folded"],
        first_time=datetime.fromtimestamp(
            row["first_seen_at"] if row["deployed_at"] is None else row["deployed_at"], UTC
        ),
        holders=row["holders"] or 0,
        liquidity_usd=row["liquidity_usd"],
        has_market=row["price_usd"] is not None,
        market_score=row["market_score"],
        registered_at=datetime.fromtimestamp(row["registered_at"], UTC) if registered else None,
    )


def _apply_verdict(row: Row, verdict: Verdict | None, chain: Chain) -> None:
    if verdict is None or row["chain_id"] != chain.chain_id or row["deleted"]:
        return
    row["is_copy"] = int(verdict.is_copy)
    row["copy_of_chain_id"] = verdict.of_chain_id
    row["copy_of_address"] = verdict.of_address[2:]
    row["copy_rule"] = verdict.rule


def _says_otherwise(row: Row, before: Mapping[tuple[str, int, str], Row]) -> bool:
    stood = before.get((row["symbol_key"], row["chain_id"], row["address"]))
    return stood is None or bool(stood["deleted"]) or stood["is_copy"] != row["is_copy"]


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


def _listings(
    window: Window,
    rows: Iterable[Row],
    verdicts: Mapping[str, Verdict],
    inputs: Mapping[str, Mapping[str, Any]],
    made: Mapping[str, Row],
) -> list[dict[str, Any]]:
    """The tokens, their precedence among namesakes and their scores as ``indexed_token`` has them."""
    places: dict[str, int] = {}
    namesakes: dict[str, list[tuple[Candidate, Verdict]]] = defaultdict(list)
    shown: dict[str, Row] = {row["address"]: row for row in made.values() if not row["symbol_key"]}
    for row in rows:
        address = f"0x{row['address']}"
        if row["chain_id"] == window.chain.chain_id and not row["deleted"] and address in verdicts:
            shown[row["address"]] = row
            namesakes[row["symbol_key"]].append((candidate(row), verdicts[address]))
    for group in namesakes.values():
        places.update({address: place for place, address in enumerate(precedence(group))})
    return [
        _listing(row, places.get(f"0x{row['address']}", 0), inputs.get(row["address"]), window)
        for row in shown.values()
    ]


def _listing(row: Row, place: int, token: Mapping[str, Any] | None, window: Window) -> dict[str, Any]:
    listing: dict[str, Any] = {
        "chain_id": row["chain_id"],
        "address": f"0x{row['address']}",
        "symbol_key": row["symbol_key"],
        "name": row["name"],
        "decimals": row["decimals"],
        "deployer": f"0x{row['deployer']}" if row["deployer"] else None,
        "deployed_at": _text(row["deployed_at"]),
        "first_seen_at": _text(row["first_seen_at"]),
        "precedence": place,
        "is_copy": bool(row["is_copy"]),
        "copy_of_chain_id": row["copy_of_chain_id"] or None,
        "copy_of_address": f"0x{row['copy_of_address']}" if row["copy_of_address"] else None,
        "copy_rule": row["copy_rule"] or None,
        "as_of_block": window.through,
    }
    if token is not None and token["beat_hour"].year > 1970:
        for column in ("timestamp_score", "volume_score", "holders_score", "confidence_score"):
            listing[column] = str(token[column])
        listing["score"] = str(token["heartbeat_score"])
        listing["weights_version"] = token["weights_version"]
        listing["scored_at"] = _text(token["scored_at"])
    return listing


def _text(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


REQUEST_COLUMNS: Mapping[str, frames.Kind] = {
    "version": frames.UINT64,
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "cause": frames.TEXT,
}


def request(run: RefreshRun, chain_id: int, tokens: Iterable[str], cause: str) -> None:
    """Ask for the documents of these tokens (hexadecimal without prefix)."""
    wanted = list(tokens)
    if wanted:
        count = len(wanted)
        columns: dict[str, list[Any]] = {
            "version": [run.version] * count,
            "chain_id": [chain_id] * count,
            "token": wanted,
            "cause": [cause] * count,
        }
        run.warehouse.insert_arrow("agg_document_request", frames.of_columns(REQUEST_COLUMNS, columns))
