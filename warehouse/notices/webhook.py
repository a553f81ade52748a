"""One message to the operator's webhook: what it says, how it is signed, and a limit on how long it may take.

The address is the operator's own setting, not something a stranger gave us, so loopback and private addresses are
allowed. Redirects are not followed: the address may hold a secret, and the signature was meant for its owner. Neither
address nor secret is ever part of an error or a log line.
"""

import hashlib
import hmac
import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import urlsplit

from warehouse.settings import EngineSettings

LIMIT_SECONDS = 10.0
RETRY_SECONDS = (10, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800)
"""Pauses after failed attempts; after as many and one more a message is given up."""
SCHEMA_VERSION = 1

Severity = Literal["warning", "error"]
Event = Literal["firing", "resolved", "test"]


class DeliveryFailed(Exception):
    """The receiver could not be reached, was too slow, or did not answer 2xx."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that operators should know of: its kind and subject make it the same one over time."""

    kind: str
    subject: str
    severity: Severity
    summary: str
    details: Mapping[str, Any]

    @property
    def key(self) -> str:
        """What tells it from others."""
        return f"{self.kind}:{self.subject}"


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


def message(event: Event, condition: Condition, *, started_at: str, resolved_at: str | None = None) -> dict[str, Any]:
    """The body of a message; docs/operating.md describes it. ``text`` is what chat services show."""
    mark = {"firing": condition.severity.upper(), "resolved": "RESOLVED", "test": "TEST"}[event]
    return {
        "version": SCHEMA_VERSION,
        "event": event,
        "text": f"[{mark}] {condition.summary}",
        "alert": {
            "key": condition.key,
            "kind": condition.kind,
            "subject": condition.subject,
            "severity": condition.severity,
            "summary": condition.summary,
            "details": dict(condition.details),
            "startedAt": started_at,
            "resolvedAt": resolved_at,
        },
    }


def send(webhook: Webhook, body: Mapping[str, Any], key: str, *, limit_seconds: float = LIMIT_SECONDS) -> int:
    """POST a message and return the status, which is 2xx; ``key`` is its idempotency key.

    Raises:
        DeliveryFailed: anything else; trying again with the same key is safe.
    """
    parts = urlsplit(webhook.url)
    payload = json.dumps(body, separators=(",", ":"), sort_keys=True).encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"regalia/{version('regalia')}",
        "Idempotency-Key": key,
        **_signature(webhook.secret, payload),
    }
    made = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = made(str(parts.hostname), parts.port, timeout=limit_seconds)
    # The connection's own limit is for each step; this one is for all of them, however slowly the receiver drips.
    watch = threading.Timer(limit_seconds, _break_off, (connection,))
    watch.daemon = True
    began = time.monotonic()
    watch.start()
    try:
        connection.request("POST", f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", payload, headers)
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        status, problem = 0, type(error).__name__
    else:
        problem = f"HTTP {status}"
    finally:
        watch.cancel()
        connection.close()
    if time.monotonic() - began >= limit_seconds:
        raise DeliveryFailed(f"{webhook.place}: no answer in {limit_seconds:g} seconds")
    if not 200 <= status < 300:
        raise DeliveryFailed(f"{webhook.place}: {problem}")
    return status


def signature(secret: str, timestamp: str, payload: bytes) -> str:
    """What the receiver computes, too: HMAC-SHA256 over the timestamp, a full stop, and the body as it came."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + payload, hashlib.sha256).hexdigest()


def _signature(secret: str | None, payload: bytes) -> dict[str, str]:
    timestamp = str(int(time.time()))
    signed = {"X-Regalia-Signature": f"sha256={signature(secret, timestamp, payload)}"} if secret else {}
    return {"X-Regalia-Timestamp": timestamp, **signed}


def _break_off(connection: http.client.HTTPConnection) -> None:
    if connection.sock is not None:
        try:
            connection.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # it ended by itself in the same moment
