"""Examples of the broadcast routes' answers."""

from typing import Any

from api.http.examples import WALLET

_ID = "01980000-0000-7000-8000-0000000000b1"
ACCEPTED: dict[str, Any] = {"id": _ID, "status": "queued", "recipientCount": 412, "scheduledAt": None}
HELD: dict[str, Any] = {"id": _ID, "status": "review", "recipientCount": 0, "scheduledAt": None}
PREVIEW: dict[str, Any] = {"recipientCount": 37, "asOfBlock": 17000000}
LIMITS: dict[str, Any] = {
    "plan": "free",
    "limits": [
        {"name": "plan", "limit": 1, "windowSeconds": 604800, "used": 1, "remaining": 0},
        {"name": "hour", "limit": 3, "windowSeconds": 3600, "used": 0, "remaining": 3},
        {"name": "day", "limit": 10, "windowSeconds": 86400, "used": 1, "remaining": 9},
    ],
    "canSend": False,
    "resetsAt": "2026-03-08T12:00:00.000Z",
    "maxRecipients": 50000,
    "reviewAbove": 500,
    "reviewed": False,
}
DELIVERY: dict[str, Any] = {
    "channels": [
        {"channel": "inapp", "configured": True, "subscribers": 412, "postsPublicly": False},
        {"channel": "push", "configured": False, "subscribers": 0, "postsPublicly": False},
        {"channel": "email", "configured": True, "subscribers": 120, "postsPublicly": False},
        {"channel": "xmtp", "configured": False, "subscribers": 0, "postsPublicly": False},
        {"channel": "sms", "configured": False, "subscribers": 0, "postsPublicly": False},
        {"channel": "telegram", "configured": True, "subscribers": 44, "postsPublicly": True},
        {"channel": "discord", "configured": False, "subscribers": 0, "postsPublicly": False},
    ],
    "subscribers": 412,
}
BROADCAST: dict[str, Any] = {
    "id": _ID,
    "type": "update",
    "title": "The frog speaks",
    "status": "sent",
    "explanation": None,
    "channels": ["inapp", "email"],
    "segments": [],
    "tierIds": [],
    "recipients": 412,
    "heldOut": 0,
    "read": 200,
    "asOfBlock": 17000000,
    "createdAt": "2026-03-01T12:00:00.000Z",
    "dueAt": "2026-03-01T12:00:00.000Z",
    "sentAt": "2026-03-01T12:00:02.000Z",
    "results": [{"channel": "email", "status": "delivered", "count": 120}],
}
PAGE: dict[str, Any] = {"broadcasts": [BROADCAST], "nextCursor": None}
RESULTS: dict[str, Any] = {
    "results": [
        {
            "position": 1,
            "wallet": WALLET,
            "heldOut": False,
            "channel": "email",
            "status": "delivered",
            "problem": None,
        }
    ],
    "nextCursor": None,
}
ROOM: dict[str, Any] = {"chainId": 8453, "tokenId": 7, "channel": "telegram", "connected": True}
