"""The connections of one process: how many are open, by client address, and which of them wait for a request.

At a limit the connection that has waited longest gives way: of the same address at the address's limit, of all at the
limit of the process, and those that have not sent a request yet before those that have. A connection whose request is
being answered never gives way. So half-sent requests cannot keep out other clients, at the same address or elsewhere.
"""

from collections import Counter as Count
from collections import OrderedDict
from typing import Final, Literal, Protocol

from api.http.metrics import Metrics

Closed = Literal[
    "address_limit",
    "process_limit",
    "gave_way",
    "headers_late",
    "headers_large",
    "target_long",
    "malformed",
    "not_read",
]
"""Why a connection was closed by the server before its client had finished."""


class Connection(Protocol):
    """What the register needs of a connection."""

    def give_way(self) -> None:
        """Close: the connection waits for a request, and another one needs its place."""


class Connections:
    """The register of a process's connections.

    Args:
        per_address: most connections of one client address; connections without an address share no limit.
        total: most connections of the process.
    """

    def __init__(self, *, per_address: int, total: int, metrics: Metrics | None = None) -> None:
        self.per_address = per_address
        self.total = total
        self.open = 0
        self._by_address: Count[str] = Count()
        # Those that wait for a request, the longest first: before their first request, and between two.
        self._new: OrderedDict[Connection, str | None] = OrderedDict()
        self._idle: OrderedDict[Connection, str | None] = OrderedDict()
        self._waiting_of: dict[str, OrderedDict[Connection, None]] = {}
        self._metrics = metrics
        if metrics is not None:
            metrics.watch_connections(lambda: self.open, limit=total)

    def enter(self, connection: Connection, address: str | None) -> bool:
        """Register a connection, which then waits for its first request; False when there is no place for it."""
        if address is not None and self._by_address[address] >= self.per_address:
            waiting = self._waiting_of.get(address)
            if not waiting:
                self.count("address_limit")
                return False
            self._displace(next(iter(waiting)), address)
        if self.open >= self.total:
            for group in (self._new, self._idle):
                if group:
                    self._displace(*next(iter(group.items())))
                    break
            else:
                self.count("process_limit")
                return False
        self.open += 1
        if address is not None:
            self._by_address[address] += 1
        self._wait(connection, address, self._new)
        return True

    def busy(self, connection: Connection, address: str | None) -> None:
        """A request of the connection has arrived."""
        self._stop_waiting(connection, address)

    def idle(self, connection: Connection, address: str | None) -> None:
        """The connection waits for its next request."""
        self._wait(connection, address, self._idle)

    def leave(self, connection: Connection, address: str | None) -> None:
        """The connection is closed. Call it once for each that entered."""
        self._stop_waiting(connection, address)
        self.open -= 1
        if address is not None:
            self._by_address[address] -= 1
            if not self._by_address[address]:
                del self._by_address[address]

    def count(self, reason: Closed) -> None:
        """Count a connection that the server closes."""
        if self._metrics is not None:
            self._metrics.count_closed(reason)

    def _wait(self, connection: Connection, address: str | None, group: "OrderedDict[Connection, str | None]") -> None:
        group[connection] = address
        if address is not None:
            self._waiting_of.setdefault(address, OrderedDict())[connection] = None

    def _stop_waiting(self, connection: Connection, address: str | None) -> None:
        if self._new.pop(connection, _ABSENT) is _ABSENT and self._idle.pop(connection, _ABSENT) is _ABSENT:
            return
        if address is not None:
            waiting = self._waiting_of[address]
            del waiting[connection]
            if not waiting:
                del self._waiting_of[address]

    def _displace(self, connection: Connection, address: str | None) -> None:
        self.count("gave_way")
        self._stop_waiting(connection, address)  # it leaves later, and must not be chosen twice
        connection.give_way()


_ABSENT: Final = object()
