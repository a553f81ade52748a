"""Heartbeats: how alive a token is, from 0 to 100, as a pure function of stored inputs.

Everything the score depends on is in :class:`Inputs`, which is stored beside the score as JSON together with the
version of the weights, so any historical score can be computed again to the same figure, and explained.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from functools import lru_cache
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
_REMEMBERED = 65_536
_CONTEXT = Context(prec=40, rounding=ROUND_HALF_EVEN)

# Hours since the last activity, and the score at that age; straight lines between, the last one kept.
_RECENCY = ((0, 100), (6, 100), (24, 90), (72, 70), (168, 40), (720, 0))
_VOLUME_FULL_USD = Decimal(100_000)
_TRANSFERS_FULL = Decimal(1_000)
_TRANSFERS_SHARE = Decimal("0.80")
_HOLDERS_FULL = Decimal(10_000)
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
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
        return _ENCODE({name: getattr(self, name) for name in self.__slots__})

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
    return _composite(
        _recency(inputs.idle_seconds),
        _volume(inputs.transfers_24h, inputs.volume_24h_usd),
        _logarithmic(Decimal(inputs.holders), _HOLDERS_FULL),
        _confidence(inputs.observed_seconds, inputs.window_seconds, inputs.read_status),
        version,
    )


# The parts are the same for many tokens and hours: each is a pure function, remembered.


@lru_cache(maxsize=_REMEMBERED)
def _composite(timestamp: Decimal, volume: Decimal, holders: Decimal, confidence: Decimal, version: int) -> Heartbeat:
    weights = WEIGHTS[version]
    with localcontext(_CONTEXT):
        parts = {"timestamp": timestamp, "volume": volume, "holders": holders, "confidence": confidence}
        rounded = {name: value.quantize(_DIGITS) for name, value in parts.items()}
        composite = sum((rounded[name] * weight for name, weight in weights.items()), Decimal(0))
        return Heartbeat(score=composite.quantize(_DIGITS), version=version, **rounded)


@lru_cache(maxsize=_REMEMBERED)
def _recency(idle_seconds: int | None) -> Decimal:
    if idle_seconds is None:
        return Decimal(0)
    with localcontext(_CONTEXT):
        hours = Decimal(max(0, idle_seconds)) / 3600
        for (start, high), (end, low) in pairwise(_RECENCY):
            if hours <= end:
                return Decimal(high) - (hours - start) * (high - low) / (end - start)
        return Decimal(_RECENCY[-1][1])


@lru_cache(maxsize=_REMEMBERED)
def _volume(transfers_24h: int, volume_24h_usd: str | None) -> Decimal:
    """Traded USD, or transfers where nothing is traded: those can reach four fifths."""
    with localcontext(_CONTEXT):
        transfers = _logarithmic(Decimal(transfers_24h), _TRANSFERS_FULL) * _TRANSFERS_SHARE
        if volume_24h_usd is None:
            return transfers
        return max(transfers, _logarithmic(Decimal(volume_24h_usd), _VOLUME_FULL_USD))


@lru_cache(maxsize=_REMEMBERED)
def _logarithmic(amount: Decimal, full: Decimal) -> Decimal:
    if amount <= 0:
        return Decimal(0)
    with localcontext(_CONTEXT):
        return min(_HUNDRED, _HUNDRED * (amount + 1).log10() / _magnitude(full))


@lru_cache(maxsize=16)
def _magnitude(full: Decimal) -> Decimal:
    with localcontext(_CONTEXT):
        return (full + 1).log10()


@lru_cache(maxsize=_REMEMBERED)
def _confidence(observed_seconds: int, window_seconds: int, read_status: str) -> Decimal:
    with localcontext(_CONTEXT):
        observed = Decimal(min(observed_seconds, window_seconds))
        coverage = observed / window_seconds if window_seconds > 0 else Decimal(1)
        return _HUNDRED * coverage * _READINGS.get(read_status, _READINGS["broken"])
