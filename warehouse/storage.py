"""Where backups and exports go: a folder, or a prefix of a bucket on S3-compatible storage, named by a URL.

``/var/backups/regalia`` and ``file:///var/backups/regalia`` are folders; ``s3://bucket/prefix`` is a bucket. Its
credentials, its region and the address of a server that is not Amazon's come from the environment, as every S3 client
reads them: ``AWS_ACCESS_KEY_ID``, ``AWS_SECRET_ACCESS_KEY``, ``AWS_REGION``, ``AWS_ENDPOINT_URL``.
"""

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote, urlsplit

from pyarrow import fs

_arrow_fs: Any = fs
_PIECE_BYTES = 1024 * 1024


class StorageError(Exception):
    """The target cannot be read or written; the message names it."""


class BadTarget(ValueError):
    """The target's URL or its credentials are wrong."""


class Storage(ABC):
    """Files below one target. Paths are relative to it, with ``/`` between their parts."""

    shown: str
    """The target as people read it; it holds no secret."""

    @abstractmethod
    def sizes(self, folder: str) -> dict[str, int]:
        """Every file below ``folder``, with its size in bytes; empty if there is no such folder."""

    @abstractmethod
    def reader(self, path: str) -> "_Reading":
        """The file's bytes as a stream. Raises ``FileNotFoundError`` if there is none."""

    @abstractmethod
    def write(self, path: str, source: BinaryIO) -> int:
        """Write a file from a stream, replacing one of that name; returns its bytes. A file under its name is whole."""

    @abstractmethod
    def delete(self, path: str) -> None:
        """Delete a file; does nothing if there is none."""

    @abstractmethod
    def delete_folder(self, folder: str) -> None:
        """Delete everything below ``folder``."""

    @abstractmethod
    def for_clickhouse(self, folder: str) -> str:
        """The folder as the target of ClickHouse's ``BACKUP … TO``. The text may hold credentials."""


_Reading = Any  # a context manager over a binary stream


class FolderStorage(Storage):
    """A folder of this machine."""

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self.shown = str(self.root)

    def sizes(self, folder: str) -> dict[str, int]:
        """See :class:`Storage`."""
        found = (path for path in (self.root / folder).rglob("*") if path.is_file())
        return {path.relative_to(self.root).as_posix(): path.stat().st_size for path in found}

    def reader(self, path: str) -> _Reading:
        """See :class:`Storage`."""
        return (self.root / path).open("rb")

    def write(self, path: str, source: BinaryIO) -> int:
        """See :class:`Storage`. The file is on the disk, under its name, when this returns."""
        final = self.root / path
        final.parent.mkdir(parents=True, exist_ok=True)
        draft = final.with_name(f".{final.name}.{os.getpid()}")
        try:
            with draft.open("wb") as file:
                shutil.copyfileobj(source, file, _PIECE_BYTES)
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
            draft.replace(final)
        finally:
            draft.unlink(missing_ok=True)
        _sync_folder(final.parent)
        return size

    def delete(self, path: str) -> None:
        """See :class:`Storage`."""
        (self.root / path).unlink(missing_ok=True)

    def delete_folder(self, folder: str) -> None:
        """See :class:`Storage`."""
        with suppress(FileNotFoundError):
            shutil.rmtree(self.root / folder)

    def for_clickhouse(self, folder: str) -> str:
        """See :class:`Storage`."""
        return f"File({_literal(str(self.root / folder))})"


@dataclass(frozen=True, slots=True)
class S3Access:
    """How to reach S3-compatible storage. Without keys the machine's own role is used."""

    key_id: str | None
    secret: str | None
    session_token: str | None
    region: str
    endpoint: str | None

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> "S3Access":
        """The access that the usual variables describe.

        Raises:
            BadTarget: one half of the key is missing, or the endpoint is no URL.
        """
        key_id, secret = environment.get("AWS_ACCESS_KEY_ID"), environment.get("AWS_SECRET_ACCESS_KEY")
        if bool(key_id) != bool(secret):
            raise BadTarget("set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither")
        endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
        if endpoint and urlsplit(endpoint).scheme not in ("http", "https"):
            raise BadTarget("AWS_ENDPOINT_URL is a URL such as https://s3.example.net")
        region = environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"
        token = environment.get("AWS_SESSION_TOKEN")
        return cls(key_id or None, secret or None, token or None, region, endpoint or None)

    def open(self) -> Any:
        """A file system of pyarrow."""
        options: dict[str, Any] = {"region": self.region, "connect_timeout": 10, "request_timeout": 60}
        if self.key_id:
            options |= {"access_key": self.key_id, "secret_key": self.secret, "session_token": self.session_token}
        if self.endpoint:
            parts = urlsplit(self.endpoint)
            options |= {"scheme": parts.scheme, "endpoint_override": parts.netloc}
        return _arrow_fs.S3FileSystem(**options)


