"""The data dictionary, ``docs/data-dictionary.md``: the marts from their declarations, everything else from a migrated
warehouse and the catalogue."""

from collections.abc import Iterable, Iterator

from warehouse import catalogue
from warehouse.clickhouse import Warehouse
from warehouse.marts import MARTS, Mart

_HEAD = """# Data dictionary

Made by `python -m warehouse dictionary`. [Analysts query the marts](warehouse.md#for-analysts); the tables behind them
are for people who change the service.

## Marts
"""
_INTERNALS = """
## Tables behind the marts

A `published_` view has the columns of its table, without those of its versions, and shows published rows only.
"""


def document(warehouse: Warehouse) -> str:
    """The dictionary as Markdown. ``warehouse`` is connected to a migrated main database."""
    lines = [_HEAD]
    for mart in MARTS:
        lines += _mart(mart)
    lines.append(_INTERNALS)
    for table in catalogue.tables_of(warehouse):
        if not table.is_view:
            lines += _table(table)
    return "\n".join(lines) + "\n"


def _mart(mart: Mart) -> Iterator[str]:
    yield f"\n### marts.{mart.name}\n"
    yield f"{mart.comment} One row is {mart.grain}. Key: {', '.join(f'`{name}`' for name in mart.key)}.\n"
    yield from _columns((column.name, column.type, column.comment) for column in mart.columns)


def _table(table: catalogue.TableFound) -> Iterator[str]:
    yield f"\n### {table.name}\n"
    yield f"{catalogue.table_comment(table.name)}\n"
    yield from _columns(
        (column.name, column.type, catalogue.column_comment(table.name, column.name)) for column in table.columns
    )


def _columns(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    yield "| column | type | holds |"
    yield "|---|---|---|"
    for name, kind, comment in rows:
        yield f"| `{name}` | `{kind}` | {comment.replace('|', chr(92) + '|')} |"
