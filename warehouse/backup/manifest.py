"""The manifest of a backup: what it holds, file by file, with checksums."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

FORMAT = 1


class DamagedBackup(Exception):
    """A backup's files are not what was written; the message names the first."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the backup: its name in its folder, its size and the SHA-256 of its content in hexadecimal."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StoreCopy:
    """A dump of PostgreSQL in the directory format."""

    revision: str
    """The Alembic revision of its schema."""
    files: tuple[StoredFile, ...]


@dataclass(frozen=True, slots=True)
class WarehouseCopy:
    """A backup that ClickHouse made."""

    database: str
    """Its name in the backup."""
    migrations: tuple[int, ...]
    """The numbers of the migrations that were applied."""
    full: str
    """The backup that holds all parts; this one's own name, or that of the one it was compared with."""
    files: tuple[StoredFile, ...]
    rows: Mapping[str, int]
    """Rows by table."""
    views: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """One backup."""

    name: str
    created_at: str
    """ISO 8601, in UTC."""
    version: str
    """Of the program that made it."""
    paused_seconds: float
    """How long indexing and publishing waited."""
    blocks: Mapping[str, int]
    """The last block of each chain, by its id in decimal: JSON has no other keys."""
    publication: int
    """The version of the served tables."""
    store: StoreCopy
    warehouse: WarehouseCopy
    uploads: tuple[StoredFile, ...] = ()
    keys: StoredFile | None = None
    """The sealed keys; None if they were left out."""
    format: int = field(default=FORMAT)

    @property
    def objects(self) -> tuple[StoredFile, ...]:
        """The files that are stored by their hash."""
        return (*self.store.files, *self.uploads, *((self.keys,) if self.keys else ()))

    @property
    def new_bytes(self) -> int:
        """Bytes of the warehouse that this backup added."""
        return sum(file.size for file in self.warehouse.files)

    def encode(self) -> bytes:
        """The manifest as JSON, with a checksum over itself."""
        body = asdict(self)
        return json.dumps({"manifest": body, "sha256": _digest(body)}, indent=1).encode() + b"\n"

    @classmethod
    def decode(cls, data: bytes, shown: str) -> "Manifest":
        """The manifest that ``data`` holds.

        Raises:
            DamagedBackup: the checksum differs, or the format is a later program's.
        """
        try:
            envelope = json.loads(data)
            body = envelope["manifest"]
            whole = envelope["sha256"] == _digest(body)
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedBackup(f"{shown} is not a manifest: {error}") from error
        if not whole:
            raise DamagedBackup(f"{shown} was changed after it was written")
        if body["format"] != FORMAT:
            raise DamagedBackup(f"{shown} has format {body['format']}; this version reads format {FORMAT}")
        return cls(
            **body
            | {
                "store": StoreCopy(**body["store"] | {"files": _files(body["store"]["files"])}),
                "warehouse": WarehouseCopy(
                    **body["warehouse"]
                    | {name: tuple(body["warehouse"][name]) for name in ("migrations", "views")}
                    | {"files": _files(body["warehouse"]["files"])}
                ),
                "uploads": _files(body["uploads"]),
                "keys": StoredFile(**body["keys"]) if body["keys"] else None,
            }
        )


def _files(listed: list[dict[str, Any]]) -> tuple[StoredFile, ...]:
    return tuple(StoredFile(**one) for one in listed)


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
