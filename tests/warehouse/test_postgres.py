"""Connections of code that is not async."""

import pytest

from warehouse.postgres import Connection, KeptConnection, ProgrammingError


def backend(line: KeptConnection) -> int:
    """The server's process behind the connection."""
    with line.lent() as connection:
        row = connection.execute("SELECT pg_backend_pid() AS pid").fetchone()
    assert row is not None
    return int(row["pid"])


def test_a_connection_is_kept_until_the_server_ends_it(store: Connection, store_url: str) -> None:
    line = KeptConnection(store_url)
    first = backend(line)
    assert backend(line) == first
    store.execute("SELECT pg_terminate_backend(%s, 10000)", (first,))
    second = backend(line)
    assert second != first
    assert backend(line) == second
    line.close()


def test_a_connection_over_which_something_failed_is_not_kept(store_url: str) -> None:
    line = KeptConnection(store_url)
    first = backend(line)
    with pytest.raises(ProgrammingError), line.lent() as connection:
        connection.execute("SELECT nothing_like_this()")
    assert connection.closed
    assert backend(line) != first
    line.close()
