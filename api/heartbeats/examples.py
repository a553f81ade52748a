"""Examples for the OpenAPI document."""

from typing import Any

_COMPONENTS = {"timestamp": 98, "volume": 74.5, "holders": 61.25, "confidence": 100}
_TOKEN = "0x4dFae3690b93c47470b03036A17B23C1Be05127C"  # noqa: S105 - an address
HEARTBEAT: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "score": 81.5,
    "status": "healthy",
    "lastUpdated": "2026-05-01T12:00:00.000Z",
    "components": _COMPONENTS,
    "tokenAddress": _TOKEN,
    "asOfBlock": 40123456,
}
HISTORY: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "tokenAddress": _TOKEN,
    "interval": "hour",
    "from": "2026-04-24T12:00:00.000Z",
    "to": "2026-05-01T12:00:00.000Z",
    "points": [
        {
            "timestamp": "2026-05-01T11:00:00.000Z",
            "score": 81.5,
            "status": "healthy",
            "components": _COMPONENTS,
            "weightsVersion": 1,
            "asOfBlock": 40123456,
        }
    ],
    "pagination": {"returned": 1, "limit": 1, "hasMore": True, "nextCursor": "1777633200"},
}
AT_RISK: dict[str, Any] = {
    "tokens": [
        {
            "symbol": "PEPE",
            "chainId": 8453,
            "chainKey": "base",
            "tokenAddress": _TOKEN,
            "tokenId": 42,
            "owner": "0x52908400098527886E0F7030069857D2E4169EE7",
            "level": "critical",
            "score": 58.25,
            "status": "inactive",
            "lastUpdated": "2026-05-01T12:00:00.000Z",
            "components": {"timestamp": 40, "volume": 55, "holders": 70, "confidence": 75},
            "asOfBlock": 40123456,
        }
    ],
    "pagination": {"total": 1, "returned": 1, "page": 1, "pageSize": 25, "totalPages": 1, "hasMore": False},
    "levelCounts": {"critical": 1, "warning": 0},
}
