"""Examples of the answers of the routes of keys."""

from typing import Any

KEY: dict[str, Any] = {
    "id": "01980a5e-7c00-7000-8000-000000000002",
    "name": "build server",
    "prefix": "rgl_live_Zk3vT9wQ",
    "createdAt": "2026-01-02T00:00:00Z",
    "lastUsedAt": None,
    "revokedAt": None,
    "scopes": ["claim", "read"],
    "allowedAddresses": ["203.0.113.0/24", "2001:db8::/48"],
    "expiresAt": "2026-12-31T00:00:00Z",
    "replacedBy": None,
}
NEW_KEY: dict[str, Any] = {**KEY, "key": "rgl_live_Zk3vT9wQ0rX5bN8mZ1cV7yB2nM4lK6jH8gF0dS3aP5"}
REVOKED: dict[str, Any] = {**KEY, "revokedAt": "2026-01-03T00:00:00Z"}
UNRESTRICTED: dict[str, Any] = {**KEY, "scopes": None, "allowedAddresses": None, "expiresAt": None}
ROLLED: dict[str, Any] = {
    **KEY,
    "id": "01980a5e-7c00-7000-8000-000000000003",
    "prefix": "rgl_live_b8Xn2MqW",
    "createdAt": "2026-06-30T00:00:00Z",
    "expiresAt": "2027-06-28T00:00:00Z",
    "key": "rgl_live_b8Xn2MqW0rX5bN8mZ1cV7yB2nM4lK6jH8gF0dS3aP5",
    "previous": {
        **KEY,
        "expiresAt": "2026-07-01T00:00:00Z",
        "replacedBy": "01980a5e-7c00-7000-8000-000000000003",
    },
}
KEYS: dict[str, Any] = {"keys": [KEY, UNRESTRICTED], "limit": 5}
