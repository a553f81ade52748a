"""Examples of the audit log's answers."""

from typing import Any

from warehouse.domain.events.accounts import SubscriptionUpgraded
from warehouse.domain.events.security import KeyRevoked

_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
_WHO = {"actor": "session", "wallet": _WALLET, "client_ip": "203.0.113.9"}
_SESSION = "01980a5e-7c00-7000-8000-000000000004"
_KEY = "01980a5e-7c00-7000-8000-000000000002"
_ACTOR = {"kind": "session", "wallet": _WALLET, "sessionId": _SESSION}
PAGE: dict[str, Any] = {
    "entries": [
        {
            "id": "01980a5e-7c00-7000-8000-000000000006",
            "action": KeyRevoked.type,
            "at": "2026-01-02T00:05:00Z",
            "actor": _ACTOR,
            "clientIp": "203.0.113.9",
            "keyId": _KEY,
            "data": {**_WHO, "key_id": _KEY, "name": "build server", "prefix": "rgl_live_Zk3vT9wQ"},
        },
        {
            "id": "01980a5e-7c00-7000-8000-000000000005",
            "action": SubscriptionUpgraded.type,
            "at": "2026-01-02T00:00:00Z",
            "actor": {"kind": "operator", "wallet": None, "sessionId": None},
            "clientIp": None,
            "keyId": None,
            "data": {"wallet": _WALLET, "previous_tier": "free", "new_tier": "pro"},
        },
    ],
    "nextCursor": None,
}
