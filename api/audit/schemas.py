"""Wire shapes of the audit log."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from api.http.members import Address, NextCursor
from api.http.rendering import Wire


class AuditActor(Wire):
    """Who did it."""

    kind: Literal["session", "operator", "service"] = Field(
        description="A wallet session, an operator of the service, or the service itself."
    )
    wallet: Address | None = Field(description="The wallet that the session began with; null for others.")
    session_id: UUID | None = Field(description="The session; null for others.")


class AuditEntry(Wire):
    """Something that was done to the account."""

    id: UUID = Field(description="The entry's id; newer entries have greater ids.")
    action: str = Field(description="The type of the event that says the same, such as `key.created`.")
    at: datetime = Field(description="When it was done.")
    actor: AuditActor = Field(description="Who did it.")
    client_ip: str | None = Field(description="The client's IP address; null where there was none.")
    key_id: UUID | None = Field(description="The API key that it is about; null if it is about none.")
    data: dict[str, Any] = Field(description="The `data` of that event, as `GET /api/v2/webhooks/events` describes it.")


class AuditPage(Wire):
    """Entries of an account's audit log, newest first."""

    entries: list[AuditEntry] = Field(description="The entries of this page.")
    next_cursor: NextCursor
