"""Body and headers of a delivery: pure functions from an event to bytes.

Each delivery has two signatures, so that either kind of verifier works:

    X-Webhook-Signature   HMAC-SHA256 of the raw body in hexadecimal, keyed with the secret as it is shown, ``whsec_``
                          included; while an older secret is still valid also X-Webhook-Signature-Previous
    webhook-signature     as Standard Webhooks has it: ``v1,`` and the HMAC-SHA256 of ``id.timestamp.body`` in base64,
                          keyed with the bytes that the secret's base64 stands for; one for each valid secret
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

from orjson import Fragment

from api.http.rendering import dumps
from api.http.times import timestamp
from warehouse.delivery.signing import hexadecimal, standard_signatures

EVENT_PREFIX = "evt_"
TEST_PREFIX = "evt_test_"
HIDDEN: Final = "[hidden]"
_SIGNATURE_HEADERS: Final = frozenset({"x-webhook-signature", "x-webhook-signature-previous", "webhook-signature"})


def envelope_id(event_id: UUID | None, delivery_id: UUID) -> str:
    """The id of an envelope: its event's, however often it is sent; a test's cannot be taken for an event's."""
    return f"{TEST_PREFIX}{delivery_id.hex}" if event_id is None else f"{EVENT_PREFIX}{event_id.hex}"


def envelope(id: str, type: str, created_at: datetime, data: str) -> bytes:
    """The body of a delivery. ``data`` is JSON text and goes in as it is, so that every attempt sends the same bytes
    and no figure loses digits."""
    return dumps({"id": id, "type": type, "created_at": timestamp(created_at), "data": Fragment(data)})


def signed_headers(
    *,
    body: bytes,
    id: str,
    type: str,
    created_at: datetime,
    sent_at: datetime,
    secrets: Sequence[str],
    user_agent: str,
) -> dict[str, str]:
    """The headers of one attempt.

    Args:
        created_at: when the event happened.
        sent_at: when the attempt is made; verifiers of Standard Webhooks refuse one that is minutes old.
        secrets: all that are valid, the current one first.
    """
    moment = str(int(sent_at.timestamp()))
    digests = [hexadecimal(secret, body) for secret in secrets[:2]]
    headers = {
        "Content-Type": "application/json",
        "User-Agent": user_agent,
        "X-Webhook-Signature": digests[0],
        "X-Webhook-Event": type,
        "X-Webhook-Delivery": id,
        "X-Webhook-Timestamp": timestamp(created_at),
        "webhook-id": id,
        "webhook-timestamp": moment,
        "webhook-signature": standard_signatures(secrets, id=id, timestamp=moment, body=body),
    }
    if len(digests) > 1:
        headers["X-Webhook-Signature-Previous"] = digests[1]
    return headers


def without_signatures(headers: Mapping[str, str]) -> dict[str, str]:
    """Headers as the history shows them. Whoever can read the history must not be able to send a request that the
    receiver takes for ours: the signature of a body alone is valid for ever."""
    return {name: HIDDEN if name.lower() in _SIGNATURE_HEADERS else value for name, value in headers.items()}


def user_agent(service_name: str) -> str:
    """How the service calls itself to receivers, such as ``Regalia-Webhook/1.0``."""
    name = "".join(character for character in service_name if character.isascii() and character.isalnum())
    return f"{name or 'Service'}-Webhook/1.0"
