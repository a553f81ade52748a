"""Prices: market metrics of every token with a pool against a quote asset, and the price of the native coin."""

from dataclasses import asdict, replace
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from pipelines import frames
from pipelines.documents.requests import request_documents
from pipelines.parallel import run_parallel
from pipelines.prices.market import Market, StoredMetrics, native_names, read_market
from pipelines.pricing import TokenMetrics, token_metrics
from pipelines.refresh_run import RefreshRun
from pipelines.rules import ACTIVE_FOR
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.chains import Chain

SUBJECT = "prices"
SWEEP_SECONDS = 60
"""How often the follower's runs recompute tokens that only time has changed."""
_NO_BLOCK = (1 << 64) - 1
_COLUMNS = {
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "price_usd": frames.decimal(76, 36),
    "confidence": frames.decimal(4, 3),
    "source": frames.TEXT,
    "pools": frames.UINT32,
    "liquidity_usd": frames.decimal(76, 6),
    "volume_24h_usd": frames.decimal(76, 6),
    "transactions_24h": frames.UINT64,
    "price_change_1h": frames.decimal(38, 6),
    "price_change_6h": frames.decimal(38, 6),
    "price_change_24h": frames.decimal(38, 6),
    "last_trade_time": frames.TIME,
    "as_of_block": frames.UINT64,
    "as_of_time": frames.TIME,
    "version": frames.UINT64,
}


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Price the tokens of the pools evaluated since the last run, and from time to time those that time has changed."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    as_of = int(window.as_of.timestamp())
    swept = int(window.details.get("swept", 0))
    # After a reorganisation the head may be of an earlier time than the last sweep.
    sweep = (as_of != swept) if run.full else not 0 <= as_of - swept < SWEEP_SECONDS
    idle = not window.has_changes and window.details.get("as_of") == as_of and not (run.full and sweep)
    if idle and not _inputs_moved(run, window):
        return None
    rows, seconds = timed(lambda: _refresh(run, window, as_of, sweep))
    details = {"as_of": as_of, "version": run.version, "swept": as_of if sweep else swept, "through": window.through}
    run.windows.advance(SUBJECT, window, details)
    span = (str(window.after), str(window.up_to))
    return run.log.record(StepRun("prices", chain.chain_id, seconds, rows, *span, note="sweep" if sweep else ""))


STEP = ChainStep(
    name=SUBJECT,
    description="Price, volume, liquidity and price changes of every token, and the price of the native coin.",
    after=("tokens", "liquidity"),
    tables=("agg_token_price",),
    store_tables=("native_price",),
    phase=Phase.METRICS,
    derive=derive,
)


def _inputs_moved(run: RefreshRun, window: Window) -> bool:
    """Whether tokens or pools were written after the last pricing without a later change of the chain: a token that a
    reorganisation removed may come back in a run that had already priced."""
    parameters = {**window.parameters(run.version), "after_version": int(window.details.get("version", 0))}
    return bool(run.read("prices/moved_inputs", parameters))


def _reverted_from(run: RefreshRun, window: Window) -> int:
    """The lowest block that was priced and has since been reverted, as far as pools are concerned; a number above every
    block if there is none. Pools of removed blocks are gone, and with them the way from pool to token."""
    rows = run.read("prices/first_change", window.parameters(run.version)) if window.has_changes else []
    first = rows[0]["first_block"] if rows else None
    if first is None or first > int(window.details.get("through", -1)):
        return _NO_BLOCK
    return int(first)


def _refresh(run: RefreshRun, window: Window, as_of: int, sweep: bool) -> int:
    chain = window.chain
    documented = int(run.windows.checkpoint("documents", chain).details.get("version", 0))
    reverted_from, requested, _ = run_parallel(
        partial(_reverted_from, run, window),
        partial(_requested, run, chain, documented),
        partial(run.clear, chain, "work_key"),
    )
    run.transform(
        "prices/tokens_to_price",
        {
            **window.parameters(run.version),
            "after_version": int(window.details.get("version", 0)),
            "reverted_from": reverted_from,
            "documented": documented,
            "sweep": int(sweep),
            "full": int(run.full),
            "active_since": as_of - int(ACTIVE_FOR / timedelta(seconds=1)),
        },
    )
    tokens, (market, stored) = run_parallel(
        lambda: [row["token"] for row in run.read("prices/named_tokens", {"chain_id": chain.chain_id})],
        lambda: read_market(run, chain, through=window.through, as_of=as_of),
    )
    if not tokens:
        return 0
    changed: list[str] = []
    rows: list[dict[str, Any]] = []
    for token in sorted(tokens):
        standing, found = stored.get(token), _stored_form(token, market, window.through)
        if standing is None and found.metrics == TokenMetrics():
            continue
        if standing is None or found != replace(standing, as_of_block=window.through):
            changed.append(token)
        elif token not in requested and standing.as_of_block < reverted_from:
            continue
        rows.append({**asdict(found.metrics), "token": token, "last_trade_time": found.last_trade_time})
    stamp = {
        "chain_id": chain.chain_id,
        "as_of_block": window.through,
        "as_of_time": as_of,
        "version": run.version,
    }
    if rows:
        stamped = [{**row, **stamp} for row in rows]
        # Request the documents first: to a run after one that died in between, metrics that exist are not new.
        _, metrics = run_parallel(
            lambda: request_documents(run, chain.chain_id, changed, "market"),
            lambda: frames.table(_COLUMNS, stamped),
        )
        run.warehouse.insert_arrow("agg_token_price", metrics)
    _publish_native(run, window, market)
    return len(changed)


def _requested(run: RefreshRun, chain: Chain, documented: int) -> set[str]:
    """Tokens whose documents will be made. Their market figures are written again even if they are the same: their
    holders may have changed, and all figures of a document are of one block."""
    parameters = {"chain_id": chain.chain_id, "after_version": documented, "version": run.version, "causes": []}
    return {row["token"] for row in run.read("documents/requested", parameters) if not row["merely_scored"]}


def _stored_form(token: str, market: Market, block: int) -> StoredMetrics:
    metrics = token_metrics(token, market.pools_of.get(token, ()), market.quotes)
    return StoredMetrics(metrics, market.last_trade.get(token, 0), block)


def _publish_native(run: RefreshRun, window: Window, market: Market) -> None:
    quote = market.quotes.get(native_names(window.chain)[0])
    if quote is None:
        return
    run.store_rows(
        "prices/upsert_native",
        {
            "chain_id": window.chain.chain_id,
            "price_usd": quote.usd.quantize(Decimal("1e-18")),
            "source": quote.source,
            "liquidity_usd": None if quote.liquidity_usd is None else quote.liquidity_usd.quantize(Decimal("1e-6")),
            "as_of_block": window.through,
            "as_of_time": window.as_of,
        },
    )
