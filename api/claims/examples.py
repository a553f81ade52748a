"""Examples of the claim routes' answers."""

from typing import Any

from api.http.examples import REGISTRY, TOKEN, WALLET

_TRANSACTION = "0x" + "a3" * 32
_ESTIMATE: dict[str, Any] = {
    "gasLimit": "0x57e40",
    "maxFeePerGas": "0x77359400",
    "contractFee": "0x2386f26fc10000",
    "gasEstimate": "0x493e0",
    "gasPrice": "0x3b9aca00",
    "totalGasCost": "0x110d9316ec000",
    "totalEstimate": "0x2497cbf12fc000",
}
MESSAGE: dict[str, Any] = {
    "message": (
        "Regalia: claim the registration of a token\n\n"
        "Signing proves that you control this wallet. It sends no transaction and costs nothing.\n\n"
        f"Service: https://api.example\nSymbol: PEPE\nChain: Base (8453)\nToken: {TOKEN}\nWallet: {WALLET}\n"
        "Timestamp: 1767225600"
    ),
    "timestamp": 1767225600,
    "params": {
        "symbol": "PEPE",
        "chainId": 8453,
        "tokenAddress": TOKEN,
        "claimerAddress": WALLET,
        "timestamp": 1767225600,
    },
    "feeEstimate": _ESTIMATE,
}
VERIFIED: dict[str, Any] = {
    "verified": True,
    "verificationMethod": "owner",
    "methodsAttempted": ["deployer", "owner"],
    "message": "This wallet is the owner of the token contract.",
    "proofHash": "0x" + "ab" * 32,
    "expiresAt": 1767312000,
    "proofJws": "eyJhbGciOiJFZERTQSJ9.eyJ0eXAiOiJjbGFpbS1wcm9vZit2MSJ9.c2ln",
}
NOT_VERIFIED: dict[str, Any] = {
    "verified": False,
    "verificationMethod": None,
    "methodsAttempted": ["deployer", "owner", "admin", "majorityHolder"],
    "message": "The chain shows no way this wallet controls the token.",
    "proofHash": None,
    "expiresAt": None,
    "proofJws": None,
}
BUILT: dict[str, Any] = {
    "success": True,
    "transaction": {
        "to": REGISTRY,
        "data": "0x8f1c2d3e",
        "value": "0x2386f26fc10000",
        "chainId": 8453,
        "gasLimit": "0x57e40",
    },
    "feeEstimate": _ESTIMATE,
    "message": f"Sign and send this transaction with {WALLET} within 15 minutes to register PEPE on Base.",
}
CONFIRMED: dict[str, Any] = {
    "txHash": _TRANSACTION,
    "status": "confirmed",
    "confirmations": 3,
    "blockNumber": 40123456,
}
PENDING: dict[str, Any] = {"txHash": _TRANSACTION, "status": "pending", "confirmations": 0, "blockNumber": None}
COPY_EVIDENCE: dict[str, Any] = {
    "weightUsd": 1200.25,
    "seniorSince": "2026-01-02T03:00:00.000Z",
    "seniorBlock": 40100000,
    "originalWeightUsd": 64000.5,
    "originalSeniorSince": "2025-06-01T12:00:00.000Z",
    "originalSeniorBlock": 31000000,
    "asOfBlock": 40123456,
    "asOfTime": "2026-01-03T10:20:00.000Z",
    "weighedThrough": "2026-01-03T10:00:00.000Z",
    "operatorExplanation": None,
}
NOT_REGISTRABLE: dict[str, Any] = {
    "check": "copycat",
    "claimability": {
        "claimable": False,
        "reason": "copycat",
        "rule": "senior",
        "message": "This token's symbol passes it off as another token.",
        "supportEmail": "support@example.com",
        "original": {"chainId": 8453, "tokenAddress": TOKEN},
        "evidence": COPY_EVIDENCE,
    },
    "supportEmail": "support@example.com",
}
METHODS: dict[str, Any] = {
    "chainType": "evm",
    "methods": [
        {"method": "deployer", "confidence": 1, "description": "The wallet deployed the token contract."},
        {"method": "owner", "confidence": 0.9, "description": "The wallet is the owner of the token contract."},
        {"method": "admin", "confidence": 0.85, "description": "The wallet administers the token contract."},
        {
            "method": "majorityHolder",
            "confidence": 0.8,
            "description": "The wallet holds more than half of the token's supply.",
        },
    ],
}
SOLANA_METHODS: dict[str, Any] = {
    "chainType": "solana",
    "methods": [
        {"method": "deployer", "confidence": 1, "description": "The wallet created the token's mint."},
        {
            "method": "mintAuthority",
            "confidence": 0.95,
            "description": "The wallet is the mint authority of the token.",
        },
        {
            "method": "updateAuthority",
            "confidence": 0.9,
            "description": "The wallet is the update authority of the token's metadata.",
        },
        {
            "method": "majorityHolder",
            "confidence": 0.8,
            "description": "The wallet holds more than half of the token's supply.",
        },
    ],
}
