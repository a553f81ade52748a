"""Heartbeats: how active a token is, from 0 to 100, as a pure function of stored inputs.

Everything the score depends on is in :class:`Inputs`, which is stored with the score as JSON, together with the version
of the weights. So any historical score can be recomputed exactly, and explained.
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

RECENCY_CURVE = ((0, 100), (6, 100), (24, 90), (72, 70), (168, 40), (720, 0))
"""Hours since the last activity and the score at that age. Straight lines between the points; the last score holds."""
VOLUME_FULL_USD = Decimal(100_000)
TRANSFERS_FULL = Decimal(1_000)
TRANSFERS_SHARE = Decimal("0.80")
"""How much of the volume component transfers alone can reach."""
HOLDERS_FULL = Decimal(10_000)
READ_STATUS_FACTORS = {"ok": Decimal(1), "partial": Decimal("0.8"), "broken": Decimal("0.5")}

_HUNDRED = Decimal(100)
_DIGITS = Decimal("0.01")
_CACHE_SIZE = 65_536
_CONTEXT = Context(prec=40, rounding=ROUND_HALF_EVEN)
_ENCODE = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


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
    """The heartbeat that these inputs make under the weights of ``version``.

    This function is the specification. :mod:`pipelines.heartbeats.scores` computes the same for many tokens at once.
    """
    parts = {
        "timestamp": recency_score(inputs.idle_seconds),
        "volume": volume_score(inputs.transfers_24h, inputs.volume_24h_usd),
        "holders": holders_score(inputs.holders),
        "confidence": confidence_score(inputs.observed_seconds, inputs.window_seconds, inputs.read_status),
    }
    with localcontext(_CONTEXT):
        composite = sum((parts[name] * weight for name, weight in WEIGHTS[version].items()), Decimal(0))
        return Heartbeat(score=composite.quantize(_DIGITS), version=version, **parts)


# Components are the same for many tokens and hours, so they are cached.


@lru_cache(maxsize=_CACHE_SIZE)
def recency_score(idle_seconds: int | None) -> Decimal:
    """How recent the last activity is; 0 when there was none."""
    if idle_seconds is None:
        return Decimal(0).quantize(_DIGITS)
    with localcontext(_CONTEXT):
        hours = Decimal(max(0, idle_seconds)) / 3600
        for (start, high), (end, low) in pairwise(RECENCY_CURVE):
            if hours <= end:
                return (Decimal(high) - (hours - start) * (high - low) / (end - start)).quantize(_DIGITS)
        return Decimal(RECENCY_CURVE[-1][1]).quantize(_DIGITS)


@lru_cache(maxsize=_CACHE_SIZE)
def volume_score(transfers_24h: int, volume_24h_usd: str | None) -> Decimal:
    """Traded USD, or transfers where nothing is traded; those reach four fifths at most."""
    with localcontext(_CONTEXT):
        transfers = _logarithmic(Decimal(transfers_24h), TRANSFERS_FULL) * TRANSFERS_SHARE
        if volume_24h_usd is None:
            return transfers.quantize(_DIGITS)
        return max(transfers, _logarithmic(Decimal(volume_24h_usd), VOLUME_FULL_USD)).quantize(_DIGITS)


@lru_cache(maxsize=_CACHE_SIZE)
def holders_score(holders: int) -> Decimal:
    """How many holders there are, on a logarithmic scale."""
    with localcontext(_CONTEXT):
        return _logarithmic(Decimal(holders), HOLDERS_FULL).quantize(_DIGITS)


@lru_cache(maxsize=_CACHE_SIZE)
def confidence_score(observed_seconds: int, window_seconds: int, read_status: str) -> Decimal:
    """How much of the last day was observed, and how well the token's own statements could be read."""
    with localcontext(_CONTEXT):
        observed = Decimal(min(observed_seconds, window_seconds))
        coverage = observed / window_seconds if window_seconds > 0 else Decimal(1)
        factor = READ_STATUS_FACTORS.get(read_status, READ_STATUS_FACTORS["broken"])
        return (_HUNDRED * coverage * factor).quantize(_DIGITS)


def _logarithmic(amount: Decimal, full: Decimal) -> Decimal:
    if amount <= 0:
        return Decimal(0)
    return min(_HUNDRED, _HUNDRED * (amount + 1).log10() / _magnitude(full))


@lru_cache(maxsize=16)
def _magnitude(full: Decimal) -> Decimal:
    with localcontext(_CONTEXT):
        return (full + 1).log10()
