"""Recording events: in the transaction that makes them true, each once."""

from warehouse import event_log
from warehouse.domain.events.event import Occurrence
from warehouse.store import Transaction


async def record(transaction: Transaction, *occurrences: Occurrence) -> None:
    """Append events to the log. An event whose key is already there is left as it is."""
    await transaction.execute(event_log.STATEMENT, event_log.parameters(occurrences))
