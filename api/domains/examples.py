"""Examples of the domain routes' answers."""

from typing import Any

PENDING: dict[str, Any] = {
    "domain": "pepe.example",
    "state": "pending",
    "recordName": "_regalia-challenge.pepe.example",
    "recordType": "TXT",
    "recordValue": "eip155:8453/7/Jx3yqf0nV1m8tq6mB2cX9dWkzR4sLhTe",
    "requestedAt": "2026-01-02T12:00:00.000Z",
    "verifiedAt": None,
    "checkedAt": None,
    "failingSince": None,
    "lostAt": None,
    "problem": None,
    "vanityEnabled": False,
}
VERIFIED: dict[str, Any] = {
    **PENDING,
    "state": "verified",
    "verifiedAt": "2026-01-02T12:05:00.000Z",
    "checkedAt": "2026-01-02T12:05:00.000Z",
}
LIST: dict[str, Any] = {"domains": [VERIFIED], "total": 1, "limit": 50}
NOT_PROVEN: dict[str, Any] = {
    "reason": "no_such_name",
    "recordName": PENDING["recordName"],
    "recordValue": PENDING["recordValue"],
    "found": [],
}
