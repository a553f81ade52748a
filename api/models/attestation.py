"""What the operator attests of registrations."""

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped

from api.models.base import Base, CreatedAt, Id, Moment


class RegistrationAttestation(Base):
    """A statement of the operator about a registration; it counts until it is withdrawn."""

    __tablename__ = "registration_attestation"
    __table_args__ = (
        Index(
            "registration_attestation_standing",
            "chain_id",
            "token_id",
            "kind",
            "statement",
            unique=True,
            postgresql_where=text("withdrawn_at IS NULL"),
        ),
    )

    id: Mapped[Id]
    chain_id: Mapped[int]
    token_id: Mapped[int]
    kind: Mapped[str]
    statement: Mapped[str]
    created_at: Mapped[CreatedAt]
    withdrawn_at: Mapped[Moment | None]
