"""All steps of the refresh in the order in which they run, each after the steps whose tables it reads.

The follower, ``regalia refresh`` and Dagster run what is listed here. To add a table, declare a ``STEP``
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
