"""The limits by plan: the built-in ones with the operator's file laid over them, read again when the file changes."""

import logging
import tomllib
from collections.abc import Mapping
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from api.models.account import PLANS

LOG = logging.getLogger(__name__)
_ENOUGH = 10**12


class LimitsError(ValueError):
    """The limits file cannot be used; the message says why."""


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class PlanLimits(_Table):
    """What a key, or an account's sessions together, may ask; and how many keys an account may have."""

    per_second: int = Field(ge=1, le=1_000_000)
    burst: int = Field(ge=1, le=1_000_000)
    per_day: int = Field(ge=1, le=_ENOUGH)
    keys: int = Field(ge=1, le=1_000_000)
    new_keys: int = Field(ge=1, le=1_000_000)

    @model_validator(mode="after")
    def _refills_in_a_minute(self) -> "PlanLimits":
        # Limiters forget a bucket that nobody asked for in ten minutes: it must be full by then.
        if self.burst > 60 * self.per_second:
            raise ValueError("burst is more than 60 times per_second")
        return self

    @cached_property
    def policy(self) -> str:
        """The field ``RateLimit-Policy``: a burst within the time in which it is given again, and the day."""
        return f'"rate";q={self.burst};w={-(-self.burst // self.per_second)}, "day";q={self.per_day};w=86400'


class PublicLimits(_Table):
    """What an address may ask without a credential, or with one that is not valid."""

    per_minute: int = Field(ge=1, le=1_000_000)
    holdings_per_minute: int = Field(ge=1, le=1_000_000)
    wrong_keys_per_minute: int = Field(ge=1, le=1_000_000)


class Limits(_Table):
    """All limits."""

    plans: Mapping[str, PlanLimits]
    public: PublicLimits

    @model_validator(mode="after")
    def _are_of_plans(self) -> "Limits":
        unknown = sorted(set(self.plans) - set(PLANS))
        if unknown:
            raise ValueError(f"plans.{unknown[0]} is no plan; plans are {', '.join(PLANS)}")
        return self


class LimitsFile:
    """The limits as they are now. A file that turns bad while the service runs is reported and not taken over.

    Raises:
        LimitsError: the file cannot be used to begin with.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._stamp = self._modified()
        self.current = load(path)

    def look_again(self) -> None:
        """Take over what the file says now, if it changed."""
        stamp = self._modified()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self.current = load(self.path)
        except LimitsError as error:
            LOG.error("the limits stay as they were: %s", error)

    def _modified(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


def load(path: Path | None) -> Limits:
    """Built-in limits with the file at ``path`` laid over them.

    Raises:
        LimitsError: the file is missing, is not TOML, or holds a limit that cannot be.
    """
    limits: Mapping[str, Any] = _builtin()
    if path is not None:
        try:
            limits = _merge(limits, tomllib.loads(path.read_text()))
        except OSError as error:
            raise LimitsError(f"limits file {path}: {error.strerror}") from error
        except tomllib.TOMLDecodeError as error:
            raise LimitsError(f"limits file {path}: {error}") from error
    try:
        return Limits.model_validate(limits)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise LimitsError(f"limits file {path}: {field + ': ' if field else ''}{first['msg']}") from error


@cache
def _builtin() -> Mapping[str, Any]:
    return tomllib.loads(files("api.limits").joinpath("plans.toml").read_text())


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _merge(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return merged
