"""Heartbeats: how alive a token is, from 0 to 100, as a pure function of stored inputs.

Everything the score depends on is in :class:`Inputs`, which is stored beside the score as JSON together with the
version of the weights, so any historical score can be computed again to the same figure, and explained.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from itertools import pairwise

VERSION = 1

WEIGHTS: Mapping[int, Mapping[str, Decimal]] = {
    1: {
        "timestamp": Decimal("0.35"),
        "volume": Decimal("0.25"),
        "holders": Decimal("0.20"),
        "confidence": Decimal("0.20"),
    },
}
"""Weights of the components, per version; a version once published is never edited."""

_HUNDRED = Decimal(100)
_DIGITS = Decimal("0.01")
_CONTEXT = Context(prec=40, rounding=ROUND_HALF_EVEN)

# Hours since the last activity, and the score at that age; straight lines between, the last one kept.
_RECENCY = ((0, 100), (6, 100), (24, 90), (72, 70), (168, 40), (720, 0))
_VOLUME_FULL_USD = Decimal(100_000)
_TRANSFERS_FULL = Decimal(1_000)
_TRANSFERS_SHARE = Decimal("0.80")
_HOLDERS_FULL = Decimal(10_000)
_READINGS = {"ok": Decimal(1), "partial": Decimal("0.8"), "broken": Decimal("0.5")}


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a heartbeat is computed from. ``idle_seconds`` leaves out time for which the chain was not observed."""

    idle_seconds: int | None
    """Observed seconds since the last transfer or trade; None when there was none."""
    volume_24h_usd: str | None
    """Exact decimal text, of as much volume as the liquidity bears out; None when the token has no priced market."""
    transfers_24h: int
    holders: int
    observed_seconds: int
    """How much of the last 24 hours was observed."""
    window_seconds: int
    """How much of the last 24 hours there was to observe (less than a day for a young chain)."""
    read_status: str
    as_of: int
    """The moment (unix seconds) that the other inputs are of."""

    def to_json(self) -> str:
        """The stored form: keys in order, no spaces."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @staticmethod
    def from_json(text: str) -> "Inputs":
        """The inputs as they were stored."""
        return Inputs(**json.loads(text))


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The composite and its four components, each 0 to 100 with two decimals."""

    score: Decimal
    timestamp: Decimal
    volume: Decimal
    holders: Decimal
    confidence: Decimal
    version: int


def score(inputs: Inputs, version: int = VERSION) -> Heartbeat:
    """The heartbeat that these inputs make under the weights of ``version``."""
    weights = WEIGHTS[version]
    with localcontext(_CONTEXT):
        parts = {
            "timestamp": _recency(inputs.idle_seconds),
            "volume": _volume(inputs),
            "holders": _logarithmic(Decimal(inputs.holders), _HOLDERS_FULL),
            "confidence": _confidence(inputs),
        }
        rounded = {name: value.quantize(_DIGITS) for name, value in parts.items()}
        composite = sum((rounded[name] * weight for name, weight in weights.items()), Decimal(0))
        return Heartbeat(score=composite.quantize(_DIGITS), version=version, **rounded)


def _recency(idle_seconds: int | None) -> Decimal:
    if idle_seconds is None:
        return Decimal(0)
    hours = Decimal(max(0, idle_seconds)) / 3600
    for (start, high), (end, low) in pairwise(_RECENCY):
        if hours <= end:
            return Decimal(high) - (hours - start) * (high - low) / (end - start)
    return Decimal(_RECENCY[-1][1])


def _volume(inputs: Inputs) -> Decimal:
    """Traded USD, or transfers where nothing is traded: those can reach four fifths."""
    transfers = _logarithmic(Decimal(inputs.transfers_24h), _TRANSFERS_FULL) * _TRANSFERS_SHARE
    if inputs.volume_24h_usd is None:
        return transfers
    return max(transfers, _logarithmic(Decimal(inputs.volume_24h_usd), _VOLUME_FULL_USD))


def _logarithmic(amount: Decimal, full: Decimal) -> Decimal:
    if amount <= 0:
        return Decimal(0)
    return min(_HUNDRED, _HUNDRED * (amount + 1).log10() / (full + 1).log10())


def _confidence(inputs: Inputs) -> Decimal:
    observed = Decimal(min(inputs.observed_seconds, inputs.window_seconds))
    coverage = observed / inputs.window_seconds if inputs.window_seconds > 0 else Decimal(1)
    return _HUNDRED * coverage * _READINGS.get(inputs.read_status, _READINGS["broken"])
