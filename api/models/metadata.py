"""What was uploaded as metadata, and the documents that are still looked for."""

from uuid import UUID

from sqlalchemy import ForeignKey, Index, Integer, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from api.models.base import Base, CreatedAt, Moment


class MetadataUpload(Base):
    """Content that an account keeps. Without ``stored_at`` it is only about to be kept, by any of ``attempts``."""

    __tablename__ = "metadata_upload"
    __table_args__ = (Index("metadata_upload_by_cid", "cid"),)

    account_id: Mapped[UUID] = mapped_column(ForeignKey("account.id"), primary_key=True)
    cid: Mapped[str] = mapped_column(primary_key=True)
    media_type: Mapped[str]
    size_bytes: Mapped[int]
    created_at: Mapped[CreatedAt]
    stored_at: Mapped[Moment | None]
    attempts: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid), server_default=text("'{}'"))


class MetadataSearch(Base):
    """A document that a registration names and that was not found, or is none: when it is looked for again."""

    __tablename__ = "metadata_search"

    cid: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int] = mapped_column(Integer)
    next_at: Mapped[Moment]
    problem: Mapped[str]
