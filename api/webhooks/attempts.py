"""What is written down of an attempt: pure functions from an answer to a row."""

from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Final

from api.outbound.answers import OutboundAnswer
from api.webhooks.outcomes import judge
from api.webhooks.records import Claimed, Result

_HEADERS_KEPT: Final = 64
_HEADER_LENGTH: Final = 1024


def waited_seconds(claimed: Claimed, started: datetime) -> float | None:
    """Seconds from the event's record to its first attempt; null for anything else."""
    if claimed.cause != "event" or claimed.attempts > 0 or claimed.recorded_at is None:
        return None
    return max((started - claimed.recorded_at).total_seconds(), 0.0)


def result_of(
    claimed: Claimed,
    url: str,
    headers: Mapping[str, str],
    started: datetime,
    answer: OutboundAnswer,
    now: datetime,
) -> Result:
    """The attempt as it is written down, with the verdict over it."""
    verdict = judge(
        succeeded=answer.succeeded,
        status=answer.status,
        attempts=claimed.attempts + 1,
        retried=claimed.cause != "test",
        now=now,
    )
    answered = answer.status is not None
    attempt = {
        "url": url,
        "request_headers": headers,
        "response_headers": _storable(answer.headers) if answered else None,
        "response_body": answer.body_text if answered else None,
        "response_complete": answer.body_complete if answered else None,
        "failure": answer.failure,
        "problem": answer.problem,
        "dns_seconds": answer.timing.dns_seconds,
        "connect_seconds": answer.timing.connect_seconds,
        "answer_seconds": answer.timing.answer_seconds,
        "total_seconds": answer.timing.total_seconds,
        "started_at": started,
    }
    return Result(claimed, verdict.status, verdict.due_at, now, answer.status, attempt)


def _storable(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as the store can keep them."""
    return {_clean(name): _clean(value) for name, value in islice(headers.items(), _HEADERS_KEPT)}


def _clean(text: str) -> str:
    """Text without what JSON in the store cannot hold: bytes that are not UTF-8, and NUL, become U+FFFD."""
    cut = text[:_HEADER_LENGTH].encode("utf-8", "surrogateescape")
    return cut.decode("utf-8", "replace").replace("\0", "\ufffd")
