"""Examples of a registration's history."""

from typing import Any

_HASH = "0228c5dbc66c00a4d6637f169cc9f17b02e358aa6a6cb98309dc8cb9e99d3152"
HISTORY: dict[str, Any] = {
    "chainId": 8453,
    "tokenId": 7,
    "entries": [
        {
            "chainId": 8453,
            "tokenId": "7",
            "sequence": 1,
            "type": "token.minted",
            "at": "2026-01-01T00:00:00.000Z",
            "data": {
                "crown_id": "7",
                "symbol": "PEPE",
                "chain": "eip155:8453",
                "owner": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                "tx_hash": "0x" + "ab" * 32,
            },
            "previousHash": "0" * 64,
            "hash": _HASH,
        }
    ],
    "nextAfter": None,
    "head": {
        "sequence": 1,
        "hash": _HASH,
        "jws": "eyJhbGciOiJFZERTQSJ9.eyJ0eXAiOiJyZWdpc3RyYXRpb24taGlzdG9yeSt2MSJ9.c2ln",
    },
}
NOTHING: dict[str, Any] = {"chainId": 8453, "tokenId": 7, "entries": [], "nextAfter": None, "head": None}
