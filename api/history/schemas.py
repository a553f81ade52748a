"""Wire shapes of a registration's history."""

from typing import Any

from pydantic import Field

from api.http.members import ChainNumber, Count, Jws, Sha256, Timestamp, TokenId
from api.http.rendering import Wire


class HistoryEntry(Wire):
    """Something that happened. `hash` is the SHA-256, in hexadecimal digits, of the entry without `hash` as canonical
    JSON (RFC 8785)."""

    chain_id: ChainNumber
    token_id: str = Field(description="Id of the registration, in decimal digits.")
    sequence: Count = Field(description="Counts from 1 without gaps.")
    type: str = Field(examples=["token.minted"], description="Type of the event.")
    at: Timestamp = Field(description="When it happened, ISO 8601 in UTC.")
    data: dict[str, Any] = Field(description="As the event of this type tells it.")
    previous_hash: Sha256 = Field(description="`hash` of the entry before; 64 zeros in the first.")
    hash: Sha256 = Field(description="SHA-256 of this entry, in hexadecimal digits.")


class HistoryHead(Wire):
    """The newest entry, and the service's word that it is."""

    sequence: Count = Field(description="Number of the newest entry.")
    hash: Sha256 = Field(description="Hash of the newest entry.")
    jws: Jws = Field(description="Signed statement of kind `registration-history+v1`; keys at /api/v2/apps/jwks.")


class RegistrationHistory(Wire):
    """Entries in order."""

    chain_id: ChainNumber
    token_id: TokenId
    entries: list[HistoryEntry] = Field(description="The entries of this page, oldest first.")
    next_after: int | None = Field(description="`after` of the next page; null on the last.")
    head: HistoryHead | None = Field(description="Null while nothing of the registration is final.")
