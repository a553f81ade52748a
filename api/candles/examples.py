"""Examples of answers, for the OpenAPI document."""

from typing import Any

CANDLES: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
    "interval": "1h",
    "from": "2026-04-24T12:00:00.000Z",
    "to": "2026-05-01T12:00:00.000Z",
    "asOf": {"block": 40123456, "time": "2026-05-01T11:59:58.000Z"},
    "candles": [
        {
            "timestamp": "2026-05-01T11:00:00.000Z",
            "open": 0.0000123,
            "high": 0.0000131,
            "low": 0.0000122,
            "close": 0.000013,
            "volumeUsd": 182340.5,
            "liquidityUsd": 2450000,
            "trades": 412,
        }
    ],
    "pagination": {"returned": 1, "limit": 1, "hasMore": True, "nextCursor": "1777633200"},
}
