"""Recording events: in the transaction that makes them true, each once."""

from api.store.store import Transaction
from warehouse import event_log
from warehouse.domain.events.event import Occurrence


async def record(transaction: Transaction, *occurrences: Occurrence) -> None:
    """Append events to the log. An event whose key is already there is left as it is."""
    await transaction.exchange("events/record_many", event_log.parameters(occurrences))
