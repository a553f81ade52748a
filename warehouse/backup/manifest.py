"""The manifest of a backup: what it holds, file by file, with checksums."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import PurePosixPath
from typing import Any

FORMAT = 1
_NAME = re.compile(r"\d{8}T\d{6}\.\d{3}Z")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class DamagedBackup(Exception):
    """A backup's files are not what was written; the message names the first."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the backup: its name in its folder, its size and the SHA-256 of its content in hexadecimal."""

    path: str
    size: int
    sha256: str

    def __post_init__(self) -> None:
        """Refuse what would be read or written elsewhere than in the folder."""
        path = PurePosixPath(self.path)
        if path.is_absolute() or not path.parts or ".." in path.parts or {"\0", "\\"} & set(self.path):
            raise ValueError(f"{self.path!r} is no file of a backup")
        if not _DIGEST.fullmatch(self.sha256) or self.size < 0:
            raise ValueError(f"{self.path!r} has no checksum or no size")


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
            DamagedBackup: the checksum differs, the format is a later program's, or it names files outside the
                backup. The checksum proves no author: anyone who can write to the target can write a manifest.
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
        try:
            return cls._of(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedBackup(f"{shown} is not a manifest of this format: {error}") from error

    @classmethod
    def _of(cls, body: Mapping[str, Any]) -> "Manifest":
        store, warehouse = body["store"], body["warehouse"]
        for name in (body["name"], warehouse["full"]):
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no name of a backup")
        return cls(
            **{
                **body,
                "store": StoreCopy(**{**store, "files": _files(store["files"])}),
                "warehouse": WarehouseCopy(
                    **{
                        **warehouse,
                        "migrations": tuple(warehouse["migrations"]),
                        "views": tuple(warehouse["views"]),
                        "files": _files(warehouse["files"]),
                    }
                ),
                "uploads": _files(body["uploads"]),
                "keys": StoredFile(**body["keys"]) if body["keys"] else None,
            }
        )


def _files(listed: list[dict[str, Any]]) -> tuple[StoredFile, ...]:
    return tuple(StoredFile(**one) for one in listed)


def _digest(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
