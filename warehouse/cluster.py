"""Statements of a single server, rewritten for a cluster.

``sql/warehouse`` is written for one server. On a cluster a table ``name`` is two: ``name_local`` holds the rows of a
shard, replicated through Keeper, and ``name`` is a Distributed table over all shards, which readers and inserts use.

The templates know the forms that the project writes, and refuse every other one. A parser of SQL that prints statements
anew was rejected: see docs/decisions/0058-cluster.md.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warehouse.errors import MigrationError
from warehouse.sql import quoted

LOCAL_SUFFIX = "_local"
SHARD_COLUMNS = ("token", "pool", "address")
"""The first of these in a table's sort key decides, with the chain, on which shard a row is."""
BY_CHAIN_ONLY = frozenset({"agg_balance_day", "agg_wallet_transfer"})
"""One of the rows of an insert says that the others are there, so all of them must be on one shard."""
KEEPER_PATH = "/clickhouse/tables/{uuid}/{shard}"
REPLICA = "{replica}"
DEDUPLICATION_SECONDS = 365 * 86_400
"""How long a replicated table remembers tokens. The default is an hour: a unit that is repeated later would be doubled.
A single server's window has no such limit."""

_COPY_SUFFIX = "_copy"
_NAME = r"(?:`[^`]+`|\w+)"
_TABLE = rf"(?P<table>(?:{_NAME}\.)?{_NAME})"
_COMMENT_LINES = re.compile(r"\A(?:\s*--[^\n]*\n|\s+)*")
_CREATE_TABLE = re.compile(
    rf"CREATE (?P<replace>OR REPLACE )?TABLE (?:IF NOT EXISTS )?{_TABLE}\s*(?P<columns>\(.*\n\))\s*"
    r"ENGINE = (?P<family>\w*MergeTree)(?:\((?P<arguments>[^()]*)\))?(?P<rest>\s.*)",
    re.DOTALL,
)
_COPY = re.compile(r"(?P<rest>.*)\nAS (?P<select>SELECT \* FROM (?P<table>\w+)(?:\n.*)?)", re.DOTALL)
_SORT_KEY = re.compile(r"\bORDER BY (?:\((?P<many>[^()]*)\)|(?P<one>\w+)(?=\s|\Z))")
_WINDOW = re.compile(r"\bnon_replicated_deduplication_window = (\d+)")
_ON_CLUSTER_AFTER = re.compile(
    rf"(?P<head>CREATE (?:OR REPLACE )?VIEW (?:IF NOT EXISTS )?|DROP VIEW (?:IF EXISTS )?|"
    rf"CREATE DATABASE (?:IF NOT EXISTS )?|ALTER DATABASE ){_TABLE}(?P<rest>.*)",
    re.DOTALL,
)
_ON_ROWS = re.compile(
    rf"(?P<head>DELETE FROM|TRUNCATE TABLE(?: IF EXISTS)?|OPTIMIZE TABLE) {_TABLE}(?P<rest>.*)", re.DOTALL
)
_ALTER = re.compile(rf"ALTER TABLE {_TABLE}\s+(?P<commands>.*)", re.DOTALL)
_ALTER_SETTINGS = re.compile(r"\sSETTINGS \w+ = \w+\s*\Z")
_ALTER_COMMENT = re.compile(r"(?:COMMENT COLUMN|MODIFY COMMENT)\s")
_ALTER_BOTH = re.compile(r"(?:ADD|DROP|MODIFY|RENAME) COLUMN\s")
_ALTER_LOCAL = re.compile(
    r"(?:(?:ADD|DROP|MATERIALIZE) (?:INDEX|PROJECTION|STATISTICS)|DROP PARTITION|MODIFY (?:SETTING|TTL|ORDER BY)|"
    r"UPDATE|DELETE)\s"
)
_DROP_TABLE = re.compile(rf"DROP TABLE (?P<exists>IF EXISTS )?{_TABLE}(?P<sync> SYNC)?\s*")
_SCRATCH = rf"CREATE (?:OR REPLACE )?TABLE {_NAME} AS {_NAME} ENGINE = MergeTree ORDER BY \(\)\s*\Z"
"""A table of one command, on the host that it is connected to."""
_UNCHANGED = re.compile(rf"(?:INSERT|SELECT|WITH|EXPLAIN)\b|{_SCRATCH}")


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster of a server's configuration, and the main database on it."""

    name: str
    database: str
    shards: int
    replicas: int
    """Of each shard."""

    @property
    def settings(self) -> dict[str, str | int]:
        """What every statement runs with."""
        return {
            # An insert counts when each replica has it: whichever is asked next knows it, and none can lose it.
            "insert_quorum": self.replicas,
            "insert_quorum_parallel": 1,
            # An insert is acknowledged by the shards, not by the queue of a Distributed table.
            "distributed_foreground_insert": 1,
            # Rows go to the shard of their key, by one block and one token: not from each shard to itself.
            "parallel_distributed_insert_select": 0,
            # Right wherever the rows of a join are.
            "distributed_product_mode": "global",
            "prefer_global_in_and_join": 1,
            "skip_unavailable_shards": 0,
            "alter_sync": 2,
            "mutations_sync": 2,
            "lightweight_deletes_sync": 2,
            # Deletes with subqueries: replicas that differ about a row that is no longer read fetch each other's part.
            "allow_nondeterministic_mutations": 1,
            "distributed_ddl_output_mode": "none",
            "distributed_ddl_task_timeout": 1800,
        }

    def statements(self, statement: str) -> list[str]:
        """What to run on the cluster for a single server's statement.

        Inserts and queries stay as they are, and so do tables in memory, which belong to one process.

        Raises:
            MigrationError: the statement has a form that is not known.
        """
        bare = _COMMENT_LINES.sub("", statement).rstrip()
        if _UNCHANGED.match(bare):
            return [statement]
        for form, rewrite in (
            (_CREATE_TABLE, self._create_table),
            (_ON_CLUSTER_AFTER, self._on_cluster_after),
            (_ALTER, self._alter),
            (_ON_ROWS, self._on_rows),
            (_DROP_TABLE, self._drop_table),
        ):
            if found := form.fullmatch(bare):
                return list(rewrite(found))
        raise MigrationError(f"no form of this statement is known for a cluster: {bare.splitlines()[0]}")

    @property
    def _on(self) -> str:
        return f"ON CLUSTER {quoted(self.name)}"

    def _create_table(self, found: re.Match[str]) -> Iterator[str]:
        table = found["table"]
        copy = _COPY.fullmatch(found["rest"])
        if found["replace"] is None and "\nAS " not in found["rest"]:
            yield self._local(table, found, found["rest"])
            yield self._distributed(table, found["rest"])
            return
        if found["replace"] is None or copy is None or copy["table"] != table:
            raise MigrationError(f"{table}: a table is made empty, or replaced with a copy of itself")
        # ON CLUSTER would run the SELECT on every host. Each statement may run again after a crash: the hosts run them
        # in one order, and the copy begins anew.
        fresh = f"{table}{_COPY_SUFFIX}"
        yield from self._drop(fresh)
        yield self._local(fresh, found, copy["rest"])
        yield self._distributed(fresh, copy["rest"])
        yield f"INSERT INTO {fresh} {copy['select']}"
        yield f"EXCHANGE TABLES {_local(table)} AND {_local(fresh)} {self._on}"
        yield from self._drop(fresh)

    def _local(self, table: str, found: re.Match[str], rest: str) -> str:
        arguments = ", ".join(filter(None, (f"'{KEEPER_PATH}', '{REPLICA}'", found["arguments"])))
        return (
            f"CREATE TABLE IF NOT EXISTS {_local(table)} {self._on}\n{found['columns']}\n"
            f"ENGINE = Replicated{found['family']}({arguments}){_with_replicated_window(rest)}"
        )

    def _distributed(self, table: str, rest: str) -> str:
        return (
            f"CREATE TABLE IF NOT EXISTS {table} {self._on} AS {_local(table)}\n"
            f"ENGINE = Distributed({_text(self.name)}, {_text(self.database)}, {_text(_local(table))}, "
            f"{_shard_key(table, rest)})"
        )

    def _on_cluster_after(self, found: re.Match[str]) -> Iterator[str]:
        yield f"{found['head']}{found['table']} {self._on}{found['rest']}"

    def _on_rows(self, found: re.Match[str]) -> Iterator[str]:
        yield f"{found['head']} {_local(found['table'])} {self._on}{found['rest']}"

    def _alter(self, found: re.Match[str]) -> Iterator[str]:
        """Comments are for readers, who see the distributed table; and views have no other."""
        settings = _ALTER_SETTINGS.search(found["commands"])
        text = found["commands"][: settings.start()] if settings else found["commands"]
        shown, kept = [], []
        for command in _split(text):
            if not _ALTER_COMMENT.match(command):
                kept.append(command)
            if _ALTER_COMMENT.match(command) or _ALTER_BOTH.match(command):
                shown.append(command)
            elif not _ALTER_LOCAL.match(command):
                raise MigrationError(f"{found['table']}: no form of this change is known for a cluster: {command}")
        for table, commands in ((_local(found["table"]), kept), (found["table"], shown)):
            if commands:
                yield f"ALTER TABLE {table} {self._on}\n" + ",\n".join(commands) + (settings[0] if settings else "")

    def _drop_table(self, found: re.Match[str]) -> Iterator[str]:
        yield from self._drop(found["table"], found["exists"] or "", found["sync"] or "")

    def _drop(self, table: str, exists: str = "IF EXISTS ", sync: str = " SYNC") -> Iterator[str]:
        yield f"DROP TABLE {exists}{table} {self._on}{sync}"
        yield f"DROP TABLE {exists}{_local(table)} {self._on}{sync}"


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _local(table: str) -> str:
    return f"{table[:-1]}{LOCAL_SUFFIX}`" if table.endswith("`") else f"{table}{LOCAL_SUFFIX}"


