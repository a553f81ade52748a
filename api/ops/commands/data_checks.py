"""``regalia checks``: what the checks of the data found, what that stops, and overrides."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import typer
from rich.console import Console
from rich.table import Table

from api.ops.commands.failures import USAGE
from api.settings import load
from warehouse import engines, postgres
from warehouse.notices.conditions import iso
from warehouse.postgres import Connection

MAX_REASON = 500


@dataclass(frozen=True, slots=True)
class CheckState:
    """A check as the store knows it. ``history_checked_at`` is when its last complete pass through the history ended;
    None before the first."""

    name: str
    checked_at: str | None
    history_checked_at: str | None
    violations: int
    found_at: str | None
    stops: str
    overridden_until: str | None
    example: Mapping[str, Any] | None


def list_checks(as_json: bool) -> None:
    """Print the checks that have run, as a table or one line of JSON each."""
    with _store() as store:
        states = read_states(store)
    if as_json:
        for state in states:
            print(json.dumps(asdict(state)))
    elif states:
        _print_table(states)
    else:
        print("no check has run yet; `regalia checks run` runs all")


def read_states(store: Connection) -> Sequence[CheckState]:
    """The checks that have run, by name."""
    failures: dict[str, list[dict[str, Any]]] = {}
    for row in postgres.run(store, "checks/list_failures"):
        failures.setdefault(row["check_name"], []).append(row)
    overrides = {row["check_name"]: row["ends_at"] for row in postgres.run(store, "checks/list_overrides")}
    states = []
    for row in postgres.run(store, "checks/list_progress"):
        name = row["check_name"]
        found = failures.get(name, [])
        states.append(
            CheckState(
                name=name,
                checked_at=_moment(row["checked_at"]),
                history_checked_at=_moment(row["pass_ended_at"]),
                violations=sum(failure["violations"] for failure in found),
                found_at=_moment(min((failure["found_at"] for failure in found), default=None)),
                stops=found[0]["stops"] if found and name not in overrides else "nothing",
                overridden_until=_moment(overrides.get(name)),
                example=found[0]["example"] if found else None,
            )
        )
    return states


def override(name: str, reason: str, hours: float) -> None:
    """Let publication and claims go on although a check fails, and print until when."""
    why = " ".join(reason.split())
    if not 1 <= len(why) <= MAX_REASON:
        _refuse(f"--reason must have 1 to {MAX_REASON} characters")
    with _store() as store:
        _require_known(store, name)
        given = postgres.run(store, "checks/save_override", {"check_name": name, "reason": why, "hours": hours})[0]
    print(f"{name} stops nothing until {iso(given['ends_at'])}; the next refresh publishes")


def end_override(name: str) -> None:
    """End an override before its time."""
    with _store() as store:
        if not postgres.execute(store, "checks/remove_override", {"check_name": name}):
            _refuse(f"{name} has no override")
    print(f"the override of {name} has ended")


def _require_known(store: Connection, name: str) -> None:
    known = sorted(row["check_name"] for row in postgres.run(store, "checks/list_progress"))
    if name not in known:
        _refuse(f"no check {name!r} has run; known are {', '.join(known) or 'none'}")


def _refuse(message: str) -> None:
    typer.echo(f"regalia: {message}", err=True)
    raise typer.Exit(USAGE)


@contextmanager
def _store() -> Iterator[Connection]:
    with engines.ensure(load()) as urls, postgres.connect(urls.database_url, autocommit=True) as store:
        yield store


def _print_table(states: Sequence[CheckState]) -> None:
    table = Table("check", "last run", "whole history", "violations", "since", "stops", "overridden until", box=None)
    for state in states:
        table.add_row(
            state.name,
            state.checked_at or "-",
            state.history_checked_at or "first pass",
            str(state.violations),
            state.found_at or "-",
            state.stops,
            state.overridden_until or "-",
            style="bold red" if state.violations else None,
        )
    Console(highlight=False).print(table)
    for state in states:
        if state.example is not None:
            print(f"{state.name}: for example {json.dumps(state.example)}")


def _moment(moment: datetime | None) -> str | None:
    return iso(moment) if moment is not None else None
