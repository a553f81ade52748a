"""Signed statements that a wallet controlled a token, which anyone can verify against the service's key set."""

from datetime import datetime

from api.claims.messages import Claim
from api.claims.schemas import VerifyResponse
from api.security.jwt import Tokens
from warehouse.domain.addresses import checksum_address

KIND = "claim-proof+v1"


def sign_proof(claim: Claim, verdict: VerifyResponse, tokens: Tokens, now: datetime) -> str:
    """State that the wallet controlled the token, by the verdict's method, at the time of the check. The statement
    stays true after the proof expires (``proofExpiresAt``). A claim needs the proof's hash, not the statement."""
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
