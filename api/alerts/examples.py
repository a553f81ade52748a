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
    "paused": False,
    "createdAt": "2026-01-03T10:20:00.000Z",
    "updatedAt": "2026-01-03T10:20:00.000Z",
}
ONE_RULE: dict[str, Any] = {"success": True, "data": {"rule": RULE}}
DISABLED: dict[str, Any] = {"success": True, "data": {"rule": {**RULE, "enabled": False}}}
RULES: dict[str, Any] = {"success": True, "data": {"rules": [RULE], "limit": 50}}
NO_RULES: dict[str, Any] = {"success": True, "data": {"rules": [], "limit": 3}}
DELETED: dict[str, Any] = {"success": True, "data": {"id": RULE["id"], "deleted": True}}
