"""Examples of the registration routes' answers."""

from typing import Any

from api.claims.examples import NOT_REGISTRABLE
from api.http.examples import REGISTRY, TOKEN, WALLET

_DEPLOYER: dict[str, Any] = {
    "method": "deployer",
    "confidence": 1,
    "message": "This wallet deployed the token contract.",
}
REGISTRATION: dict[str, Any] = {
    "tokenId": 7,
    "owner": WALLET,
    "chainId": 8453,
    "symbol": "PEPE",
    "identity": {
        "displayName": "Pepe",
        "avatarUrl": "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
    },
    "tierCount": 2,
    "canonicalPeer": {"chainId": 1, "crownId": 3},
    "metadataCid": "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi",
}
ENDED: dict[str, Any] = {"endedAt": "2026-03-01T09:30:00.000Z", "endReason": "expired"}
CLAIMED: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "chain": "base",
    "status": "grace_period",
    "registrable": False,
    "reason": "already_registered",
    "takenBy": None,
    "tokenId": 7,
    "owner": WALLET,
    "tokenAddress": TOKEN,
    "crownContractAddress": REGISTRY,
    "managers": [],
    "mintedAt": "2026-01-01T00:00:00.000Z",
    "mintTimestamp": 1767225600,
    "verificationMethod": "deployer",
    "verifiedAt": "2025-12-31T23:58:12.000Z",
    "heartbeat": {
        "score": 87.5,
        "status": "grace_period",
        "lastUpdated": "2026-01-02T12:00:00.000Z",
        "components": {"timestamp": 100, "volume": 92.5, "holders": 61.25, "confidence": 97.22},
    },
    "metadata": None,
    "metadataCid": None,
}
AVAILABLE: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "chain": "base",
    "status": "available",
    "registrable": True,
    "reason": None,
    "takenBy": None,
    "tokenId": None,
    "owner": None,
    "tokenAddress": None,
    "crownContractAddress": None,
    "managers": [],
    "mintedAt": None,
    "mintTimestamp": None,
    "verificationMethod": None,
    "verifiedAt": None,
    "heartbeat": None,
    "metadata": None,
    "metadataCid": None,
}
CLAIMABLE: dict[str, Any] = {
    "tokens": [{"address": TOKEN, "chainId": "8453", "symbol": "PEPE", "name": "Pepe", "qualification": _DEPLOYER}],
    "total": 1,
}
NONE_CLAIMABLE: dict[str, Any] = {"tokens": [], "total": 0}
FEE: dict[str, Any] = {"baseFeeUsd": 25, "multiplier": 1, "totalFeeUsd": 25, "currency": "USD"}
ELIGIBLE: dict[str, Any] = {
    "success": True,
    "eligible": True,
    "qualification": _DEPLOYER,
    "price": 25,
    "currency": "USD",
    "proTrialDays": 30,
}
NOT_ELIGIBLE: dict[str, Any] = {"success": True, "eligible": False, "reason": "not_eligible"}
COPYCAT: dict[str, Any] = {
    "success": True,
    "eligible": False,
    "reason": "copycat",
    "claimability": NOT_REGISTRABLE["claimability"],
}
ATTESTATIONS: dict[str, Any] = {
    "tokenId": 7,
    "chainId": 8453,
    "attestations": [
        {
            "id": "01980000-0000-7000-8000-000000000001",
            "kind": "identity",
            "statement": "The owner has shown who they are.",
            "createdAt": "2026-01-02T12:00:00.000Z",
            "jws": "eyJhbGciOiJFZERTQSJ9.eyJ0eXAiOiJyZWdpc3RyYXRpb24tYXR0ZXN0YXRpb24rdjEifQ.c2ln",
        }
    ],
}
UNIFIED: dict[str, Any] = {
    "symbol": "PEPE",
    "owner": WALLET,
    "tokenId": 7,
    "chainId": 8453,
    "status": "confirmed",
    "primaryType": "evm",
    "primaryClaimedAt": "2026-01-01T00:00:00.000Z",
    "isPending": False,
}
ALL_CHAINS: dict[str, Any] = {
    "symbol": "PEPE",
    "crowns": [
        {
            "tokenId": 7,
            "owner": WALLET,
            "ownerType": "evm",
            "chainType": "evm",
            "chainId": 8453,
            "isLinked": True,
            "isActive": True,
            "deploymentCount": 2,
            "primaryChainId": 8453,
            "isPending": False,
        }
    ],
}
NO_CHAINS: dict[str, Any] = {"symbol": "PEPE", "crowns": []}
ROLES: dict[str, Any] = {
    "tokenId": 7,
    "chainId": 8453,
    "owner": WALLET,
    "manager": TOKEN,
    "managers": [TOKEN],
    "maintainers": [],
    "isPending": False,
    "asOfBlock": 12345678,
}
