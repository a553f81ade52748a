"""Every database, table, view and column has a comment, from one source."""

from pathlib import Path

import pytest

from warehouse import catalogue, dictionary
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls

DICTIONARY = Path(__file__).parents[2] / "docs" / "data-dictionary.md"
_WITHOUT = """SELECT concat(database, '.', table, '.', name) AS name FROM system.columns
              WHERE database IN ('regalia', 'marts') AND comment = ''
              UNION ALL
              SELECT concat(database, '.', name) FROM system.tables
              WHERE database IN ('regalia', 'marts') AND comment = ''
              UNION ALL SELECT name FROM system.databases WHERE name IN ('regalia', 'marts') AND comment = ''"""


@pytest.fixture
def main(engines: EngineUrls) -> Warehouse:
    """The engines' own database, which a migration of both stores has made."""
    return Warehouse.connect(engines.clickhouse_url)


def test_everything_has_a_comment(main: Warehouse) -> None:
    with main:
        assert [row["name"] for row in main.rows(_WITHOUT)] == []


def test_the_catalogue_names_nothing_that_does_not_exist(main: Warehouse) -> None:
    with main:
        found = {table.name: {column.name for column in table.columns} for table in catalogue.tables_of(main)}
    declared = catalogue._catalogue()
    assert declared.comments.keys() <= found.keys()
    for table, columns in declared.tables.items():
        assert columns.keys() <= found[table], table
    assert declared.columns.keys() <= set().union(*found.values())


def test_applying_again_changes_nothing(main: Warehouse) -> None:
    changed = "SELECT max(metadata_modification_time) AS at FROM system.tables WHERE database = 'regalia'"
    with main:
        before = main.scalar(changed)
        catalogue.apply(main)
        assert main.scalar(changed) == before


def test_the_data_dictionary_is_up_to_date(main: Warehouse) -> None:
    with main:
        assert DICTIONARY.read_text() == dictionary.document(main), "run python -m warehouse dictionary"
