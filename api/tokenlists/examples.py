"""Examples of the token list routes' answers."""

from typing import Any

from api.http.examples import TOKEN

_LOGO = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"
_TOKEN: dict[str, Any] = {
    "chainId": 8453,
    "address": TOKEN,
    "name": "Pepe",
    "symbol": "PEPE",
    "decimals": 18,
    "logoURI": _LOGO,
    "extensions": {"crownId": 7},
}
_PLAIN: dict[str, Any] = {name: value for name, value in _TOKEN.items() if name != "logoURI"}
_V1: dict[str, Any] = {"major": 1, "minor": 4, "patch": 0}
_V2: dict[str, Any] = {"major": 1, "minor": 4, "patch": 1}
LIST: dict[str, Any] = {
    "name": "Regalia Tokens",
    "timestamp": "2026-01-02T12:00:00.000Z",
    "version": _V2,
    "keywords": ["registry", "verified", "tokens"],
    "tokens": [_TOKEN],
}
NOTHING: dict[str, Any] = {**LIST, "tokens": []}
VERSIONS: dict[str, Any] = {
    "versions": [
        {"version": _V2, "timestamp": LIST["timestamp"], "tokens": 1, "added": 0, "changed": 1, "removed": 0},
        {"version": _V1, "timestamp": "2026-01-01T12:00:00.000Z", "tokens": 1, "added": 1, "changed": 0, "removed": 0},
    ],
    "nextBefore": None,
}
DIFFERENCE: dict[str, Any] = {
    "from": _V1,
    "to": _V2,
    "added": [],
    "removed": [],
    "changed": [{"from": _PLAIN, "to": _TOKEN}],
}
EXPORT: dict[str, Any] = {
    "symbol": "PEPE",
    "chain": "base",
    "format": "json",
    "data": {
        "name": "Pepe",
        "symbol": "PEPE",
        "description": "A frog.",
        "website": "https://pepe.example",
        "twitter": "https://x.com/pepe",
        "telegram": None,
        "discord": None,
        "logo": _LOGO,
        "contractAddress": TOKEN,
        "chainId": 8453,
    },
    "extensions": {"verified": True, "crownId": 7},
}
PLATFORM: dict[str, Any] = {
    "chainId": "base",
    "tokenAddress": TOKEN,
    "icon": _LOGO,
    "header": None,
    "description": "A frog.",
    "links": [{"label": "Website", "url": "https://pepe.example"}, {"type": "twitter", "url": "https://x.com/pepe"}],
}
LINT: dict[str, Any] = {
    "symbol": "PEPE",
    "chain": "base",
    "platforms": [
        {"platform": "coin", "format": "coin", "complete": True, "lacks": []},
        {
            "platform": "asset",
            "format": "asset",
            "complete": False,
            "lacks": [{"field": "decimals", "problem": "is required"}],
        },
    ],
}
