"""Wallets of accounts, and what signing in with them leaves: nonces and sessions."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, DateTime, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Id, Moment, Texts


class AccountWallet(Base):
    """A wallet, and the one account it belongs to; a trigger adds the first wallet of every new account.

    ``proved_at`` is when it first signed in: null where an operator named it and it never did. ``chain_id`` is the
    chain whose contract answered for that signature: null where a key made it.
    """

    __tablename__ = "account_wallet"
    __table_args__ = (
        CheckConstraint("chain_id IS NULL OR proved_at IS NOT NULL"),
        Index("account_wallet_by_account", "account_id", "linked_at"),
    )

    wallet: Mapped[str] = mapped_column(primary_key=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    linked_at: Mapped[CreatedAt]
    proved_at: Mapped[Moment | None]
    chain_id: Mapped[int | None]


class SignInNonce(Base):
    """A nonce that was handed out and not used yet."""

    __tablename__ = "sign_in_nonce"
    __table_args__ = (Index("sign_in_nonce_by_end", "expires_at"),)

    nonce: Mapped[str] = mapped_column(primary_key=True)
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))


class WalletSessionRecord(Base):
    """A session: who signed in, in the order of signing, and for what. ``contract_chains`` holds, by wallet, the chain
    whose contract answered for the signature; wallets that signed with their key are not in it."""

    __tablename__ = "wallet_session"
    __table_args__ = (
        CheckConstraint("cardinality(wallets) > 0"),
        Index("wallet_session_by_account", "account_id", "expires_at"),
        Index("wallet_session_by_end", "expires_at"),
    )

    id: Mapped[Id]
    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"))
    wallets: Mapped[Texts]
    scopes: Mapped[Texts]
    created_at: Mapped[CreatedAt]
    expires_at: Mapped[datetime] = mapped_column(DateTime(timezone=True))
    revoked_at: Mapped[Moment | None]
    contract_chains: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'::jsonb"))
