"""What a scrape learns of the warehouse, and the metrics of disks, tables, parts and merges."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from prometheus_client.metrics_core import Metric

from api.health.families import gauge
from api.health.state import StoreState, StoreTable


class Disk(NamedTuple):
    """Bytes of a disk of the warehouse."""

    name: str
    free: int
    total: int


class WarehouseTable(NamedTuple):
    """A table's rows and bytes on disk, and the most parts that one of its partitions has."""

    name: str
    rows: int
    size: int
    parts: int


@dataclass(frozen=True, slots=True)
class Publication:
    """The newest published version, and the block of each chain that it was made from."""

    version: int
    published_at: datetime
    blocks: dict[int, int]


@dataclass(frozen=True, slots=True)
class WarehouseState:
    """One reading. ``longest_merge_seconds`` is of the merges that run now."""

    publication: Publication | None
    disks: Sequence[Disk] = ()
    tables: Sequence[WarehouseTable] = ()
    merges: int = 0
    longest_merge_seconds: float = 0.0

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """From the row of ``health/read_state``; version 0 stands for nothing published."""
        blocks = dict(zip(row["chain_ids"], row["blocks"], strict=True))
        merges, longest = row["merges"]
        return cls(
            Publication(row["version"], row["published_at"], blocks) if row["version"] else None,
            [Disk(*disk) for disk in row["disks"]],
            [WarehouseTable(*table) for table in row["tables"]],
            merges,
            longest,
        )


def storage_metrics(data_dir: Path, store: StoreState | None, warehouse: WarehouseState | None) -> Iterator[Metric]:
    """Disks, tables, parts and merges, as far as the engines answered."""
    disks = [Disk(f"warehouse_{disk.name}", disk.free, disk.total) for disk in (warehouse.disks if warehouse else ())]
    with suppress(FileNotFoundError):  # where both engines are servers, it may not exist
        usage = shutil.disk_usage(data_dir)
        disks.append(Disk("data_dir", usage.free, usage.total))
    for name, text, field in (
        ("free", "Free bytes of the disk that holds the data directory, or of a disk of the warehouse.", "free"),
        ("total", "Size of that disk.", "total"),
    ):
        yield gauge(
            f"regalia_disk_{name}_bytes", text, ["disk"], [((disk.name,), getattr(disk, field)) for disk in disks]
        )
    found: list[tuple[str, WarehouseTable | StoreTable]] = [
        *(("store", table) for table in (store.tables if store else ())),
        *(("warehouse", table) for table in (warehouse.tables if warehouse else ())),
    ]
    for name, text, field in (
        ("rows", "Rows of a table; estimated where the engine is the store.", "rows"),
        ("bytes", "Bytes of a table on disk, in the store with its indexes.", "size"),
    ):
        samples = [((engine, table.name), getattr(table, field)) for engine, table in found]
        yield gauge(f"regalia_table_{name}", text, ["engine", "table"], samples)
    yield gauge(
        "regalia_store_bytes", "Size of the store's database.", [], [((), store.size)] if store and store.size else []
    )
    yield gauge(
        "regalia_warehouse_parts",
        "The most parts of any partition of the table. ClickHouse slows inserts down at 1,000.",
        ["table"],
        [((table.name,), table.parts) for table in (warehouse.tables if warehouse else ())],
    )
    merging = [((), warehouse.merges)] if warehouse else []
    yield gauge("regalia_warehouse_merges", "Merges that run now.", [], merging)
    yield gauge(
        "regalia_warehouse_merge_seconds",
        "How long the longest of them has run.",
        [],
        [((), warehouse.longest_merge_seconds)] if warehouse else [],
    )
