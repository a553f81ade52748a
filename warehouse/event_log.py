"""Recording events in the log, each once.

One statement writes the log, whoever records: the API in the transaction of a change, the pipelines
as blocks become final. It is run on the caller's connection, so that an event is there exactly if the change is.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from warehouse.domain.events.event import Occurrence

STATEMENT: Final = "events/record_many"
_ENCODE = msgspec.json.Encoder(decimal_format="number").encode


def encode(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows with events in them as JSON. Decimals keep their digits."""
    return _ENCODE(rows).decode()


def parameters(occurrences: Iterable[Occurrence], told_from: datetime | None = None) -> dict[str, Any]:
    """The parameters of the statement.

    Args:
        occurrences: the events, in the order in which they are recorded.
        told_from: what happened before this moment is recorded but delivered to nobody; null: everything is delivered.
    """
    rows = [
        {
            "type": one.event.type,
            "chain_id": one.chain_id,
            "token_id": one.token_id,
            "account_id": one.account_id,
            "subject": one.subject,
            "payload": one.event,
            "dedupe_key": one.key,
            "happened_at": one.happened_at,
        }
        for one in occurrences
    ]
    return {"events": encode(rows), "told_from": told_from}
