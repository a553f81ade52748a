"""All steps of the refresh in the order in which they run, each after the steps whose tables it reads.

The follower, ``regalia refresh`` and the Dagster assets run what is listed here. To add a table, declare a ``STEP``
next to the function that derives it and add it to :data:`STEPS`.
"""

from collections.abc import Sequence

from pipelines.candles import derive as candles
from pipelines.concentration import derive as concentration
from pipelines.documents import copy_figures, ranks
from pipelines.documents import derive as documents
from pipelines.events import derive as events
from pipelines.heartbeats import derive as heartbeats
from pipelines.holders import derive as holders
from pipelines.liquidity import derive as liquidity
from pipelines.mirrors import derive as mirrors
from pipelines.prices import derive as prices
from pipelines.provenance import derive as provenance
from pipelines.registrations import derive as registrations
from pipelines.step import ChainStep, GlobalStep
from pipelines.tokenlists import derive as token_list
from pipelines.tokens import derive as tokens
from pipelines.trades import derive as trades
from pipelines.wallets import derive as wallets
from pipelines.weights import derive as weights

AnyStep = ChainStep | GlobalStep

FACTS_ASSET = "raw_block"
"""The asset of a step that reads facts only depends on this one."""

STEPS: Sequence[AnyStep] = (
    tokens.STEP,
    registrations.STEP,
    holders.STEP,
    events.HOLDER_EVENTS_STEP,
    trades.STEP,
    liquidity.STEP,
    prices.STEP,
    weights.STEP,
    wallets.STEP,
    candles.STEP,
    concentration.STEP,
    heartbeats.STEP,
    events.STEP,
    documents.STEP,
    copy_figures.STEP,
    provenance.STEP,
    ranks.STEP,
    token_list.STEP,
    mirrors.STEP,
)


def asset_names() -> list[str]:
    """The assets that run steps, in order."""
    return list(dict.fromkeys(step.asset for step in STEPS))


def steps_of(asset: str) -> list[AnyStep]:
    """The steps that an asset runs, in order."""
    return [step for step in STEPS if step.asset == asset]


def dependencies_of(asset: str) -> list[str]:
    """The assets that an asset depends on: those of the steps before its own, or the facts."""
    by_name = {step.name: step for step in STEPS}
    found: dict[str, None] = {}
    for step in steps_of(asset):
        found.update(dict.fromkeys([by_name[name].asset for name in step.after] or [FACTS_ASSET]))
    return [name for name in found if name != asset]
