"""What an export holds: each mart's columns, its files with rows and checksums, and its last blocks."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = 2
MANIFEST = "export.json"


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A Parquet file, by its path in the target."""

    path: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Partition:
    """The rows of one chain, or of one month of it."""

    chain_id: int
    month: str | None
    """Such as 2026-01; None where a mart is not partitioned by time."""
    fingerprint: str
    """A hash over its rows, without ``as_of_block``: it changes with any of them."""
    files: tuple[ExportedFile, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """The last block of a chain that an export includes."""

    number: int
    hash: str
    month: str
    """The month of its time."""


@dataclass(frozen=True, slots=True)
class ExportedMart:
    """One mart as it was exported."""

    comment: str
    columns: tuple[Mapping[str, str], ...]
    """Name, type and comment of each."""
    version: int
    """The publication that was served then."""
    last_blocks: Mapping[str, Block]
    """By chain id in decimal."""
    rows: int
    partitions: tuple[Partition, ...]

    @property
    def paths(self) -> list[str]:
        """Its files."""
        return [file.path for partition in self.partitions for file in partition.files]


@dataclass(slots=True)
class Manifest:
    """What an export contains. ``written`` counts the files of the last run, the others are from earlier ones."""

    created_at: str
    version: int
    marts: dict[str, ExportedMart] = field(default_factory=dict)
    written: int = 0
    transfers_from: dict[str, int] = field(default_factory=dict)
    """By chain id in decimal, where older ones were dropped: from which block on transfers are complete."""
    format: int = FORMAT

    @property
    def rows(self) -> dict[str, int]:
        """Rows by mart."""
        return {name: mart.rows for name, mart in self.marts.items()}

    def encode(self) -> bytes:
        """The manifest as JSON."""
        return json.dumps(asdict(self), indent=1).encode() + b"\n"

    @classmethod
    def decode(cls, data: bytes) -> "Manifest | None":
        """The manifest that ``data`` holds; None if it is of another format."""
        body = json.loads(data)
        if body.get("format") != FORMAT:
            return None
        return cls(**body | {"marts": {name: _mart(mart) for name, mart in body["marts"].items()}})


def _mart(body: Mapping[str, Any]) -> ExportedMart:
    partitions = (
        Partition(**one | {"files": tuple(ExportedFile(**file) for file in one["files"])}) for one in body["partitions"]
    )
    last_blocks = {chain: Block(**block) for chain, block in body["last_blocks"].items()}
    return ExportedMart(
        **{**body, "columns": tuple(body["columns"]), "partitions": tuple(partitions), "last_blocks": last_blocks}
    )
