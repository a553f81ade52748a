"""Examples of the profile routes' answers."""

from typing import Any

PROFILE: dict[str, Any] = {
    "tokenId": 7,
    "chainId": 8453,
    "symbol": "PEPE",
    "name": "Pepe",
    "displayName": None,
    "description": "The frog.",
    "avatarUrl": None,
    "logoUrl": "https://pepe.example/logo.png",
    "bannerUrl": None,
    "website": "https://pepe.example",
    "twitter": "@pepe",
    "telegram": None,
    "discord": None,
    "nsfw": False,
    "setHere": ["description", "telegram", "website"],
}
UPDATED: dict[str, Any] = {**PROFILE, "updatedFields": ["description", "website"]}
UNCHANGED: dict[str, Any] = {**PROFILE, "updatedFields": []}
