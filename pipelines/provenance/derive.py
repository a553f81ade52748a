"""Provenance: which wallet controls which token, and how."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines import frames
from pipelines.documents.inputs import ControlInputs, ListedToken
from pipelines.provenance.silent import with_silent
from pipelines.publication import declare_writing
from pipelines.refresh_run import RefreshRun
from pipelines.rules import NOBODY
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Group, Phase
from pipelines.tokens.accounts import possible_wallets
from pipelines.windows import Window
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.authorities import HELD_FOR
from warehouse.domain.chains import Chain
from warehouse.domain.mints import MintControl, MintTrait

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
    "qualifies_from": frames.UINT32,
    "as_of_block": frames.UINT64,
}
_NOTHING: Mapping[str, Any] = {
    "standing_controls": [],
    "standing_from": [],
    "standing_symbol": "",
    "standing_name": "",
    "standing_is_copy": 0,
}
_METHODS_OF_AUTHORITIES = ("mint_authority", "update_authority")
_MOVE_SUPPLY = (MintControl.MINT_AUTHORITY, MintControl.PERMANENT_DELEGATE)
"""Who has one of these can give itself any share of the supply."""
_UNFINISHED = 2
"""Stands for ``is_copy`` while the rows of a token are written: no token has it, so all of them are written again."""
_KEPT_COLUMNS = {
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "controls": frames.pa.list_(frames.pa.struct([("wallet", frames.pa.binary()), ("method", frames.TEXT)])),
    "qualify_from": frames.pa.list_(frames.UINT32),
    "symbol": frames.TEXT,
    "name": frames.TEXT,
    "is_copy": frames.UINT8,
    "version": frames.UINT64,
}
Controls = Mapping[tuple[str, str], int]
"""(wallet, method) pairs of a token in order, and the unix second from which each counts: 0 if it always does."""


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
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
    return run.log.record(StepRun("provenance", chain.chain_id, seconds, rows, str(seen), str(run.version)))


STEP = ChainStep(
    name=SUBJECT,
    description="Which wallet controls which token, and how.",
    after=("tokens", "holders", "documents"),
    tables=("serve_provenance", "agg_provenance"),
    group=Group.SERVING,
    phase=Phase.SERVING,
    derive=derive,
)


def controls(token: ControlInputs, chain: Chain) -> Controls:
    """Who controls a token. Nobody controls anything through the zero or the dead address."""
    found: dict[tuple[str, str], int] = {}
    if token.is_token:
        found[token.deployer(chain), "deployer"] = 0
        found.update(_of_authorities(token) if chain.has_authorities else _of_contract(token))
        found[_majority_holder(token, chain), "majority_holder"] = _supply_was_safe_from(token)
    return {pair: found[pair] for pair in sorted(found) if pair[0] not in NOBODY}


def _of_contract(token: ControlInputs) -> Controls:
    return {(token.owner, "owner"): 0, **{(admin, "admin"): 0 for admin in token.admins}}


def _of_authorities(token: ControlInputs) -> Controls:
    """The authorities that speak for a mint, and from when on."""
    return {
        (account, kind): _counts_from(token, since_block, since)
        for kind, account, since_block, since in token.authorities
        if kind in _METHODS_OF_AUTHORITIES and account and account not in token.silent
    }


def _supply_was_safe_from(token: ControlInputs) -> int:
    """From when on a majority counts. Whoever mints or seizes tokens has one at once, and may give the authority up
    again: so it waits as long as the authorities themselves."""
    return max(
        (_counts_from(token, block, since) for kind, _, block, since in token.authorities if kind in _MOVE_SUPPLY),
        default=0,
    )


def _counts_from(token: ControlInputs, since_block: int, since: int) -> int:
    """An authority that was not so from the mint's beginning counts after a while: a mint that was grabbed or bought
    yesterday proves nothing."""
    from_the_beginning = token.created_block is not None and since_block <= token.created_block
    return 0 if from_the_beginning else since + int(HELD_FOR.total_seconds())


def _majority_holder(token: ControlInputs, chain: Chain) -> str:
    """The wallet that holds more than half of the supply; empty if there is none or it cannot be known. On Solana a
    program's account is no wallet, an account that makes tokens for others speaks for none, and whoever holds a single
    item owns the item only."""
    if not token.has_majority:
        return ""
    holder = token.largest_wallets[0]
    if not chain.has_authorities:
        return holder
    unknown = MintTrait.CONFIDENTIAL_SUPPLY in token.traits
    single = token.total_supply_raw() == 1 and not token.decimals
    if unknown or single or token.holder_is_shared or holder == token.token or not possible_wallets(chain, [holder]):
        return ""
    return holder


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
        inputs += with_silent(run, chain, run.read_records(ControlInputs, "provenance/inputs", asked))
    keys = {"chain_id": chain.chain_id, "tokens": ",".join(tokens)}
    current = {row["token_hex"]: row for row in run.read("provenance/current", keys)}
    for token in inputs:
        is_copy = int(token.token in copies)
        now = controls(token, chain)
        old = current.get(token.token, _NOTHING)
        before = _standing(old)
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
        for pair in sorted({*now, *before}):
            if same and pair in now and now[pair] == before.get(pair):
                continue
            wallet, method = pair
            counts = {"qualifies_from": now.get(pair, 0), "deleted": int(pair not in now)}
            served.append({**shared, "wallet": wallet, "method": method, **counts})
        kept.append({**shared, **_columns(now)})
        intended.append({**shared, **_columns({**before, **now}), "is_copy": _UNFINISHED})
    if served:
        declare_writing(run, chain.chain_id)
        # Say first what may be served from here on: a run that follows a kill between these writes, and a
        # reorganisation, then knows the rows that it has to take away.
        run.warehouse.insert_arrow("agg_provenance", frames.table(_KEPT_COLUMNS, intended))
        run.warehouse.insert_arrow("serve_provenance", frames.table(_SERVE_COLUMNS, served))
        run.serve_rows += len(served)
    if kept:
        run.warehouse.insert_arrow("agg_provenance", frames.table(_KEPT_COLUMNS, kept))
    return len(served)


def _standing(row: Mapping[str, Any]) -> Controls:
    """The controls of a recorded row. Rows of before say nothing of times."""
    pairs = [(wallet, method) for wallet, method in row["standing_controls"]]
    times = row["standing_from"] or [0] * len(pairs)
    return dict(zip(pairs, times, strict=True))


def _columns(controls: Controls) -> dict[str, Any]:
    pairs = sorted(controls)
    return {
        "controls": [{"wallet": bytes.fromhex(wallet), "method": method} for wallet, method in pairs],
        "qualify_from": [controls[pair] for pair in pairs],
    }
