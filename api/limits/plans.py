"""The limits by plan: the built-in ones overridden by the operator's file, read again when the file changes."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, model_validator

from api.overlay import Overlay, OverlayError, OverlayFile
from warehouse.domain.plans import PLANS

_ENOUGH = 10**12


class LimitsError(OverlayError):
    """The limits file cannot be used; the message says why."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PlanLimits(_Table):
    """What one key, or all sessions of an account together, may ask, and how many keys an account may have."""

    per_second: int = Field(ge=1, le=1_000_000)
    burst: int = Field(ge=1, le=1_000_000)
    per_day: int = Field(ge=1, le=_ENOUGH)
    keys: int = Field(ge=1, le=1_000_000)
    new_keys: int = Field(ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _refills_in_a_minute(self) -> "PlanLimits":
        # Limiters drop a bucket that was not used for ten minutes, so it must be full by then.
        if self.burst > 60 * self.per_second:
            raise ValueError("burst is more than 60 times per_second")
        return self

    @cached_property
    def policy(self) -> str:
        """The header ``RateLimit-Policy``: the burst with the time in which it refills, and the daily quota."""
        return f'"rate";q={self.burst};w={-(-self.burst // self.per_second)}, "day";q={self.per_day};w=86400'


class PublicLimits(_Table):
    """What an address may ask without a credential, or with one that is not valid."""

    per_minute: int = Field(ge=1, le=1_000_000)
    holdings_per_minute: int = Field(ge=1, le=1_000_000)
    wrong_keys_per_minute: int = Field(ge=1, le=1_000_000)
    uncounted_per_minute: int = Field(ge=1, le=1_000_000)


class Limits(_Table):
    """All limits."""

    plans: Mapping[str, PlanLimits]
    public: PublicLimits

    @model_validator(mode="after")
    def _are_of_plans(self) -> "Limits":
        unknown = sorted(set(self.plans) - set(PLANS))
        if unknown:
            raise ValueError(f"plans.{unknown[0]} is not a plan; plans are {', '.join(PLANS)}")
        return self


_OVERLAY = Overlay("limits file", "api.limits", "plans.toml", TypeAdapter(Limits), LimitsError)


def load(path: Path | None) -> Limits:
    """Built-in limits overridden by the file at ``path``.

    Raises:
        LimitsError: the file is missing, is not TOML, or holds a limit that cannot be.
    """
    return _OVERLAY.load(path)


class LimitsFile(OverlayFile[Limits]):
    """The limits as they are now."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, load)

    @property
    def current(self) -> Limits:
        """The limits as of the last look at the file."""
        return self.value
