"""One node: its URL, what requests to it carry, and when it may be asked again."""

import base64
import random
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

_MAX_WAIT_SECONDS = 30.0


@dataclass(slots=True)
class Endpoint:
    """One node. ``resting_until`` is when it may be asked again after a failure."""

    url: str
    verified: bool = False
    resting_until: float = 0.0
    failures: int = 0

    def rest(self, retry_after: float | None) -> None:
        """Leave the node alone: for as long as it asked, else exponentially longer, with jitter."""
        self.failures += 1
        backoff = min(0.1 * 2 ** min(self.failures, 10), _MAX_WAIT_SECONDS) * random.uniform(0.5, 1.0)  # noqa: S311
        wait = backoff if retry_after is None else min(retry_after, _MAX_WAIT_SECONDS)
        self.resting_until = max(self.resting_until, time.monotonic() + wait)

    def recover(self) -> None:
        """An answer arrived: the next failure starts from the shortest wait again."""
        self.failures = 0


def target(url: str) -> str:
    """What a request line asks for: path and query."""
    parts = urlsplit(url)
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def request_headers(url: str) -> dict[str, str]:
    """Headers of every request; compression is for nodes elsewhere only, credentials are those of the URL."""
    parts = urlsplit(url)
    local = parts.hostname in ("127.0.0.1", "localhost", "::1")
    headers = {
        "Content-Type": "application/json",
        "Accept-Encoding": "identity" if local else "gzip",
        "User-Agent": "regalia-indexer",
    }
    if parts.username is not None:
        pair = f"{parts.username}:{parts.password or ''}".encode()
        headers["Authorization"] = f"Basic {base64.b64encode(pair).decode()}"
    return headers


def retry_after(value: str | None) -> float | None:
    """Seconds that a ``Retry-After`` header asks for, as a number or as a date; None for anything else."""
    if value is None:
        return None
    try:
        return max(float(value), 0.0)
    except ValueError:
        pass
    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except ValueError:
        return None


def shown(url: str) -> str:
    """The URL without what may be a key: provider keys are in the path or the user part."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
