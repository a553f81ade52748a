"""Examples of the contact routes' answers."""

from typing import Any

WAITING: dict[str, Any] = {
    "channel": "email",
    "to": "frog@pepe.example",
    "confirmed": False,
    "confirmedAt": None,
    "failedAt": None,
}
CONFIRMED: dict[str, Any] = {**WAITING, "confirmed": True, "confirmedAt": "2026-03-01T12:00:00.000Z"}
LIST: dict[str, Any] = {
    "contacts": [CONFIRMED],
    "channels": [
        {"channel": "inapp", "configured": True},
        {"channel": "push", "configured": False},
        {"channel": "email", "configured": True},
        {"channel": "xmtp", "configured": False},
        {"channel": "sms", "configured": False},
        {"channel": "telegram", "configured": False},
        {"channel": "discord", "configured": False},
    ],
    "pushKey": None,
}
REMOVED: dict[str, Any] = {"channel": "email", "removed": True}
