"""Examples of the account routes' answers."""

from typing import Any

_LIMITS = {"requestsPerSecond": 25, "burst": 50, "requestsPerDay": 100_000, "keys": 5, "newKeysPerDay": 10}
ACCOUNT: dict[str, Any] = {
    "id": "01980a5e-7c00-7000-8000-000000000001",
    "plan": "pro",
    "createdAt": "2026-01-01T00:00:00Z",
    "wallets": [
        {"wallet": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "linkedAt": "2026-01-01T00:00:00Z", "chainId": None}
    ],
    "limits": _LIMITS,
}
USAGE: dict[str, Any] = {
    "day": "2026-01-02",
    "resetsAt": "2026-01-03T00:00:00Z",
    "plan": "pro",
    "limits": _LIMITS,
    "callers": [
        {
            "kind": "key",
            "keyId": "01980a5e-7c00-7000-8000-000000000002",
            "name": "build server",
            "prefix": "rgl_live_Zk3vT9wQ",
            "used": 1_250,
            "remaining": 98_750,
        },
        {"kind": "sessions", "keyId": None, "name": None, "prefix": None, "used": 12, "remaining": 99_988},
    ],
    "days": [{"day": "2026-01-01", "used": 400}, {"day": "2026-01-02", "used": 1_262}],
}
