"""What a caller is granted, and what limiters have in common. Values in, values out; no I/O."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol
from uuid import UUID

from api.limits.plans import PlanLimits

DAY_SECONDS = 86_400
WINDOW_SECONDS = 60
Refusal = Literal["rate", "day"]


class Subject(NamedTuple):
    """Whose requests are counted: a key, or an account's sessions, whose ``id`` is the account's then."""

    id: UUID
    account_id: UUID
    plan: str


class Grant(NamedTuple):
    """Whether a request may be answered, and what is left after it.

    ``refusal`` is None where it may. ``tokens`` are left in the bucket, ``used`` is the day's count, ``now`` in unix
    seconds, ``day_ends`` when the quota is renewed.
    """

    refusal: Refusal | None
    tokens: float
    used: int
    now: float
    day_ends: int


class Meter(Protocol):
    """Counts requests, within one process or over all of them."""

    async def take(self, subject: Subject, limits: PlanLimits) -> Grant:
        """Count a request of a subject, if it may still ask."""

    async def take_of_address(self, address: str, kind: str, per_minute: int) -> float | None:
        """Count a request of an address, if it may still ask; else the seconds after which it may again."""

    async def close(self) -> None:
        """Close its connections."""

    async def keep(self) -> None:
        """Write down what is to outlive the process, and forget what is old."""


@dataclass(slots=True)
class Bucket:
    """Tokens as they were at a moment. It refills steadily, up to what it holds; a request takes one."""

    tokens: float
    counted_at: float

    def take(self, now: float, per_second: float, burst: float) -> bool:
        """Whether there was a token to take. A clock that is set back refills nothing, and takes nothing away."""
        if now > self.counted_at:
            self.tokens += (now - self.counted_at) * per_second
            self.counted_at = now
        self.tokens = min(self.tokens, burst)
        # A whole token may have come to 0.999…: moments are not exact to the last digit.
        if self.tokens < 1 - 1e-6:
            return False
        self.tokens = max(self.tokens - 1, 0.0)
        return True


@dataclass(slots=True)
class Window:
    """A minute that begins with an address's first request."""

    began_at: float
    used: int

    def take(self, now: float, most: int) -> float | None:
        """None where the request is within the minute's limit, else the seconds until the next minute begins."""
        if not 0 <= now - self.began_at < WINDOW_SECONDS:
            self.began_at, self.used = now, 0
        if self.used >= most:
            return self.began_at + WINDOW_SECONDS - now
        self.used += 1
        return None


def seconds_of_a_token(tokens: float, per_second: float) -> float:
    """How long until a bucket has a whole token again."""
    return max(0.0, 1 - tokens) / per_second
