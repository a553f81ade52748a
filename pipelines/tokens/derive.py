"""Tokens: identity, creation and control of every contract that claims to be a token."""

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import ChainStep, Phase
from pipelines.tokens.accounts import refresh_accounts
from pipelines.windows import Window
from warehouse.domain.chains import Chain
from warehouse.domain.mints import MintControl

SUBJECT = "tokens"
CAUSE = "identity"
"""The cause of its document requests: these documents are published before their metrics are computed."""
AUTHORITIES = [
    MintControl.MINT_AUTHORITY.value,
    MintControl.FREEZE_AUTHORITY.value,
    MintControl.UPDATE_AUTHORITY.value,
    MintControl.PERMANENT_DELEGATE.value,
]
_SUBJECTS = ["metadata", "control"]
_TOKENS_PER_STATEMENT = 20_000


def derive(run: RefreshRun, chain: Chain) -> StepRun | None:
    """Bring ``agg_token`` up to date for the tokens that changed, and request their documents.

    Call it under the serving lock only: its checkpoint says through which block tokens are known, and the publication
    repeats that.
    """
    window = run.windows.open(SUBJECT, chain)
    if window is None:
        return None
    through = {"through": window.through}
    if not window.has_changes:
        if window.details != through:
            run.windows.advance(SUBJECT, window, through)
        return None
    rows, seconds = timed(lambda: _refresh(run, window))
    run.windows.advance(SUBJECT, window, through)
    return run.log.record(StepRun("tokens", chain.chain_id, seconds, rows, str(window.after), str(window.up_to)))


STEP = ChainStep(
    name=SUBJECT,
    description="Identity, creation and control of every token.",
    tables=("agg_token", "agg_account_token"),
    phase=Phase.IDENTITY,
    derive=derive,
)


def _refresh(run: RefreshRun, window: Window) -> int:
    chain = window.chain
    parameters = {**window.parameters(run.version), "authorities": AUTHORITIES if chain.has_authorities else []}
    touched = count_touched(run, window, _SUBJECTS)
    parts = 1 + touched // _TOKENS_PER_STATEMENT
    for part in range(parts if touched else 0):
        some = {**parameters, "parts": parts, "part": part}
        if chain.has_authorities:
            refresh_accounts(run, window, some)
        run.transform("tokens/refresh", some)
    if touched:
        run.transform("documents/requests_from_changes", {**parameters, "subjects": _SUBJECTS, "cause": CAUSE})
    return touched


def count_touched(run: RefreshRun, window: Window, subjects: list[str]) -> int:
    """How many keys the changes of the window name."""
    found = run.read("windows/touched_keys", {**window.parameters(run.version), "subjects": subjects})
    return int(found[0]["touched"])
