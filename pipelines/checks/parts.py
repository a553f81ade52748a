"""Which part of a chain's data a run of a check looks at: what is new since its last run, a piece of the history, and
what failed before. So a run costs what is new and a fixed share of the rest, however long the history is.

History is passed through once a day: blocks by their numbers, tokens by the first two bytes of their addresses, which
are the order of the tables. A part is the parameters of the check's statement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from math import ceil
from typing import Any

from pipelines.windows import Window
from warehouse import sql

Part = Mapping[str, int | str]

SPACE = 65_536
"""Positions of a pass: the values of two bytes."""
PASS = timedelta(hours=23)
"""A pass through the history takes this long, so that runs that come late still make one a day."""
_MOST_SHARE = 0.25
"""The most of the history that one run looks at, however long ago the last one was."""
LEAST_EVENTS = 250_000
"""A run looks at this many events of the history at least, so that small chains are looked at entirely."""
_NO_DAY = "1970-01-01"


ALL_TOKENS: Part = {"from_token": "", "to_token": "", "after": 0, "up_to": 0, "from_day": _NO_DAY}


class Scope(Enum):
    """By what the data of a check is divided."""

    BLOCKS = "blocks"
    TOKENS = "tokens"


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a check has looked at a chain.

    Args:
        change_id: the last change it has looked at.
        final_block: the last block that was final then; those above may have been reverted since.
        final_day: a day on or before that of ``final_block``.
        position: where the pass through the history goes on.
        pass_ended_at: when the last complete pass ended; None before the first.
    """

    change_id: int
    final_block: int
    final_day: date
    position: int
    checked_at: datetime
    pass_began_at: datetime
    pass_ended_at: datetime | None


def statement(name: str) -> str:
    """A statement over the tokens of a part, with the conditions ``in_part`` and ``in_range``."""
    return f"{sql.load('transforms/checks/parts')}\n{sql.load(name)}"


def new_part(scope: Scope, window: Window, last: Progress | None) -> Part | None:
    """What is new since the last run; None if nothing is. The first run leaves all of it to the pass."""
    if last is None or window.up_to <= last.change_id:
        return None
    if scope is Scope.BLOCKS:
        return _blocks(last.final_block + 1, window.through)
    return _tokens(after=last.change_id, up_to=window.up_to, from_day=last.final_day.isoformat())


def history_part(
    scope: Scope, window: Window, last: Progress | None, *, first_block: int, events: int, now: datetime
) -> tuple[Part, Progress]:
    """The next piece of the history, and the progress once it was looked at.

    Args:
        scope: by what it is divided.
        window: the chain as it is published now.
        last: the progress of the last run.
        first_block: the chain's first indexed block.
        events: roughly how many events the chain has.
        now: the time of this run.
    """
    begin = last.position if last is not None else 0
    since = now - last.checked_at if last is not None else timedelta()
    share = max(min(since / PASS, _MOST_SHARE), LEAST_EVENTS / max(events, 1))
    end = min(begin + max(1, ceil(SPACE * share)), SPACE)
    complete = end == SPACE
    began = last.pass_began_at if last is not None and begin else now
    progress = Progress(
        change_id=window.up_to,
        final_block=window.final_block,
        final_day=(window.as_of - timedelta(days=1)).date(),
        position=0 if complete else end,
        checked_at=now,
        pass_began_at=now if complete else began,
        pass_ended_at=now if complete else (last.pass_ended_at if last is not None else None),
    )
    return _piece(scope, begin, end, first_block, window.through), progress


def everything(scope: Scope, first_block: int, last_block: int) -> Part:
    """The whole history of a chain."""
    return _piece(scope, 0, SPACE, first_block, last_block)


def passed_through(progress: Progress) -> Progress:
    """The progress after everything was looked at at once."""
    return replace(progress, position=0, pass_began_at=progress.checked_at, pass_ended_at=progress.checked_at)


def failing_parts(scope: Scope, part: Part, rows: Sequence[Mapping[str, Any]], most_rows: int) -> list[Part]:
    """What to look at again until the violations are gone: each token of them, or the whole part if there may be more
    than were returned."""
    if scope is Scope.BLOCKS:
        return [part]
    if len(rows) >= most_rows:
        return [{**part, "after": 0, "up_to": 0}]
    tokens = sorted({str(row["token_hex"]) for row in rows})
    return [_tokens(token, token + "00", from_day=str(part["from_day"])) for token in tokens]


def _piece(scope: Scope, begin: int, end: int, first_block: int, last_block: int) -> Part:
    if scope is Scope.BLOCKS:
        blocks = last_block - first_block + 1
        return _blocks(first_block + blocks * begin // SPACE, first_block + blocks * end // SPACE - 1)
    return _tokens(f"{begin:04x}" if begin else "", f"{end:04x}" if end < SPACE else "")


def _blocks(first: int, last: int) -> Part:
    return {"from_block": first, "to_block": max(first, last)}  # a piece of a short chain has one block at least


def _tokens(begin: str = "", end: str = "", *, after: int = 0, up_to: int = 0, from_day: str = _NO_DAY) -> Part:
    """Tokens from ``begin`` to before ``end`` (hexadecimal; empty: no bound) that changed ``after < change <= up_to``
    (0: all)."""
    return {"from_token": begin, "to_token": end, "after": after, "up_to": up_to, "from_day": from_day}


def utc_now() -> datetime:
    """The time of a run."""
    return datetime.now(UTC)
