"""Provenance: which wallet controls which token, and how."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pipelines import frames
from pipelines.documents.inputs import ControlInputs, ListedToken
from pipelines.publication import declare_writing
from pipelines.refresh_run import RefreshRun
from pipelines.rules import NOBODY
from pipelines.run_log import AssetRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.chains import Chain

SUBJECT = "provenance"
_TOKENS_PER_BATCH = 2_000
_SERVE_COLUMNS = {
    "wallet": frames.HEX,
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "method": frames.TEXT,
    "version": frames.UINT64,
    "deleted": frames.UINT8,
    "symbol": frames.TEXT,
    "name": frames.TEXT,
    "is_copy": frames.UINT8,
    "as_of_block": frames.UINT64,
}
_NOTHING: Mapping[str, Any] = {
    "standing_controls": [],
    "standing_symbol": "",
    "standing_name": "",
    "standing_is_copy": 0,
}
_UNFINISHED = 2
"""Stands for ``is_copy`` while the rows of a token are written: no token has it, so all of them are written again."""
_KEPT_COLUMNS = {
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "controls": frames.pa.list_(frames.pa.struct([("wallet", frames.pa.binary()), ("method", frames.TEXT)])),
    "symbol": frames.TEXT,
    "name": frames.TEXT,
    "is_copy": frames.UINT8,
    "version": frames.UINT64,
}


def derive(run: RefreshRun, chain: Chain) -> AssetRun | None:
    """Bring ``serve_provenance`` up to date for the tokens whose documents were requested."""
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    seen = int(window.details.get("version", 0))
    requested = run.read(
        "documents/requested", {"chain_id": chain.chain_id, "after_version": seen, "version": run.version, "causes": []}
    )
    # Scores do not change who controls a token.
    tokens = [row["token"] for row in requested if not row["merely_scored"]]
    if not tokens:
        return None

    def refresh() -> int:
        batches = [tokens[start : start + _TOKENS_PER_BATCH] for start in range(0, len(tokens), _TOKENS_PER_BATCH)]
        return sum(_refresh(run, window, batch) for batch in batches)

    rows, seconds = timed(refresh)
    run.windows.advance(SUBJECT, window, {"version": run.version})
    return run.log.record(AssetRun("provenance", chain.chain_id, seconds, rows, str(seen), str(run.version)))


STEP = ChainStep(
    name=SUBJECT,
    asset="serve_provenance",
    description="Which wallet controls which token, and how.",
    after=("documents",),
    tables=("serve_provenance", "agg_provenance"),
    phase=Phase.SERVING,
    derive=derive,
)


def controls(token: ControlInputs, chain: Chain) -> list[tuple[str, str]]:
    """(wallet, method) pairs of a token, sorted; nobody controls anything through the zero or the dead address."""
    found: set[tuple[str, str]] = set()
    if not token.deleted:
        found.add((token.deployer(chain), "deployer"))
        found.add((token.owner, "owner"))
        found.update((admin, "admin") for admin in token.admins)
        supply = token.total_supply_raw()
        if supply and token.top_balances_raw and 2 * token.top_balances_raw[0] > supply:
            found.add((token.largest_wallets[0], "majority_holder"))
    return sorted(pair for pair in found if pair[0] not in NOBODY)


def _refresh(run: RefreshRun, window: Window, tokens: Sequence[str]) -> int:
    chain = window.chain
    addresses = {"chain_id": chain.chain_id, "addresses": list(map(stored_from_digits, tokens))}
    listed = run.store_records(ListedToken, "tokens/list", addresses)
    copies = {digits_of(token.address) for token in listed if token.is_copy}
    served: list[dict[str, Any]] = []
    kept: list[dict[str, Any]] = []
    intended: list[dict[str, Any]] = []
    known = run.token_inputs.get(chain.chain_id, {})
    inputs: list[ControlInputs] = [known[token] for token in tokens if token in known]
    if unknown := [token for token in tokens if token not in known]:
        asked = {"chain_id": chain.chain_id, "tokens": ",".join(unknown)}
        inputs += run.read_records(ControlInputs, "provenance/inputs", asked)
    keys = {"chain_id": chain.chain_id, "tokens": ",".join(tokens)}
    current = {row["token_hex"]: row for row in run.read("provenance/current", keys)}
    for token in inputs:
        is_copy = int(token.token in copies)
        now = controls(token, chain)
        old = current.get(token.token, _NOTHING)
        before = [(wallet, method) for wallet, method in old["standing_controls"]]
        said = (token.symbol, token.name, is_copy)
        same = said == (old["standing_symbol"], old["standing_name"], old["standing_is_copy"])
        if now == before and (same or not now):
            continue
        shared = {
            "chain_id": chain.chain_id,
            "token": token.token,
            "version": run.version,
            "symbol": token.symbol,
            "name": token.name,
            "is_copy": is_copy,
            "as_of_block": window.through,
        }
        for wallet, method in sorted({*now, *before}):
            if same and (wallet, method) in now and (wallet, method) in before:
                continue
            served.append({**shared, "wallet": wallet, "method": method, "deleted": int((wallet, method) not in now)})
        kept.append({**shared, "controls": _pairs(now)})
        intended.append({**shared, "controls": _pairs(sorted({*now, *before})), "is_copy": _UNFINISHED})
    if served:
        declare_writing(run)
        # Say first what may be served from here on: a run that follows a kill between these writes, and a
        # reorganisation, then knows the rows that it has to take away.
        run.warehouse.insert_arrow("agg_provenance", frames.table(_KEPT_COLUMNS, intended))
        run.warehouse.insert_arrow("serve_provenance", frames.table(_SERVE_COLUMNS, served))
        run.serve_rows += len(served)
    if kept:
        run.warehouse.insert_arrow("agg_provenance", frames.table(_KEPT_COLUMNS, kept))
    return len(served)


def _pairs(controls: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"wallet": bytes.fromhex(wallet), "method": method} for wallet, method in controls]
