"""Examples of the routes of alerts."""

from typing import Any

from api.http.examples import TOKEN

_ID = "01980000-0000-7000-8000-000000000002"
_CANDLES = f"https://api.example.com/api/v2/token/PEPE/base/candles?tokenAddress={TOKEN}"
_MART = "prices_hourly.price_close_usd"
ALERT: dict[str, Any] = {
    "id": _ID,
    "rule_id": "01980000-0000-7000-8000-0000000000a1",
    "symbol": "PEPE",
    "chain_id": "eip155:8453",
    "chain": "base",
    "token_address": TOKEN,
    "alert_type": "price_change",
    "status": "active",
    "severity": "high",
    "metric_value": 0.0000094,
    "threshold_value": 20,
    "threshold_operator": "pct_drop",
    "time_window_minutes": 60,
    "readings": [
        {"value": 0.0000094, "read_at": "2026-01-03T11:10:00.000Z", "url": _CANDLES, "mart": _MART},
        {"value": 0.0000123, "read_at": "2026-01-03T10:15:00.000Z", "url": _CANDLES, "mart": _MART},
    ],
    "triggered_at": "2026-01-03T11:15:00.000Z",
    "acknowledged_at": None,
    "resolved_at": None,
    "resolved_reason": None,
    "notification_sent": True,
}
RECOVERED: dict[str, Any] = {
    **ALERT,
    "status": "resolved",
    "resolved_at": "2026-01-03T12:30:00.000Z",
    "resolved_reason": "auto_recovered",
}
ACTIVE: dict[str, Any] = {"success": True, "data": {"alerts": [ALERT]}}
HISTORY: dict[str, Any] = {"success": True, "data": {"alerts": [ALERT, RECOVERED], "limit": 20, "offset": 0}}
SUMMARY: dict[str, Any] = {
    "success": True,
    "data": {"active": 1, "acknowledged": 0, "resolved": 1, "total": 2},
}
ACKNOWLEDGED: dict[str, Any] = {
    "success": True,
    "data": {"alert": {**ALERT, "status": "acknowledged", "acknowledged_at": "2026-01-03T11:20:00.000Z"}},
}
RESOLVED: dict[str, Any] = {"success": True, "data": {"alert": {**RECOVERED, "resolved_reason": "manual"}}}
OUTCOMES: dict[str, Any] = {
    "success": True,
    "data": {
        "results": [
            {"id": _ID, "success": True, "status": "acknowledged"},
            {"id": "other", "success": False, "error": "this account has no such alert"},
        ]
    },
}
ALL_RESOLVED: dict[str, Any] = {
    "success": True,
    "data": {"results": [{"id": _ID, "success": True, "status": "resolved"}]},
}
