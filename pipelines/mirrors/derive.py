"""Mirrors: registrations, claims and the token list, copied from the store to the warehouse where they differ.

Copying again writes nothing. A full run compares all rows, and so removes those that a reorganisation removed; the
follower's runs compare what changed in the store since the last time, once a minute.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from pipelines import frames
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import GlobalStep, Group, Phase
from pipelines.windows import Checkpoint, read_checkpoint, write_checkpoint

SUBJECT = "mirrors"
COMPARE_SECONDS = 60
_OVERLAP = timedelta(minutes=10)
"""Rows are stamped when their transaction begins, and a transaction may end later."""
_EVERYTHING = datetime(1970, 1, 1, tzinfo=UTC)
_ALL_CHAINS = 0
_TIME, _TEXT = frames.TIME, frames.TEXT


@dataclass(frozen=True, slots=True)
class Mirror:
    """A table of the warehouse, the statement of the store that gives its rows, and its columns: keys first."""

    table: str
    statement: str
    keys: int
    columns: Mapping[str, frames.Kind]


MIRRORS = (
    Mirror(
        "mirror_registration",
        "mirrors/registrations",
        2,
        {
            "chain_id": frames.UINT32,
            "token_id": frames.UINT64,
            **dict.fromkeys(("symbol", "owner", "token", "registry", "transaction_hash"), _TEXT),
            "block_number": frames.UINT64,
            "registered_at": _TIME,
            "fee_raw": frames.UINT256,
            "free": frames.UINT8,
            "verification_method": _TEXT,
            "metadata_cid": _TEXT,
            "ended_at": _TIME,
            "end_reason": _TEXT,
            "is_final": frames.UINT8,
        },
    ),
    Mirror(
        "mirror_claim",
        "mirrors/claims",
        2,
        {
            "chain_id": frames.UINT32,
            **dict.fromkeys(("claim_id", "token", "symbol", "wallet", "verification_method"), _TEXT),
            "fee_raw": frames.UINT256,
            "price_usd": frames.decimal(18, 2),
            "built_at": _TIME,
            "deadline": _TIME,
            "token_id": frames.UINT64,
        },
    ),
    Mirror(
        "mirror_token_list",
        "mirrors/token_list",
        3,
        {
            "chain_id": frames.UINT32,
            "token": _TEXT,
            "from_version": frames.UINT64,
            "from_name": _TEXT,
            "from_time": _TIME,
            "until_name": _TEXT,
            "until_time": _TIME,
            "token_id": frames.UINT64,
            "symbol": _TEXT,
            "name": _TEXT,
            "decimals": frames.UINT8,
            "logo_url": _TEXT,
            "listed_since": _TIME,
        },
    ),
)


def derive(run: RefreshRun) -> StepRun | None:
    """Copy what differs; None if it was compared a moment ago."""
    now = datetime.now(UTC)
    seen = read_checkpoint(run.store, SUBJECT, _ALL_CHAINS).details.get("compared_at")
    last = _EVERYTHING if seen is None else datetime.fromtimestamp(seen, UTC)
    if not run.full and (now - last).total_seconds() < COMPARE_SECONDS:
        return None
    since = _EVERYTHING if run.full or seen is None else last - _OVERLAP
    rows, seconds = timed(lambda: sum(_copy(run, mirror, since) for mirror in MIRRORS))
    write_checkpoint(run.store, SUBJECT, _ALL_CHAINS, Checkpoint(0, {"compared_at": int(now.timestamp())}))
    return run.log.record(StepRun(SUBJECT, None, seconds, rows))


STEP = GlobalStep(
    name=SUBJECT,
    description="Registrations, claims and the token list of the store, for the marts.",
    after=("registrations", "token_list"),
    tables=tuple(mirror.table for mirror in MIRRORS),
    group=Group.SERVING,
    phase=Phase.LISTS,
    derive=derive,
)


def _copy(run: RefreshRun, mirror: Mirror, since: datetime) -> int:
    """Write the rows of a mirror that differ; with ``since`` the beginning, also remove those that are gone."""
    found = run.store_rows(mirror.statement, {"since": since})
    rows = [tuple(_plain(kind, row[name]) for name, kind in mirror.columns.items()) for row in found]
    wanted = {row[: mirror.keys]: row for row in rows}
    if not wanted and since != _EVERYTHING:
        return 0
    standing = {row[: mirror.keys]: row for row in _standing(run, mirror)}
    changed = [(*row, 0, run.version) for key, row in wanted.items() if standing.get(key) != row]
    if since == _EVERYTHING:
        changed += [(*row, 1, run.version) for key, row in standing.items() if key not in wanted]
    if changed:
        columns = {**mirror.columns, "deleted": frames.UINT8, "version": frames.UINT64}
        run.warehouse.insert_arrow(mirror.table, frames.of_tuples(columns, changed))
    return len(changed)


def _plain(kind: frames.Kind, value: Any) -> Any:
    return int(value) if kind == frames.UINT256 else value


def _standing(run: RefreshRun, mirror: Mirror) -> list[tuple[Any, ...]]:
    """The rows of a mirror as they stand, in the forms of the store's statement."""
    times = [name for name, kind in mirror.columns.items() if kind == _TIME]
    columns = ", ".join(f"toInt64({name}) AS {name}" if name in times else name for name in mirror.columns)
    found = run.warehouse.rows(f"SELECT {columns} FROM published_{mirror.table}")  # noqa: S608
    return [tuple(row.values()) for row in found]
