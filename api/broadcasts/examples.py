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
EFFECT: dict[str, Any] = {
    "id": _ID,
    "asOfBlock": 17000000,
    "sentAt": "2026-03-01T12:00:02.000Z",
    "after": [
        {
            "days": 1,
            "asOfBlock": 17043200,
            "recipients": {
                "accounts": 370,
                "more": 74,
                "same": 259,
                "less": 30,
                "nothing": 7,
                "moreShare": {"estimate": 0.2, "low": 0.162, "high": 0.244},
                "lessShare": {"estimate": 0.081, "low": 0.057, "high": 0.113},
                "nothingShare": {"estimate": 0.019, "low": 0.009, "high": 0.039},
            },
            "heldOut": {
                "accounts": 24,
                "more": 3,
                "same": 19,
                "less": 2,
                "nothing": 0,
                "moreShare": None,
                "lessShare": None,
                "nothingShare": None,
            },
            "difference": {"more": None, "less": None, "nothing": None},
        },
        {"days": 7, "asOfBlock": None, "recipients": None, "heldOut": None, "difference": None},
        {"days": 30, "asOfBlock": None, "recipients": None, "heldOut": None, "difference": None},
    ],
}
ROOM: dict[str, Any] = {"chainId": 8453, "tokenId": 7, "channel": "telegram", "connected": True}
