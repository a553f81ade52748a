"""Proofs of control as signed statements, which anyone can verify against the service's key set."""

from datetime import datetime

from api.claims.messages import Claim
from api.claims.schemas import VerifyResponse
from api.security.jwt import Tokens
from warehouse.domain.addresses import checksum_address

KIND = "claim-proof+v1"


def sign_proof(claim: Claim, verdict: VerifyResponse, tokens: Tokens, now: datetime) -> str:
    """That the wallet controlled the token, by the verdict's method, when it was looked at. The statement stays true
    after the proof itself ends (``proofExpiresAt``); a claim needs the proof's hash, never the statement."""
    return tokens.sign_statement(
        KIND,
        {
            "sub": checksum_address(claim.wallet),
            "symbol": claim.symbol,
            "chainId": claim.chain.chain_id,
            "tokenAddress": checksum_address(claim.token),
            "verificationMethod": verdict.verification_method,
            "proofHash": verdict.proof_hash,
            "proofExpiresAt": verdict.expires_at,
        },
        now=now,
    )
