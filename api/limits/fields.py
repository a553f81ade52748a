"""The limit headers of answers: ``X-RateLimit-*``, and ``RateLimit-Policy`` and ``RateLimit`` of the IETF's draft."""

import math

from api.limits.grants import Grant, seconds_of_a_token
from api.limits.plans import PlanLimits

RawHeaders = list[tuple[bytes, bytes]]


def wait_seconds(limits: PlanLimits, grant: Grant) -> int:
    """Whole seconds until a refused request would be granted, at least one."""
    if grant.refusal == "day":
        return max(1, math.ceil(grant.day_ends - grant.now))
    return max(1, math.ceil(seconds_of_a_token(grant.tokens, limits.per_second)))


def headers(limits: PlanLimits, grant: Grant) -> RawHeaders:
    """The headers of an answer.

    ``X-RateLimit-*`` describe the daily quota, or the rate if that was exceeded. ``Reset`` is a time in Unix seconds;
    ``t`` of the IETF headers is seconds from now, as is customary for each.
    """
    burst, left_today = limits.burst, max(0, limits.per_day - grant.used)
    tokens = min(int(grant.tokens + 1e-6), burst)
    refills = math.ceil((burst - tokens) / limits.per_second)
    ends = math.ceil(grant.day_ends - grant.now)
    if grant.refusal == "rate":
        limit, remaining, reset = burst, 0, math.ceil(grant.now) + wait_seconds(limits, grant)
    else:
        limit, remaining, reset = limits.per_day, left_today, grant.day_ends
    return [
        (b"x-ratelimit-limit", b"%d" % limit),
        (b"x-ratelimit-remaining", b"%d" % remaining),
        (b"x-ratelimit-reset", b"%d" % reset),
        (b"ratelimit-policy", limits.policy.encode()),
        (b"ratelimit", b'"rate";r=%d;t=%d, "day";r=%d;t=%d' % (tokens, refills, left_today, ends)),
    ]
