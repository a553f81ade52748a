"""Examples of the public reads' answers."""

from typing import Any

from api.http.examples import MINT, SOLANA_CAIP2, SOLANA_WALLET, TOKEN, WALLET

COIN: dict[str, Any] = {
    "symbol": "PEPE",
    "name": "Pepe",
    "chain": "base",
    "chainId": "eip155:8453",
    "crownId": 7,
    "tokenAddress": TOKEN,
    "logoUrl": "https://pepe.example/logo.png",
    "nsfw": False,
    "pageUrl": "https://regalia.example/base/PEPE",
    "market": {
        "priceUsd": 0.0000123,
        "marketCapUsd": 5170000,
        "volume24hUsd": 182340.5,
        "liquidityUsd": 941200,
        "priceChange24hPct": -3.25,
    },
    "holders": 18211,
    "asOf": {"block": 12345678, "time": "2026-01-02T12:00:00.000Z"},
}
APPS: dict[str, Any] = {
    "symbol": "PEPE",
    "chain": "base",
    "chainId": "eip155:8453",
    "crownId": 7,
    "apps": [
        {
            "id": "regalia/market-card",
            "name": "Market card",
            "description": "Price, market cap, volume and holders of the coin, as of the last minute.",
            "version": "1.0.0",
            "category": "market",
            "icon": None,
            "firstParty": True,
            "embed": {"kind": "data", "url": "https://api.regalia.example/api/v2/public/coins/base/PEPE"},
        }
    ],
}
HOLDING: dict[str, Any] = {
    "chain": "base",
    "chainId": "eip155:8453",
    "token": TOKEN,
    "wallet": WALLET,
    "balance": "5000000000000000000",
    "holds": True,
    "asOf": {"block": 12345678, "time": "2026-01-02T12:00:00.000Z"},
}
SOLANA_HOLDING: dict[str, Any] = {
    **HOLDING,
    "chain": "solana",
    "chainId": SOLANA_CAIP2,
    "token": MINT,
    "wallet": SOLANA_WALLET,
    "balance": "1250000",
    "asOf": {"block": 350123456, "time": "2026-01-02T12:00:00.000Z"},
}
SITES: dict[str, Any] = {
    "chain": "base",
    "chainId": "eip155:8453",
    "crownId": 7,
    "symbol": "PEPE",
    "badgeHosts": ["pepe.example", "shop.pepe.example"],
    "embedHosts": ["shop.pepe.example"],
    "interactive": True,
}
NO_SITES: dict[str, Any] = {**SITES, "badgeHosts": [], "embedHosts": [], "interactive": False}
