"""Uploads: detects the type, computes the CID, counts the bytes for the account, and stores them."""

import asyncio
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

from multiformats import CID

from api.http.cache import Cache
from api.http.errors import InvalidInput, TooManyRequests
from api.http.metrics import Metrics
from api.metadata.cids import cid_of, has_content
from api.metadata.contents import Contents, ContentsDown, ContentsWrong, Limits, inspect, kind_of
from api.metadata.errors import ContentMismatch, ContentUnavailable, MetadataLimit
from api.metadata.local import LocalContents
from api.metadata.node import IpfsNode
from api.metadata.repository import MetadataRepository, Upload
from api.metadata.schemas import Uploaded
from api.metadata.sizes import ImageSize, NotResizable, resize
from api.settings import ApiSettings
from warehouse.store import Store

LOG = logging.getLogger(__name__)
PUBLIC_PATH = "/api/v2/public/metadata"
AT_ONCE = 2
"""Concurrent uploads of one account in one process."""
_RESIZED_SECONDS = 3_600.0
_MAX_RESIZED = 256


def open_contents(settings: ApiSettings) -> Contents:
    """The IPFS node in the settings, or else the data directory."""
    if settings.ipfs_api_url is not None:
        return IpfsNode(
            settings.ipfs_api_url.get_secret_value(),
            timeout_seconds=settings.ipfs_timeout_seconds,
        )
    return LocalContents(contents_path(settings.data_dir))


def contents_path(data_dir: Path) -> Path:
    """Where contents are stored without an IPFS node."""
    return data_dir / "metadata"


class Metadata:
    """Stores uploads and finds uploaded content, for one process."""

    def __init__(self, store: Store, contents: Contents, settings: ApiSettings, metrics: Metrics) -> None:
        self.repository = MetadataRepository(store)
        self.contents = contents
        self.limits = Limits.of(settings)
        self.account_bytes = settings.metadata_account_bytes
        self.public_url = settings.public_url
        self._under_way: Counter[UUID] = Counter()
        self._resized: Cache[bytes] = Cache(
            "metadata_sizes", ttl_seconds=_RESIZED_SECONDS, metrics=metrics, limit=_MAX_RESIZED
        )

    @contextmanager
    def upload_slot(self, account: UUID) -> Iterator[None]:
        """A slot for one of an account's uploads: bodies are large and can be slow.

        Raises:
            TooManyRequests: all slots are in use.
        """
        if self._under_way[account] >= AT_ONCE:
            raise TooManyRequests(f"{AT_ONCE} uploads of this account are in progress", 1)
        self._under_way[account] += 1
        try:
            yield
        finally:
            self._under_way[account] -= 1
            if not self._under_way[account]:
                del self._under_way[account]

    async def upload(self, account: UUID, data: bytes, declared: str, expected: CID | None = None) -> Uploaded:
        """Store an upload, if it is the ``expected`` content. Its space is reserved before the bytes are written, so an
        account never exceeds its limit; both steps can be repeated safely.

        Raises:
            ApiError: the upload is refused: 400, 413 or 415 for its content, 403 for the account's limit, 502 or 503 if
                it cannot be stored.
        """
        media_type, cid = await asyncio.to_thread(_name, data, declared, self.limits)
        if expected is not None and has_content(expected, data) is not True:
            raise InvalidInput("cid", f"is not that of the content, which is {cid}")
        upload = Upload(account, cid, media_type, len(data))
        used = await self.repository.reserve(upload, self.account_bytes)
        if used is not None:
            raise MetadataLimit(
                f"an account may store {self.account_bytes} bytes; this one stores {used} and sent {len(data)} more",
                details={"limitBytes": self.account_bytes, "usedBytes": used},
            )
        try:
            await self.contents.put(cid, data)
        except (ContentsDown, ContentsWrong) as error:
            await self.repository.release(upload)
            if isinstance(error, ContentsWrong):
                raise ContentMismatch(str(error)) from error
            raise ContentUnavailable("content cannot be stored now, try again") from error
        await self.repository.note_stored(upload)
        return Uploaded(
            cid=cid,
            uri=f"ipfs://{cid}",
            url=f"{self.public_url}{PUBLIC_PATH}/{cid}",
            content_type=media_type,
            size=len(data),
        )

    async def find(self, cid: CID) -> tuple[str, bytes] | None:
        """Uploaded content by its CID, with its media type. A node also stores other content, which this service must
        not publish.

        Raises:
            ContentUnavailable: the node or the disk does not answer.
        """
        if isinstance(self.contents, IpfsNode) and not await self.repository.is_known(str(cid)):
            return None
        try:
            data = await self.contents.get(cid, self.limits.max_bytes)
        except ContentsDown as error:
            raise ContentUnavailable("content cannot be read now, try again") from error
        return None if data is None else (kind_of(data), data)

    async def resized(self, cid: CID, media_type: str, data: bytes, size: ImageSize) -> bytes:
        """An image in one of its sizes, as a PNG. Computed once for all who ask at a time, and kept for the next.

        Raises:
            InvalidInput: the content has no other sizes.
        """
        try:
            return await self._resized.get((cid, size), lambda: asyncio.to_thread(resize, media_type, data, size))
        except NotResizable as error:
            raise InvalidInput("size", str(error)) from error


def _name(data: bytes, declared: str, limits: Limits) -> tuple[str, str]:
    return inspect(data, declared, limits), cid_of(data)
