"""What a registration's page has beside its profile."""

from sqlalchemy import CheckConstraint, ForeignKeyConstraint, Index, Integer, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment


def _of_its_registration() -> ForeignKeyConstraint:
    """What is set for a page goes with the registration, when the chain takes that back."""
    names = ["chain_id", "token_id"]
    return ForeignKeyConstraint(names, [f"registration.{name}" for name in names], ondelete="CASCADE")


class RegistrationDomain(Base):
    """A domain that an owner says is the registration's; verified while its DNS says so too.

    ``challenge`` is the text that proves it. ``verified_at`` is null before the proof and after its loss, of which
    ``lost_at`` tells. ``check_at`` is when the proof is due to be looked at again, ``checked_at`` when it last was,
    ``last_problem`` what was wrong then. ``absences`` counts the times on end that it was surely missing, the first of
    them at ``failing_since``.
    """

    __tablename__ = "registration_domain"
    __table_args__ = (
        Index(
            "registration_domain_verified",
            "chain_id",
            "domain",
            unique=True,
            postgresql_where=text("verified_at IS NOT NULL"),
        ),
        Index("registration_domain_to_check", "check_at", postgresql_where=text("verified_at IS NOT NULL")),
        CheckConstraint("badge OR NOT embeds"),
        _of_its_registration(),
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
    check_at: Mapped[CreatedAt]
    absences: Mapped[int] = mapped_column(Integer, server_default=text("0"))
    lost_at: Mapped[Moment | None]
    badge: Mapped[bool] = mapped_column(server_default=text("true"))


class PageApp(Base):
    """An app on a registration's page."""

    __tablename__ = "page_app"
    __table_args__ = (_of_its_registration(),)

    chain_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    token_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    app_id: Mapped[str] = mapped_column(primary_key=True)
    position: Mapped[int]
    enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    installed_at: Mapped[CreatedAt]
