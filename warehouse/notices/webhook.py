"""The operator's webhook: one request for a message, signed, within a time limit.

The address is the operator's own setting, not something a stranger gave us, so loopback and private addresses are
allowed. Redirects are not followed: the address may hold a secret, and the signature is meant for its owner. Neither
address nor secret is ever part of an error or a log line.
"""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.metadata import version
from typing import Any, Final
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from warehouse.delivery.engine import Terms
from warehouse.delivery.retries import RetrySchedule
from warehouse.delivery.signing import hexadecimal
from warehouse.settings import EngineSettings

LIMIT_SECONDS: Final = 10.0
RETRIES: Final = RetrySchedule(
    tuple(timedelta(seconds=pause) for pause in (10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800))
)
TERMS: Final = Terms(name="notices", schedule=RETRIES, limit_seconds=LIMIT_SECONDS, lease_seconds=3 * LIMIT_SECONDS)


class DeliveryFailed(Exception):
    """The receiver could not be reached, was too slow, or did not answer 2xx."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """The receiver."""

    url: str
    secret: str | None = None

    @property
    def place(self) -> str:
        """Host and port, for people; the rest of the address may be a secret."""
        parts = urlsplit(self.url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)


def configured(settings: EngineSettings) -> Webhook | None:
    """The receiver of the settings, if one is set."""
    if settings.alert_webhook_url is None:
        return None
    secret = settings.alert_webhook_secret
    return Webhook(str(settings.alert_webhook_url), secret.get_secret_value() if secret else None)


def send(webhook: Webhook, body: Mapping[str, Any], key: str, *, limit_seconds: float = LIMIT_SECONDS) -> int:
    """POST a message from code that is not async; see :func:`post`."""
    return asyncio.run(post(webhook, body, key, limit_seconds=limit_seconds))


async def post(webhook: Webhook, body: Mapping[str, Any], key: str, *, limit_seconds: float = LIMIT_SECONDS) -> int:
    """POST a message and return the status, which is 2xx; ``key`` is its idempotency key.

    Raises:
        DeliveryFailed: anything else; trying again with the same key is safe.
    """
    payload = json.dumps(body, separators=(",", ":"), sort_keys=True).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"regalia/{version('regalia')}",
        "Idempotency-Key": key,
        **_signature(webhook.secret, payload),
    }
    try:
        async with asyncio.timeout(limit_seconds), _session() as session:
            url = URL(webhook.url, encoded=True)
            async with session.post(url, data=payload, headers=headers, allow_redirects=False) as response:
                status = response.status
    except TimeoutError:
        raise DeliveryFailed(f"{webhook.place}: no answer in {limit_seconds:g} seconds") from None
    except (aiohttp.ClientError, OSError) as error:
        cause = getattr(error, "os_error", error)
        raise DeliveryFailed(f"{webhook.place}: {type(cause).__name__}") from None
    if not 200 <= status < 300:
        raise DeliveryFailed(f"{webhook.place}: HTTP {status}")
    return status


def signature(secret: str, timestamp: str, payload: bytes) -> str:
    """What the receiver computes too: HMAC-SHA256 over the timestamp, a full stop, and the body as it came."""
    return hexadecimal(secret, timestamp.encode() + b"." + payload)


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), trust_env=False, timeout=aiohttp.ClientTimeout(total=None)
    )


def _signature(secret: str | None, payload: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    signed = {"X-Regalia-Signature": f"sha256={signature(secret, timestamp, payload)}"} if secret else {}
    return {"X-Regalia-Timestamp": timestamp, **signed}
