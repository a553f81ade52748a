"""What changed of how registrations present themselves, for the pipelines."""

from uuid import UUID

from sqlalchemy import Index, text
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt


class PresentedChange(Base):
    """A token whose registration came, went or changed. The store adds it with the change, the pipelines take it
    away once they have asked for the token's document."""

    __tablename__ = "presented_change"
    __table_args__ = (Index("presented_change_by_chain", "chain_id", "changed_at"),)

    change_id: Mapped[UUID] = mapped_column(primary_key=True, server_default=text("gen_random_uuid()"))
    chain_id: Mapped[int]
    token_address: Mapped[str]
    changed_at: Mapped[CreatedAt]
