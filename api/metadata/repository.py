"""The store's side of metadata: who keeps how much, which documents registrations wait for, and what they say."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from api.http.rendering import dumps
from warehouse.store import Row, Store


@dataclass(frozen=True, slots=True)
class Upload:
    """An attempt at keeping content: whose, and which. Attempts at the same content are told apart by ``attempt``."""

    account: UUID
    cid: str
    media_type: str
    size: int
    attempt: UUID = field(default_factory=uuid4)

    def parameters(self) -> dict[str, Any]:
        """For the statements above."""
        return asdict(self)


class MetadataRepository:
    """Statements over the store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def reserve(self, upload: Upload, most_bytes: int) -> int | None:
        """Make room for an upload among those of its account; None if there is, else the bytes that others take.

        Uploads of one account wait for each other here, so that together they keep to the limit too. What is there
        already needs no room.
        """
        async with self.store.transaction() as transaction:
            await transaction.rows("metadata/lock_account", {"account": upload.account})
            used = await transaction.row("metadata/sum_uploads", {"account": upload.account, "cid": upload.cid})
            assert used is not None  # noqa: S101 - an aggregate
            if not used["is_there"] and used["others"] + upload.size > most_bytes:
                return int(used["others"])
            await transaction.execute("metadata/reserve", upload.parameters())
        return None

    async def note_stored(self, upload: Upload) -> None:
        """Remember that it is kept, and look at once for what had not been found under its name."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/mark_stored", upload.parameters())
            await transaction.execute("metadata/forget_search", {"cid": upload.cid})

    async def release(self, upload: Upload) -> None:
        """Give the room back: it is not kept. While another attempt at the same content goes on, it stays taken."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/withdraw_attempt", upload.parameters())
            await transaction.execute("metadata/release", upload.parameters())

    async def is_known(self, cid: str) -> bool:
        """Whether anyone uploaded it here."""
        return bool(await self.store.rows("metadata/find_upload", {"cid": cid}))

    async def wanted(self, now: datetime, most: int) -> list[Row]:
        """The documents that registrations name and that have not been read, with the attempts made: those that were
        tried least come first."""
        return await self.store.rows("metadata/list_wanted", {"now": now, "most": most})

    async def fill(self, cid: str, document: Mapping[str, Any]) -> list[Row]:
        """Give a document to all registrations that name it and have none; the answer is which."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/forget_search", {"cid": cid})
            return await transaction.rows("metadata/fill", {"cid": cid, "document": dumps(document).decode()})

    async def try_later(self, cid: str, next_at: datetime, problem: str) -> None:
        """Note that a document was not found, or is none."""
        async with self.store.transaction() as transaction:
            await transaction.execute("metadata/postpone", {"cid": cid, "next_at": next_at, "problem": problem})
