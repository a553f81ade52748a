"""The backups of one target: which there are, their files, and which files no backup needs any more."""

import hashlib
import io
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, TypeVar

from warehouse.backup.manifest import DamagedBackup, Manifest, StoredFile
from warehouse.storage import Storage

_PIECE_BYTES = 1024 * 1024
_READERS = 4

Entry = TypeVar("Entry")
Result = TypeVar("Result")
Advance = Callable[[int], None]
"""Called with a number of bytes that were read or written."""


class NoSuchBackup(Exception):
    """The target holds no backup of that name, or none at all."""


class Repository:
    """The backups below one target."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def names(self) -> list[str]:
        """Names of the backups that were completed, the oldest first."""
        listed = self.storage.sizes("backups")
        return sorted(path.removeprefix("backups/").removesuffix(".json") for path in listed if path.endswith(".json"))

    def read(self, name: str | None = None) -> Manifest:
        """The manifest of a backup, by default of the newest.

        Raises:
            NoSuchBackup: there is none.
            DamagedBackup: it cannot be read.
        """
        names = self.names()
        if not names:
            raise NoSuchBackup(f"{self.storage.shown} holds no backup")
        if name is not None and name not in names:
            raise NoSuchBackup(f"{self.storage.shown} holds no backup {name}; the newest is {names[-1]}")
        path = manifest_path(name or names[-1])
        shown = f"{self.storage.shown}/{path}"
        with self.storage.reader(path) as stream:
            manifest = Manifest.decode(stream.read(), shown)
        if manifest_path(manifest.name) != path:
            raise DamagedBackup(f"{shown} is the manifest of backup {manifest.name}")
        return manifest

    def write(self, manifest: Manifest) -> None:
        """Complete a backup: from now on it exists."""
        self.storage.write(manifest_path(manifest.name), io.BytesIO(manifest.encode()))

    def put(self, name: str, path: Path, known: dict[str, int]) -> StoredFile:
        """Store a file by the hash of its content, unless ``known`` holds it already.

        Args:
            name: its name in the manifest.
            path: where it is now.
            known: sizes of the objects that the target holds, by hash; the new one is added.
        """
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.tell()
            if known.get(digest) != size:
                file.seek(0)
                self.storage.write(object_path(digest), file)
                known[digest] = size
        return StoredFile(name, size, digest)

    def objects(self) -> dict[str, int]:
        """Sizes of the stored objects, by hash."""
        return {path.rpartition("/")[2]: size for path, size in self.storage.sizes("objects").items()}

    def fetch(self, file: StoredFile, target: BinaryIO) -> None:
        """Copy a stored object into ``target``.

        Raises:
            DamagedBackup: it is missing or not what was written.
        """
        path = object_path(file.sha256)
        try:
            digest, size = self._hash(path, target.write)
        except FileNotFoundError:
            raise DamagedBackup(f"{path} ({file.path}) is missing") from None
        _compare(path, file, digest, size)

    def get(self, file: StoredFile) -> bytes:
        """A small object's content."""
        target = io.BytesIO()
        self.fetch(file, target)
        return target.getvalue()

    def hash_folder(self, folder: str, advance: Advance) -> tuple[StoredFile, ...]:
        """Read every file below ``folder`` and return it with its checksum."""
        start = len(folder.rstrip("/")) + 1

        def read(path: str) -> StoredFile:
            digest, size = self._hash(path)
            advance(size)
            return StoredFile(path[start:], size, digest)

        return tuple(self._each(read, sorted(self.storage.sizes(folder))))

    def verify(self, manifest: Manifest, advance: Advance) -> None:
        """Read every file of a backup and compare it with the manifest.

        Raises:
            DamagedBackup: a file is missing or not what was written.
            NoSuchBackup: the full backup that this one builds on is gone.
        """

        def check(entry: tuple[str, StoredFile]) -> None:
            path, file = entry
            try:
                digest, size = self._hash(path)
            except FileNotFoundError:
                raise DamagedBackup(f"{path} of backup {manifest.name} is missing") from None
            _compare(path, file, digest, size)
            advance(size)

        self._each(check, self.files(manifest))

    def files(self, manifest: Manifest) -> list[tuple[str, StoredFile]]:
        """The paths of all files that restoring the backup needs."""
        needed = {object_path(file.sha256): file for file in manifest.objects}
        holders = [manifest]
        if manifest.warehouse.full != manifest.name:
            holders.append(self.read(manifest.warehouse.full))
        for holder in holders:
            needed |= {f"{warehouse_folder(holder.name)}/{file.path}": file for file in holder.warehouse.files}
        return sorted(needed.items())

    def remove_remains(self) -> None:
        """Remove the parts of backups that were never completed. Nobody else may write to the target meanwhile."""
        complete = set(self.names())
        begun = {path.split("/")[1] for path in self.storage.sizes("warehouse")}
        for name in begun - complete:
            self.storage.delete_folder(warehouse_folder(name))

    def keep_newest(self, count: int) -> list[str]:
        """Remove all but the ``count`` newest backups and the full ones they build on; returns the removed names.

        A manifest goes before its files: a backup that is half removed does not exist.
        """
        manifests = {name: self.read(name) for name in self.names()}
        kept = set(sorted(manifests)[-count:])
        kept |= {manifests[name].warehouse.full for name in kept}
        removed = sorted(manifests.keys() - kept)
        for name in removed:
            self.storage.delete(manifest_path(name))
        self.remove_remains()
        needed = {file.sha256 for name in kept for file in manifests[name].objects}
        for digest in self.objects().keys() - needed:
            self.storage.delete(object_path(digest))
        return removed

    def _hash(self, path: str, write: Callable[[bytes], object] = lambda _: None) -> tuple[str, int]:
        digest, size = hashlib.sha256(), 0
        with self.storage.reader(path) as stream:
            while piece := stream.read(_PIECE_BYTES):
                digest.update(piece)
                write(piece)
                size += len(piece)
        return digest.hexdigest(), size

    @staticmethod
    def _each(work: Callable[[Entry], Result], entries: Iterable[Entry]) -> list[Result]:
        """Several at once: a small file mostly waits for the storage."""
        with ThreadPoolExecutor(_READERS, "backup") as pool:
            return list(pool.map(work, entries))


def manifest_path(name: str) -> str:
    """Where a backup's manifest is."""
    return f"backups/{name}.json"


def warehouse_folder(name: str) -> str:
    """Where ClickHouse writes a backup."""
    return f"warehouse/{name}"


def object_path(digest: str) -> str:
    """Where the object with this hash is."""
    return f"objects/{digest[:2]}/{digest}"


def _compare(path: str, file: StoredFile, digest: str, size: int) -> None:
    if (digest, size) != (file.sha256, file.size):
        raise DamagedBackup(f"{path} ({file.path}) is damaged: {size} bytes with another checksum")
