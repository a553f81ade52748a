"""Examples of the sites routes' answers."""

from typing import Any

SITES: dict[str, Any] = {
    "badgeHosts": ["pepe.example", "shop.pepe.example"],
    "embedHosts": ["shop.pepe.example"],
    "embedsEnabled": True,
    "interactive": True,
    "verifiedDomains": ["pepe.example", "shop.pepe.example"],
}
