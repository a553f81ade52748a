"""Examples for the OpenAPI document."""

from typing import Any

RESULT: dict[str, Any] = {
    "chainId": 8453,
    "chainName": "Base",
    "chainKey": "base",
    "source": "registry",
    "sources": ["registry", "indexer", "market"],
    "hasCrown": True,
    "shareUrl": "https://site.example/base/PEPE",
    "token": {
        "address": "0x4dFae3690b93c47470b03036A17B23C1Be05127C",
        "symbol": "PEPE",
        "name": "Pepe",
        "nameSource": "registry",
        "logoUrl": None,
        "website": "https://pepe.example",
        "twitter": None,
        "telegram": None,
        "discord": None,
        "decimals": 18,
        "holders": 48210,
        "marketCap": 3250000.5,
        "fdv": 3250000.5,
        "volume24h": 91034.25,
        "priceUsd": 0.00000772,
        "priceChange24h": -3.1,
        "liquidity": 410500,
        "heartbeatScore": 87.4,
        "tokenRank": 112,
        "isCopy": False,
    },
    "registration": {
        "status": "claimed",
        "tokenId": 42,
        "owner": "0x52908400098527886E0F7030069857D2E4169EE7",
        "manager": None,
        "tokenAddress": "0x4dFae3690b93c47470b03036A17B23C1Be05127C",
        "crownContractAddress": "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
        "verificationMethod": "deployer",
        "verifiedAt": "2026-01-12T08:30:00.000Z",
        "mintTimestamp": 1768206600,
    },
    "asOfBlock": 40123456,
    "asOfTime": "2026-05-01T12:00:00.000Z",
}
ANSWER: dict[str, Any] = {
    "success": True,
    "symbol": "PEPE",
    "filters": {"chain": "all", "status": "all"},
    "sort": {"field": "relevance", "order": "desc"},
    "results": [RESULT],
    "pagination": {
        "total": 37,
        "returned": 1,
        "page": 1,
        "pageSize": 1,
        "totalPages": 37,
        "hasMore": True,
        "nextCursor": "lQGsNTZhYmNkZWYwMTIzzQfSzmoFiZAB",
    },
    "meta": {
        "totalResults": 37,
        "chainCounts": {"base": 21, "eth": 16},
        "statusCounts": {"unclaimed": 35, "claimed": 2},
        "queryExpanded": True,
        "expansionQueries": ["PEPECOIN"],
        "asOf": {
            "version": 2002,
            "publishedAt": "2026-05-01T12:00:01.250Z",
            "blocks": {"base": 40123456, "eth": 24000000},
        },
    },
}


def example_response(example: dict[str, Any]) -> dict[int | str, dict[str, Any]]:
    """The successful answer's example, as an entry of a route's ``responses``."""
    return {200: {"content": {"application/json": {"example": example}}}}
