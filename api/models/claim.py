"""Proofs of control, and the authorisations built on them."""

from decimal import Decimal

from sqlalchemy import ForeignKey, Index, Numeric, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Amount, Base, CreatedAt, Id, Moment, Texts


class ClaimProof(Base):
    """A wallet has shown that it controls a token; good until ``expires_at``."""

    __tablename__ = "claim_proof"

    proof_hash: Mapped[str] = mapped_column(primary_key=True)
    chain_id: Mapped[int]
    token_address: Mapped[str]
    symbol: Mapped[str]
    wallet: Mapped[str]
    verification_method: Mapped[str]
    methods_attempted: Mapped[Texts]
    signed_at: Mapped[Moment]
    expires_at: Mapped[Moment]
    created_at: Mapped[CreatedAt]


class ClaimAuthorization(Base):
    """A mint the service has signed for; whether it was used, the chain says."""

    __tablename__ = "claim_authorization"
    __table_args__ = (
        UniqueConstraint("chain_id", "nonce"),
        Index("claim_authorization_by_token", "chain_id", "token_address", "wallet"),
    )

    id: Mapped[Id]
    chain_id: Mapped[int]
    token_address: Mapped[str]
    symbol: Mapped[str]
    wallet: Mapped[str]
    proof_hash: Mapped[str] = mapped_column(ForeignKey("claim_proof.proof_hash"))
    verification_method: Mapped[str]
    nonce: Mapped[Amount]
    fee_wei: Mapped[Amount]
    price_usd: Mapped[Decimal] = mapped_column(Numeric(18, 2))
    deadline: Mapped[Moment]
    created_at: Mapped[CreatedAt]
