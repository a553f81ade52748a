"""Recording events: in the transaction that makes them true, each once."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.dialects.postgresql import insert

from api.core.store import Transaction
from api.models import EventRecord


async def record_event(
    transaction: Transaction,
    *,
    type: str,
    chain_id: int | None,
    subject: str,
    payload: Mapping[str, Any],
    dedupe_key: str,
    token_id: int | None = None,
    account_id: UUID | None = None,
) -> None:
    """Append to the event log; an event already there under the key stays as it is. ``account_id``: whom alone it is
    for; ``token_id``: the registration it is about."""
    statement = insert(EventRecord).values(
        type=type,
        chain_id=chain_id,
        subject=subject,
        payload=dict(payload),
        dedupe_key=dedupe_key,
        token_id=token_id,
        account_id=account_id,
    )
    await transaction.execute(statement.on_conflict_do_nothing(index_elements=[EventRecord.dedupe_key]))
