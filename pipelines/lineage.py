"""Which tables there are, which step writes each, and which tables it is made of: what Dagster shows as assets.

Everything is derived: tables from the declarations of the steps and of the facts, lineage from the order of the steps
and from the tables that their SQL names.
"""

import re
from collections.abc import Sequence
from functools import cache
from graphlib import TopologicalSorter

from pipelines.step import Group
from pipelines.steps import STEPS, AnyStep
from warehouse import sql
from warehouse.domain.facts import FACT_TABLES

BLOCKS = "raw_block"
"""All other facts are decoded from blocks and written together with them."""
BALANCES = "agg_balance_day"
"""Summed by the indexer with each unit."""
PUBLICATION = "serve_publication"
"""Written when a run publishes: from then on the API reads what it wrote."""
TRANSFERS = "fact_transfer"

INDEXED = (*FACT_TABLES, "fact_change", BALANCES)
"""Tables that the indexer writes."""


def derived_tables() -> list[str]:
    """Tables that steps write, of the warehouse and the store, and that of publications: each after those that it is
    made of."""
    written = {table for step in STEPS for table in (*step.tables, *step.store_tables)} | {PUBLICATION}
    order = TopologicalSorter({table: parents_of(table) for table in sorted(written)}).static_order()
    return [table for table in order if table in written]


def steps_writing(table: str) -> list[AnyStep]:
    """The steps that write a table, in order."""
    return [step for step in STEPS if table in (*step.tables, *step.store_tables)]


def run_names(table: str) -> set[str]:
    """Names of what writes a table, as the run log has them."""
    return {"publication"} if table == PUBLICATION else {step.name for step in steps_writing(table)}


def in_store(table: str) -> bool:
    """Whether a derived table is one of the store."""
    return any(table in step.store_tables for step in STEPS)


def group_of(table: str) -> Group:
    """The group of a table."""
    if table == PUBLICATION:
        return Group.SERVING
    if table == BALANCES:
        return Group.SUMS_AND_PRICES
    if table in INDEXED:
        return Group.CHAIN_FACTS
    return Group.STORE if in_store(table) else steps_writing(table)[0].group


def parents_of(table: str) -> list[str]:
    """The tables that a table is made of."""
    if table == BLOCKS:
        return []
    if table == BALANCES:
        return [TRANSFERS]
    if table in INDEXED:
        return [BLOCKS]
    if table == PUBLICATION:
        return list(dict.fromkeys(name for step in STEPS if step.group is Group.SERVING for name in step.tables))
    writers = steps_writing(table)
    own = {step.name for step in writers}
    found = [name for step in writers for name in _read_by(step, own)]
    return [name for name in dict.fromkeys(found) if name != table] or [BLOCKS]


def _read_by(step: AnyStep, own: set[str]) -> list[str]:
    """Facts that a step's SQL names, and what the steps before it write: tables of the warehouse that its SQL names,
    and all of the store. ``own`` are other writers of the same table."""
    before = [other for other in STEPS if other.name in step.after and other.name not in own]
    tables = {name for other in before for name in other.tables}
    facts = {name for name in FACT_TABLES if name.startswith("fact_")} | {BALANCES}
    named = named_tables(_folder(step), frozenset(tables | facts))
    return [*named, *(name for other in before for name in other.store_tables)]


def _folder(step: AnyStep) -> str:
    """The folder of a step's SQL: that of the package of its function."""
    return step.derive.__module__.split(".")[1]


@cache
def named_tables(folder: str, tables: frozenset[str]) -> Sequence[str]:
    """Those of the tables that the statements in a folder of ``sql/transforms`` name; all if it has no statements."""
    files = sorted((sql.directory() / "transforms" / folder).glob("*.sql"))
    if not files:
        return sorted(tables.difference(FACT_TABLES, [BALANCES]))
    words = set(re.findall(r"\b(?:published_)?(\w+)\b", "\n".join(file.read_text() for file in files)))
    return sorted(tables & words)
