"""Contents in the data directory, for a service without an IPFS node: one file for each, named by its CID.

A file is written beside the others, forced to the disk, and only then given its name, which no one else's content can
have: a process that is killed leaves the whole file or none, and a repeated upload finds it or writes it again.
Several processes may do so at once.
"""

import asyncio
import logging
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from multiformats import CID

from api.metadata.cids import has_content
from api.metadata.contents import ContentsDown

LOG = logging.getLogger(__name__)
_INCOMING = "incoming"
_ABANDONED_SECONDS = 3_600


class LocalContents:
    """Files below ``root``. All that waits for the disk is done in threads."""

    def __init__(self, root: Path) -> None:
        self.root = root

    async def put(self, cid: str, data: bytes) -> None:
        """See :class:`api.metadata.contents.Contents`."""
        try:
            await asyncio.to_thread(self._write, cid, data)
        except OSError as error:
            LOG.error("%s cannot be kept in %s: %s", cid, self.root, error)
            raise ContentsDown("the disk does not take it") from error

    async def get(self, cid: CID, max_bytes: int, *, anywhere: bool = False) -> bytes | None:
        """See :class:`api.metadata.contents.Contents`. No other source is used."""
        try:
            return await asyncio.to_thread(self._read, cid, max_bytes)
        except OSError as error:
            LOG.error("%s cannot be read from %s: %s", cid, self.root, error)
            raise ContentsDown("the disk does not answer") from error

    async def close(self) -> None:
        """Nothing is held open."""

    def sweep(self) -> None:
        """Remove what killed processes had begun to write."""
        with suppress(FileNotFoundError):
            for path in (self.root / _INCOMING).iterdir():
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS:
                        path.unlink()

    def path_of(self, cid: str) -> Path:
        """Where the contents of a CID are. The last letters of CIDs differ evenly, the first ones do not."""
        return self.root / cid[-2:] / cid

    def _write(self, cid: str, data: bytes) -> None:
        path = self.path_of(cid)
        with suppress(FileNotFoundError):
            if path.stat().st_size == len(data) and path.read_bytes() == data:
                return
        incoming = self.root / _INCOMING
        for folder in (incoming, path.parent):
            folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=incoming)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, path)
        except BaseException:  # a cancelled upload leaves no file either
            with suppress(FileNotFoundError):
                os.unlink(name)
            raise
        # The name is on the disk, too, once its folders are.
        for folder in (path.parent, self.root):
            _force(folder)

    def _read(self, cid: CID, max_bytes: int) -> bytes | None:
        path = self.path_of(str(cid))
        try:
            with path.open("rb") as file:
                data = file.read(max_bytes + 1)
        except FileNotFoundError:
            return None
        if len(data) > max_bytes:
            return None
        if not has_content(cid, data):
            LOG.error("%s is not what its name says; it is not served until it is uploaded again", path)
            return None
        return data


def _force(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