def _with_replicated_window(rest: str) -> str:
    """What follows the engine, with the deduplication of a replicated table set to what the single server's has.

    A replicated table without a window would drop a row that was deleted and is inserted again.
    """
    if _WINDOW.search(rest):
        seconds = f"replicated_deduplication_window_seconds = {DEDUPLICATION_SECONDS}"
        return _WINDOW.sub(rf"replicated_deduplication_window = \1, {seconds}", rest)
    if "\nSETTINGS " in rest:
        return rest.replace("\nSETTINGS ", "\nSETTINGS replicated_deduplication_window = 0, ", 1)
    head, comment, text = rest.rstrip().partition(" COMMENT '")
    return f"{head}\nSETTINGS replicated_deduplication_window = 0{comment}{text}"


def _shard_key(table: str, rest: str) -> str:
    """The chain and the token, pool or contract; else the chain; else the first column of the sort key.

    Only columns of the sort key: rows that replace each other must meet on one shard.
    """
    subjects = () if table.removesuffix(_COPY_SUFFIX) in BY_CHAIN_ONLY else SHARD_COLUMNS
    found = _SORT_KEY.search(rest)
    if found is None:
        raise MigrationError(f"{table}: a sort key of plain columns is needed to shard it")
    columns = [column.strip() for column in (found["many"] or found["one"]).split(",")]
    subject = next((column for column in subjects if column in columns), None)
    chosen = [column for column in columns if column in ("chain_id", subject)] or columns[:1]
    return f"cityHash64({', '.join(chosen)})"


def _split(commands: str) -> Iterator[str]:
    """The commands of an ALTER, which commas outside brackets and literals separate."""
    depth, start, inside = 0, 0, False
    for at, character in enumerate(commands):
        if character == "'" and commands[at - 1] != "\\":
            inside = not inside
        elif inside:
            continue
        elif character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            yield commands[start:at].strip()
            start = at + 1
    yield commands[start:].strip()
