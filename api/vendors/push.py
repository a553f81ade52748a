"""Web push: VAPID (RFC 8292), encrypted to the browser (RFC 8291)."""

import base64
import binascii
import json
import time
from typing import Final
from urllib.parse import urlsplit

import http_ece
import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from api.http.rendering import dumps
from api.outbound.answers import OutboundAnswer
from api.outbound.destinations import UrlRefused
from api.vendors.messages import AddressRefused, Message, Outcome
from api.vendors.requests import VendorRequests

_CURVE: Final = ec.SECP256R1()
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_TTL_SECONDS: Final = 86_400
_TOKEN_SECONDS: Final = 12 * 3600
_TEXT_BYTES: Final = 2500
"""Push services take 4096 bytes, encryption and the other members included."""
_RULE: Final = "must be the JSON of a PushSubscription: endpoint, and keys with p256dh and auth"


class PushVendor:
    """Sends web push with one VAPID key.

    Args:
        key: 32 random bytes, of which the private key is made.
        contact: mailto: or https:, for operators of push services.
    """

    def __init__(self, requests: VendorRequests, key: bytes, contact: str) -> None:
        self._requests = requests
        self._private = ec.derive_private_key(int.from_bytes(key) % (_ORDER - 1) + 1, _CURVE)
        self._contact = contact
        self.public_key = _encode(_point(self._private.public_key()))
        """What pages give to the browser as ``applicationServerKey``."""

    def read_address(self, text: str) -> str:
        """The JSON of a browser's PushSubscription."""
        try:
            given = json.loads(text)
            address = {
                "endpoint": str(given["endpoint"]),
                "p256dh": str(given["keys"]["p256dh"]),
                "auth": str(given["keys"]["auth"]),
            }
            ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, _decode(address["p256dh"]))
            if len(_decode(address["auth"])) != 16:
                raise AddressRefused(_RULE)
            self._requests.outbound.validate(address["endpoint"])
        except UrlRefused as error:
            raise AddressRefused(f"its endpoint {error}") from error
        except (ValueError, KeyError, TypeError, binascii.Error) as error:
            raise AddressRefused(_RULE) from error
        return dumps(address).decode()

    async def send(self, address: str, message: Message) -> Outcome:
        """Hand the message to the browser's push service. Of attempts with one topic the service keeps the last."""
        to = json.loads(address)
        body: bytes = http_ece.encrypt(  # type: ignore[no-untyped-call]
            dumps({"title": message.title, "body": _cut_bytes(message.text), "url": message.link}),
            private_key=ec.generate_private_key(_CURVE),
            dh=_decode(to["p256dh"]),
            auth_secret=_decode(to["auth"]),
            version="aes128gcm",
        )
        headers = {
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(_TTL_SECONDS),
            "Topic": _encode(message.id.bytes),
            "Authorization": f"vapid t={self._token(to['endpoint'])}, k={self.public_key}",
        }
        return self._requests.outcome(await self._requests.post(to["endpoint"], body, headers), _is_gone)

    async def close(self) -> None:
        """Nothing is open."""

    def _token(self, endpoint: str) -> str:
        parts = urlsplit(endpoint)
        claims = {
            "aud": f"{parts.scheme}://{parts.netloc}",
            "exp": int(time.time()) + _TOKEN_SECONDS,
            "sub": self._contact,
        }
        return jwt.encode(claims, self._private, algorithm="ES256")


def _is_gone(answer: OutboundAnswer) -> bool:
    return answer.status in (404, 410)


def _point(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _decode(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _cut_bytes(text: str) -> str:
    raw = text.encode()
    return text if len(raw) <= _TEXT_BYTES else raw[:_TEXT_BYTES].decode(errors="ignore") + "…"
