"""Examples of the challenge routes."""

from typing import Any

from api.http.examples import TOKEN, WALLET

_REGISTERED = "0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825"
EVIDENCE: dict[str, Any] = {
    "atMint": {
        "hour": "2026-01-01T08:00:00.000Z",
        "challenger": {"weightUsd": "64000.5", "isEstablished": True, "seniorSince": "2025-06-01T12:00:00.000Z"},
        "registered": {"weightUsd": "0", "isEstablished": False, "seniorSince": None},
        "challengerIsSenior": True,
    },
    "atOpening": {
        "hour": "2026-01-03T10:00:00.000Z",
        "challenger": {"weightUsd": "66250", "isEstablished": True, "seniorSince": "2025-06-01T12:00:00.000Z"},
        "registered": {"weightUsd": "1200.25", "isEstablished": False, "seniorSince": "2026-01-02T03:00:00.000Z"},
        "challengerIsSenior": True,
    },
    "isMigration": False,
}
REFUSED: dict[str, Any] = {
    "check": "not_established",
    "evidence": {
        **EVIDENCE,
        "atMint": {
            **EVIDENCE["atMint"],
            "challenger": {"weightUsd": "800", "isEstablished": False, "seniorSince": "2025-06-01T12:00:00.000Z"},
        },
    },
}
MESSAGE: dict[str, Any] = {
    "message": "Regalia: challenge a registration\n\nSigning proves that you control this wallet. ...",
    "timestamp": 1767225600,
}
OPEN: dict[str, Any] = {
    "id": "01980000-0000-7000-8000-0000000000c1",
    "chainId": 8453,
    "tokenId": 7,
    "symbol": "PEPE",
    "registeredToken": _REGISTERED,
    "challengerToken": TOKEN,
    "challengerWallet": WALLET,
    "verificationMethod": "deployer",
    "state": "open",
    "openedAt": "2026-01-03T10:20:00.000Z",
    "decisionDueAt": "2026-01-03T11:00:00.000Z",
    "decidedAt": None,
    "decidedBy": None,
    "explanation": None,
    "evidence": None,
    "announcementTransaction": None,
    "executionTransaction": None,
    "endedAt": None,
    "reservedUntil": None,
}
ENDED: dict[str, Any] = {
    **OPEN,
    "state": "ended",
    "decidedAt": "2026-01-03T11:04:00.000Z",
    "decidedBy": "rules",
    "explanation": (
        "The challenger's token has had a market since 2025-06-01 12:00 UTC. It weighed 64000 USD at the mint and "
        "66250 USD when the challenge was opened; the registered token weighed 0 USD and 1200 USD."
    ),
    "evidence": EVIDENCE,
    "announcementTransaction": "0x" + "5e" * 32,
    "executionTransaction": "0x" + "6f" * 32,
    "endedAt": "2026-01-06T11:05:00.000Z",
    "reservedUntil": "2026-01-13T11:05:00.000Z",
}
LIST: dict[str, Any] = {"tokenId": 7, "chainId": 8453, "challenges": [ENDED]}
NONE: dict[str, Any] = {"tokenId": 7, "chainId": 8453, "challenges": []}
