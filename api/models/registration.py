"""Registrations as the chains' registries say, kept here so that single-key reads stay in the store."""

from typing import Any

from sqlalchemy import CheckConstraint, Computed, Index, Integer, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Amount, Base, CreatedAt, Moment, Texts

_PRESENTED = "CASE WHEN jsonb_typeof(metadata) = 'object' THEN metadata ELSE '{}'::jsonb END || profile"


class RegistrationRecord(Base):
    """One minted registration. Written from a claim's receipt or from registry events, whichever comes first; the
    profile is the owner's, and ``presented`` lays it over the document behind the CID."""

    __tablename__ = "registration"
    __table_args__ = (
        Index("registration_by_symbol", "symbol", "minted_at"),
        Index("registration_by_id", "token_id", "minted_at"),
        Index("registration_by_token", "chain_id", "token_address"),
        Index("registration_by_owner", "owner"),
        Index(
            "registration_standing",
            "chain_id",
            "symbol",
            postgresql_where=text("released_at IS NULL AND expired_at IS NULL"),
        ),
        Index(
            "registration_without_document",
            "metadata_cid",
            postgresql_where=text("metadata IS NULL AND metadata_cid <> ''"),
        ),
        CheckConstraint("jsonb_typeof(profile) = 'object'"),
    )

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    block_hash: Mapped[str]
    log_index: Mapped[int] = mapped_column(Integer)
    block_number: Mapped[int]
    transaction_hash: Mapped[str]
    registry_address: Mapped[str] = mapped_column("registry")
    symbol: Mapped[str]
    owner: Mapped[str]
    token_address: Mapped[str]
    fee_wei: Mapped[Amount]
    with_receipt: Mapped[bool]
    minted_at: Mapped[Moment]
    managers: Mapped[Texts] = mapped_column(server_default=text("'{}'"))
    maintainers: Mapped[Texts] = mapped_column(server_default=text("'{}'"))
    metadata_cid: Mapped[str | None]
    metadata_document: Mapped[dict[str, Any] | None] = mapped_column("metadata")
    profile: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    presented: Mapped[dict[str, Any]] = mapped_column(JSONB, Computed(_PRESENTED, persisted=True))
    peer_chain_id: Mapped[int | None]
    peer_token_id: Mapped[int | None]
    released_at: Mapped[Moment | None]
    expired_at: Mapped[Moment | None]
    embeds_enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    is_final: Mapped[bool] = mapped_column(server_default=text("false"))
    verification_method: Mapped[str | None]
    verified_at: Mapped[Moment | None]
    updated_at: Mapped[CreatedAt]