class BucketStorage(Storage):
    """A prefix of a bucket."""

    def __init__(self, bucket: str, prefix: str, access: S3Access) -> None:
        self._bucket = bucket
        self._prefix = prefix
        self._access = access
        self._root = f"{bucket}/{prefix}".rstrip("/")
        self._files = access.open()
        self.shown = f"s3://{self._root}"

    def sizes(self, folder: str) -> dict[str, int]:
        """See :class:`Storage`."""
        with _named(self.shown):
            selector = _arrow_fs.FileSelector(f"{self._root}/{folder}", allow_not_found=True, recursive=True)
            found = self._files.get_file_info(selector)
        start = len(self._root) + 1
        return {info.path[start:]: info.size for info in found if info.type == _arrow_fs.FileType.File}

    @contextmanager
    def reader(self, path: str) -> Iterator[BinaryIO]:
        """See :class:`Storage`."""
        with _named(self.shown):
            stream = self._files.open_input_stream(f"{self._root}/{path}")
        with stream:
            yield stream

    def write(self, path: str, source: BinaryIO) -> int:
        """See :class:`Storage`. An upload that is broken off leaves no object."""
        size = 0
        with _named(self.shown), self._files.open_output_stream(f"{self._root}/{path}") as stream:
            while piece := source.read(_PIECE_BYTES):
                size += stream.write(piece)
        return size

    def delete(self, path: str) -> None:
        """See :class:`Storage`."""
        with _named(self.shown), suppress(FileNotFoundError):
            self._files.delete_file(f"{self._root}/{path}")

    def delete_folder(self, folder: str) -> None:
        """See :class:`Storage`."""
        with _named(self.shown), suppress(FileNotFoundError):
            self._files.delete_dir(f"{self._root}/{folder}")

    def for_clickhouse(self, folder: str) -> str:
        """See :class:`Storage`. The engine itself reads and writes the bucket, with the same key.

        Raises:
            BadTarget: the key is a temporary one, which ``BACKUP`` does not accept.
        """
        access = self._access
        if access.session_token:
            raise BadTarget("ClickHouse cannot use AWS_SESSION_TOKEN: set a key of its own, or none for its role")
        path = quote(f"{self._prefix}/{folder}".lstrip("/"))
        if access.endpoint:
            url = f"{access.endpoint.rstrip('/')}/{self._bucket}/{path}"
        else:
            url = f"https://{self._bucket}.s3.{access.region}.amazonaws.com/{path}"
        keys = (access.key_id, access.secret) if access.key_id and access.secret else ()
        return f"S3({', '.join(map(_literal, (url, *keys)))})"


def open_storage(target: str, environment: Mapping[str, str] | None = None) -> Storage:
    """The storage that ``target`` names.

    Raises:
        BadTarget: neither a folder nor an ``s3://`` URL, or it holds credentials.
    """
    parts = urlsplit(target)
    if parts.scheme == "s3":
        if not parts.hostname or parts.query or parts.fragment:
            raise BadTarget("an S3 target looks like s3://bucket/prefix")
        if "@" in parts.netloc:
            raise BadTarget("credentials do not belong in a URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
        access = S3Access.of(os.environ if environment is None else environment)
        return BucketStorage(parts.hostname, parts.path.strip("/"), access)
    if parts.scheme == "file" and not parts.netloc and parts.path:
        return FolderStorage(Path(parts.path))
    if "://" in target or not target:
        raise BadTarget(f"{parts.scheme or 'the target'}: name a folder or s3://bucket/prefix")
    return FolderStorage(Path(target))


@contextmanager
def _named(shown: str) -> Iterator[None]:
    """Raise the library's errors, except a missing file, with the target's name."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageError(f"{shown}: {error}") from error


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _literal(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
