"""Examples of the alert routes."""

from typing import Any

from api.http.examples import TOKEN, WALLET

RULE: dict[str, Any] = {
    "id": "01980000-0000-7000-8000-0000000000a1",
    "wallet": WALLET,
    "chainId": "eip155:8453",
    "tokenAddress": TOKEN,
    "symbol": "PEPE",
    "alertType": "price_change",
    "thresholdValue": 20,
    "thresholdOperator": "pct_drop",
    "timeWindowMinutes": 60,
    "cooldownMinutes": 60,
    "enabled": True,
    "channels": ["inapp", "email"],
    "paused": False,
    "createdAt": "2026-01-03T10:20:00.000Z",
    "updatedAt": "2026-01-03T10:20:00.000Z",
}
ONE_RULE: dict[str, Any] = {"success": True, "data": {"rule": RULE}}
DISABLED: dict[str, Any] = {"success": True, "data": {"rule": {**RULE, "enabled": False}}}
RULES: dict[str, Any] = {"success": True, "data": {"rules": [RULE], "limit": 50}}
NO_RULES: dict[str, Any] = {"success": True, "data": {"rules": [], "limit": 3}}
DELETED: dict[str, Any] = {"success": True, "data": {"id": RULE["id"], "deleted": True}}
_FIRED = ["2025-12-11T09:15:00.000Z", "2025-12-28T21:30:00.000Z"]
_PREVIEW: dict[str, Any] = {
    "from": "2025-12-04T10:30:00.000Z",
    "to": "2026-01-03T10:15:00.000Z",
    "moments": 2880,
    "judged": 2876,
    "firings": 2,
    "firedAt": _FIRED,
    "reason": None,
}
_UNKNOWN: dict[str, Any] = {
    "from": None, "to": None, "moments": 0, "judged": 0, "firings": None, "firedAt": None, "reason": "no_history",
}  # fmt: skip
CREATED: dict[str, Any] = {"success": True, "data": {"rule": RULE, "preview": _PREVIEW}}
PREVIEW: dict[str, Any] = {"success": True, "data": {"preview": _PREVIEW}}
NO_PREVIEW: dict[str, Any] = {"success": True, "data": {"preview": _UNKNOWN}}
