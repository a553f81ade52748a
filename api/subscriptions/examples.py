"""Examples of the subscription routes' answers."""

from typing import Any

from api.http.examples import WALLET

SUBSCRIPTION: dict[str, Any] = {
    "chainId": 8453,
    "tokenId": 7,
    "symbol": "PEPE",
    "wallet": WALLET,
    "channels": ["inapp", "email"],
    "subscribedAt": "2026-03-01T12:00:00.000Z",
}
PAGE: dict[str, Any] = {"subscriptions": [SUBSCRIPTION], "nextCursor": None}
UNSUBSCRIBED: dict[str, Any] = {"chainId": 8453, "tokenId": 7, "left": True}
LEFT: dict[str, Any] = {"unsubscribed": True}
