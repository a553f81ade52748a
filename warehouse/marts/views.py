"""The ``marts`` database: made of the declarations after every migration.

Views carry the comments of their declarations. They run with the rights of whoever made them, so that a user needs no
right on the tables behind them.
"""

import hashlib
import re

from warehouse import catalogue, sql
from warehouse.clickhouse import Warehouse
from warehouse.errors import MigrationError, WarehouseError
from warehouse.marts import MARTS
from warehouse.marts.database import database_of
from warehouse.marts.mart import Mart

COMMENT = "For analysts: one view for each subject, with text addresses, names, units and times in UTC."
_RECORD_TABLE = """
CREATE TABLE IF NOT EXISTS schema_views
(
    checksum String COMMENT 'SHA-256 of the statements that made the marts',
    applied_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = MergeTree ORDER BY applied_at COMMENT 'Which declarations the marts were last made of.'
"""
_COMMENT_LINES = re.compile(r"^\s*--[^\n]*\n", re.MULTILINE)


def statement(mart: Mart) -> str:
    """The SELECT of a mart, over the tables of the main database."""
    return f"{sql.load('marts/prologue')}\n{sql.load(f'marts/{mart.name}')}"


def view(mart: Mart, database: str) -> str:
    """The statement that makes a mart's view, or makes it anew. Run it in the main database."""
    columns = ",\n".join(
        f"    `{column.name}` {column.type} COMMENT {_text(column.comment)}" for column in mart.columns
    )
    return (
        f"CREATE OR REPLACE VIEW `{database}`.`{mart.name}`\n(\n{columns}\n)\n"
        f"DEFINER = CURRENT_USER SQL SECURITY DEFINER\nAS {_COMMENT_LINES.sub('', statement(mart))}\n"
        f"COMMENT {_text(mart.comment)}"
    )


def apply(warehouse: Warehouse, main_database: str) -> bool:
    """Make the database and every view in it, and remove views that are no longer declared.

    Returns whether anything was made: only if a declaration or the catalogue changed. ``warehouse`` is connected to the
    main database.

    Raises:
        MigrationError: a view cannot be made; the message names it.
    """
    database = database_of(main_database)
    made = "\n".join(view(mart, database) for mart in MARTS)
    checksum = hashlib.sha256(f"{made}\n{catalogue.text()}".encode()).hexdigest()
    warehouse.command(_RECORD_TABLE)
    if warehouse.scalar("SELECT argMax(checksum, applied_at) FROM schema_views") == checksum:
        return False
    warehouse.command(f"CREATE DATABASE IF NOT EXISTS `{database}` COMMENT {_text(COMMENT)}")
    for mart in MARTS:
        try:
            warehouse.command(view(mart, database))
        except WarehouseError as error:
            raise MigrationError(f"the view {database}.{mart.name}: {error.message}") from error
    declared = {mart.name for mart in MARTS}
    found = warehouse.rows("SELECT name FROM system.tables WHERE database = {database:String}", {"database": database})
    for row in found:
        if row["name"] not in declared:
            warehouse.command(f"DROP VIEW `{database}`.`{row['name']}`")
    warehouse.command("INSERT INTO schema_views (checksum) SELECT {checksum:String}", {"checksum": checksum})
    return True


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
