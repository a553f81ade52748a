"""The token list, by version."""

from sqlalchemy import ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment


class TokenListVersion(Base):
    """One version of the list, and how it differs from the one before."""

    __tablename__ = "token_list_version"
    __table_args__ = (UniqueConstraint("major", "minor", "patch"),)

    version_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    major: Mapped[int]
    minor: Mapped[int]
    patch: Mapped[int]
    published_at: Mapped[CreatedAt]
    tokens: Mapped[int]
    added: Mapped[int]
    changed: Mapped[int]
    removed: Mapped[int]


class TokenListEntry(Base):
    """A token as the list told of it from one version until, not including, another; null: it still does."""

    __tablename__ = "token_list_entry"
    __table_args__ = (
        Index(
            "token_list_entry_standing",
            "chain_id",
            "address",
            unique=True,
            postgresql_where=text("until_version IS NULL"),
        ),
        Index("token_list_entry_by_end", "until_version"),
        Index("token_list_entry_by_start", "from_version"),
    )

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    address: Mapped[str] = mapped_column(primary_key=True)
    from_version: Mapped[int] = mapped_column(ForeignKey("token_list_version.version_id"), primary_key=True)
    until_version: Mapped[int | None] = mapped_column(ForeignKey("token_list_version.version_id"))
    crown_id: Mapped[int]
    symbol: Mapped[str]
    name: Mapped[str]
    decimals: Mapped[int]
    logo_uri: Mapped[str | None]
    listed_since: Mapped[Moment]
