"""The store's schema as text, read from a database's own catalogues.

The migrations below ``sql/store/versions`` are the only source of the schema. ``sql/store/schema.txt`` is what they
make, for people to read and to review; a test compares the two.
"""

from collections.abc import Iterator

from warehouse.postgres import Connection, run

# Alembic makes its table itself.
_OURS = {"schema": "public", "not_ours": "alembic_version"}
_GENERATED = {"s": "stored", "v": "virtual"}


def describe(connection: Connection) -> str:
    """Tables with columns, constraints, indexes and triggers; sequences, views and functions."""
    return "\n\n".join(["\n".join(lines) for lines in (*_tables(connection), *_others(connection))]) + "\n"


def tables(connection: Connection) -> list[str]:
    """Names of the store's tables."""
    return [row["name"] for row in run(connection, "schema/list_tables", _OURS)]


def _tables(connection: Connection) -> Iterator[list[str]]:
    for table in run(connection, "schema/list_tables", _OURS):
        kinds = [name for name in ("unlogged", "partitioned") if table[name]] + sorted(table["options"] or ())
        lines = [f"table {table['name']}" + (f" ({', '.join(kinds)})" if kinds else "")]
        for column in run(connection, "schema/list_columns", {"oid": table["oid"]}):
            line = f"  {column['name']} {column['type']}" + (" NOT NULL" if column["required"] else "")
            if column["identity"]:
                line += " IDENTITY"
            elif column["generated"]:
                line += f" GENERATED {_GENERATED[column['generated']]} {column['default_value']}"
            elif column["default_value"] is not None:
                line += f" DEFAULT {column['default_value']}"
            lines.append(line)
        for part in run(connection, "schema/list_constraints", {"oid": table["oid"]}):
            lines.append(f"  {part['name']}: {part['definition']}")
        yield lines


def _others(connection: Connection) -> Iterator[list[str]]:
    for other in run(connection, "schema/list_others", _OURS):
        yield [other["name"], *(f"  {line}".rstrip() for line in (other["definition"] or "").strip().splitlines())]
