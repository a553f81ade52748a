"""What a registration's page has beside its profile."""

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment


class RegistrationDomain(Base):
    """A domain that an owner says is the registration's; verified while its DNS says so too."""

    __tablename__ = "registration_domain"
    __table_args__ = (
        Index(
            "registration_domain_verified",
            "chain_id",
            "domain",
            unique=True,
            postgresql_where=text("verified_at IS NOT NULL"),
        ),
        Index("registration_domain_to_check", "checked_at", postgresql_where=text("verified_at IS NOT NULL")),
    )

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    domain: Mapped[str] = mapped_column(primary_key=True)
    challenge: Mapped[str]
    requested_at: Mapped[CreatedAt]
    verified_at: Mapped[Moment | None]
    checked_at: Mapped[Moment | None]
    failing_since: Mapped[Moment | None]
    last_problem: Mapped[str | None]
    vanity_enabled: Mapped[bool] = mapped_column(server_default=text("false"))
    embeds: Mapped[bool] = mapped_column(server_default=text("false"))


class PageApp(Base):
    """An app on a registration's page."""

    __tablename__ = "page_app"

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    app_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    installed_at: Mapped[CreatedAt]
