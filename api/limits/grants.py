"""What limiters have in common: subjects, grants, buckets and windows. Pure; no I/O."""

from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol
from uuid import UUID

from api.limits.plans import PlanLimits

DAY_SECONDS = 86_400
WINDOW_SECONDS = 60
Refusal = Literal["rate", "day"]


class Subject(NamedTuple):
    """What requests are counted for: a key, or an account's sessions (``id`` is then the account's)."""

    id: UUID
    account_id: UUID
    plan: str


class Grant(NamedTuple):
    """Whether a request is within the limits, and what is left after it.

    ``refusal`` is None if it is. ``tokens`` are left in the bucket, ``used`` is the day's count, ``now`` in unix
    seconds, ``day_ends`` is when the quota resets.
    """

    refusal: Refusal | None
    tokens: float
    used: int
    now: float
    day_ends: int


class Meter(Protocol):
    """Counts requests, within one process or over all of them."""

    async def take(self, subject: Subject, limits: PlanLimits) -> Grant:
        """Count a request of a subject if a limit does not refuse it."""

    async def take_of_address(self, address: str, kind: str, per_minute: int) -> float | None:
        """Count a request of an address and return None; if its limit refuses it, return the seconds to wait."""

    async def close(self) -> None:
        """Close its connections."""

    async def keep(self) -> None:
        """Write what must survive the process, and drop what is old."""


@dataclass(slots=True)
class Bucket:
    """A token bucket: ``tokens`` as of ``counted_at``. It refills steadily up to the burst; a request takes one."""

    tokens: float
    counted_at: float

    def take(self, now: float, per_second: float, burst: float) -> bool:
        """Take a token; False if there is none. A clock that is set back changes nothing."""
        if now > self.counted_at:
            self.tokens += (now - self.counted_at) * per_second
            self.counted_at = now
        self.tokens = min(self.tokens, burst)
        # Times are floats: a whole token may have become 0.999…
        if self.tokens < 1 - 1e-6:
            return False
        self.tokens = max(self.tokens - 1, 0.0)
        return True


@dataclass(slots=True)
class Window:
    """A minute that starts with an address's first request."""

    began_at: float
    used: int

    def take(self, now: float, most: int) -> float | None:
        """None if the request is within the minute's limit, else the seconds until the minute is over."""
        if not 0 <= now - self.began_at < WINDOW_SECONDS:
            self.began_at, self.used = now, 0
        if self.used >= most:
            return self.began_at + WINDOW_SECONDS - now
        self.used += 1
        return None


def seconds_of_a_token(tokens: float, per_second: float) -> float:
    """Seconds until a bucket has a whole token."""
    return max(0.0, 1 - tokens) / per_second
