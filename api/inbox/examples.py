"""Examples of the inbox routes' answers."""

from typing import Any

MESSAGE: dict[str, Any] = {
    "id": "01980000-0000-7000-8000-0000000000b1",
    "kind": "broadcast",
    "title": "The frog speaks",
    "body": "Version 2 is live.",
    "linkUrl": "https://pepe.example/v2",
    "imageUrl": None,
    "richContent": None,
    "chainId": 8453,
    "tokenId": 7,
    "symbol": "PEPE",
    "sentAt": "2026-03-01T12:00:00.000Z",
    "readAt": None,
}
PAGE: dict[str, Any] = {"messages": [MESSAGE], "unread": 1, "nextCursor": None}
MARKED: dict[str, Any] = {"marked": 1, "unread": 0}
