"""The declarative base, and the column types that several tables share."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any

from sqlalchemy import BigInteger, DateTime, Numeric, Text, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, UUID
from sqlalchemy.orm import DeclarativeBase, mapped_column

Amount = Annotated[Decimal, mapped_column(Numeric(78, 0))]
"""Base units of a coin or token: as wide as a uint256."""
Moment = Annotated[datetime, mapped_column(DateTime(timezone=True))]
CreatedAt = Annotated[datetime, mapped_column(DateTime(timezone=True), server_default=text("now()"))]
Id = Annotated[Any, mapped_column(UUID(as_uuid=True), primary_key=True, server_default=text("uuidv7()"))]
Texts = Annotated[list[str], mapped_column(ARRAY(Text))]


class Base(DeclarativeBase):
    """Base of all tables; whole numbers are 64 bits wide and text is unbounded unless said otherwise."""

    type_annotation_map = {  # noqa: RUF012 - read by SQLAlchemy as it is
        int: BigInteger,
        str: Text,
        dict[str, Any]: JSONB,
    }
