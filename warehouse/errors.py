"""Errors of the engines, as callers see them.

- ``WarehouseError``: ClickHouse refused or failed a statement; ``code`` is its number
  - ``WarehouseUnavailable``: it cannot be reached, is overloaded, or took too long; a retry may help
- ``StoreUnavailable``: PostgreSQL cannot be reached
- ``EnginesNotRunning``: no URL is set and no embedded engine runs in the data directory
  - ``RestoreUnfinished``: none may run, because the data directory holds a restore that was interrupted
- ``MigrationError``: a schema is not what the migrations made, or one failed
"""


class WarehouseError(Exception):
    """ClickHouse refused or failed a statement."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class WarehouseUnavailable(WarehouseError):
    """ClickHouse cannot be reached, is overloaded, or took too long."""


class StoreUnavailable(Exception):
    """PostgreSQL cannot be reached."""


class EnginesNotRunning(Exception):
    """No URL is set and no embedded engine runs in the data directory."""


class RestoreUnfinished(EnginesNotRunning):
    """The data directory holds a restore that was interrupted."""


class MigrationError(Exception):
    """A schema is not what the migrations made, or a migration failed."""
