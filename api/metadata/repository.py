"""Uploads of accounts and documents of registrations, in the store."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from api.http.rendering import dumps
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class Upload:
    """An attempt to store content for an account. ``attempt`` tells concurrent attempts at the same content apart."""

    account: UUID
    cid: str
    media_type: str
    size: int
    attempt: UUID = field(default_factory=uuid4)

    def parameters(self) -> dict[str, Any]:
        """Parameters of the upload statements."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class WantedDocument:
    """A document that registrations name and that was not read yet, with the attempts made so far."""

    cid: str
    attempts: int


class MetadataRepository:
    """Statements of the metadata routes and tasks."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def reserve(self, upload: Upload, max_bytes: int) -> int | None:
        """Reserve space for an upload; the answer is None, or, if there is too little, the bytes that others use.

        Uploads of one account wait for each other here, so that together they respect the limit. Content that is
        already stored needs no space. A reservation of a killed process counts for ten minutes.
        """
        async with self.store.transaction() as transaction:
            await transaction.rows("metadata/lock_account", {"account": upload.account})
            used = await transaction.row("metadata/sum_uploads", {"account": upload.account, "cid": upload.cid})
            assert used is not None  # noqa: S101 - an aggregate
            if not used["is_there"] and used["others"] + upload.size > max_bytes:
                return int(used["others"])
            await transaction.execute("metadata/reserve", upload.parameters())
        return None

    async def note_stored(self, upload: Upload) -> None:
        """Record that the content is stored, and read it at once if a registration waits for it."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/mark_stored", upload.parameters())
            await transaction.execute("metadata/forget_search", {"cid": upload.cid})

    async def release(self, upload: Upload) -> None:
        """Release the space of a failed upload, unless another attempt at the same content is under way."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/withdraw_attempt", upload.parameters())
            await transaction.execute("metadata/release", upload.parameters())

    async def is_known(self, cid: str) -> bool:
        """Whether anyone uploaded it here."""
        return bool(await self.store.rows("metadata/find_upload", {"cid": cid}))

    async def wanted(self, now: datetime, most: int) -> list[WantedDocument]:
        """Documents to read now, those with the fewest attempts first."""
        return await self.store.rows("metadata/list_wanted", {"now": now, "most": most}, WantedDocument)

    async def fill(self, cid: str, document: Mapping[str, Any]) -> int:
        """Store a document in all registrations that name it and have none; the answer is how many."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/forget_search", {"cid": cid})
            return await transaction.execute("metadata/fill", {"cid": cid, "document": dumps(document).decode()})

    async def try_later(self, cid: str, next_at: datetime, problem: str) -> None:
        """Record that a document was not found or is not valid, and when to read it again."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/postpone", {"cid": cid, "next_at": next_at, "problem": problem})
