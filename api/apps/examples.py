"""Examples of the answers about a page's apps."""

from typing import Any

_CARD: dict[str, Any] = {
    "id": "regalia/market-card",
    "name": "Market card",
    "description": "Price, market cap, volume and holders of the coin, as of the last minute.",
    "version": "1.0.0",
    "category": "market",
    "icon": None,
    "rating": "general",
    "firstParty": True,
}
APPS: dict[str, Any] = {
    "apps": [
        {
            "id": "regalia/market-card",
            "enabled": True,
            "public": True,
            "installedAt": "2026-01-02T12:00:00.000Z",
            "app": _CARD,
        }
    ],
    "available": [{**_CARD, "id": "regalia/holder-check", "name": "Holder check", "category": "community"}],
    "limit": 50,
}
