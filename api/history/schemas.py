"""Wire shapes of a registration's history."""

from typing import Any

from pydantic import Field

from api.http.rendering import Wire


class HistoryEntry(Wire):
    """Something that happened. `hash` is the SHA-256, in hexadecimal digits, of the entry without `hash` as canonical
    JSON (RFC 8785)."""

    chain_id: int
    token_id: str = Field(description="Decimal digits.")
    sequence: int = Field(description="Counts from 1 without gaps.")
    type: str = Field(examples=["token.minted"])
    at: str = Field(description="When it happened.")
    data: dict[str, Any] = Field(description="As the event of this type tells it.")
    previous_hash: str = Field(description="`hash` of the entry before; 64 zeros in the first.")
    hash: str


class HistoryHead(Wire):
    """The newest entry, and the service's word that it is."""

    sequence: int
    hash: str
    jws: str = Field(description="Signed statement of kind `registration-history+v1`; keys at /api/v2/apps/jwks.")


class RegistrationHistory(Wire):
    """Entries in order."""

    chain_id: int
    token_id: int
    entries: list[HistoryEntry]
    next_after: int | None = Field(description="`after` of the next page; null on the last.")
    head: HistoryHead | None = Field(description="Null while nothing of the registration is final.")
