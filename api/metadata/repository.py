"""The store's side of metadata: who keeps how much, which documents registrations wait for, and what they say."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from api.http.rendering import dumps
from warehouse.store import Row, Store

# An upload that a killed process had begun counts no longer than this.
_RESERVED = "interval '10 minutes'"
_LOCK = "SELECT id FROM account WHERE id = %(account)s FOR UPDATE"
_USED = f"""
SELECT COALESCE(sum(size_bytes) FILTER (WHERE cid <> %(cid)s), 0)::bigint AS others,
       COALESCE(bool_or(cid = %(cid)s), false) AS is_there
FROM metadata_upload
WHERE account_id = %(account)s AND (stored_at IS NOT NULL OR created_at > now() - {_RESERVED})
"""  # noqa: S608 - a constant
# Attempts at the same content share its row, and each is named in it: what a killed process left is forgotten when the
# reservation counts no longer.
_RESERVE = f"""
INSERT INTO metadata_upload AS kept (account_id, cid, media_type, size_bytes, attempts)
VALUES (%(account)s, %(cid)s, %(media_type)s, %(size)s, ARRAY[%(attempt)s])
ON CONFLICT (account_id, cid) DO UPDATE
SET created_at = now(),
    attempts = excluded.attempts
        || CASE WHEN kept.created_at > now() - {_RESERVED} THEN kept.attempts ELSE '{{}}' END
WHERE kept.stored_at IS NULL
"""  # noqa: S608
_STORED = """
INSERT INTO metadata_upload (account_id, cid, media_type, size_bytes, stored_at)
VALUES (%(account)s, %(cid)s, %(media_type)s, %(size)s, now())
ON CONFLICT (account_id, cid) DO UPDATE
SET stored_at = COALESCE(metadata_upload.stored_at, now()), attempts = '{}'
"""
# The room is given back by the last of the attempts that fail.
_WITHDRAW = """
UPDATE metadata_upload SET attempts = array_remove(attempts, %(attempt)s)
WHERE account_id = %(account)s AND cid = %(cid)s AND stored_at IS NULL
"""
_RELEASE = """
DELETE FROM metadata_upload WHERE account_id = %(account)s AND cid = %(cid)s AND stored_at IS NULL AND attempts = '{}'
"""
_KNOWN = "SELECT FROM metadata_upload WHERE cid = %(cid)s AND stored_at IS NOT NULL LIMIT 1"
_LOOK_AGAIN = "DELETE FROM metadata_search WHERE cid = %(cid)s"
_WANTED = """
SELECT DISTINCT registration.metadata_cid AS cid, COALESCE(search.attempts, 0) AS attempts
FROM registration
LEFT JOIN metadata_search AS search ON search.cid = registration.metadata_cid
WHERE registration.metadata IS NULL AND registration.metadata_cid <> ''
  AND (search.cid IS NULL OR search.next_at <= %(now)s)
ORDER BY attempts, cid
LIMIT %(most)s
"""
_FILL = """
UPDATE registration SET metadata = CAST(%(document)s AS jsonb), updated_at = now()
WHERE metadata_cid = %(cid)s AND metadata IS NULL
RETURNING chain_id, token_id, token_address
"""
_LATER = """
INSERT INTO metadata_search (cid, attempts, next_at, problem) VALUES (%(cid)s, 1, %(next_at)s, %(problem)s)
ON CONFLICT (cid) DO UPDATE
SET attempts = metadata_search.attempts + 1, next_at = excluded.next_at, problem = excluded.problem
"""


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
            await transaction.rows(_LOCK, {"account": upload.account})
            used = await transaction.row(_USED, {"account": upload.account, "cid": upload.cid})
            assert used is not None  # noqa: S101 - an aggregate
            if not used["is_there"] and used["others"] + upload.size > most_bytes:
                return int(used["others"])
            await transaction.execute(_RESERVE, upload.parameters())
        return None

    async def note_stored(self, upload: Upload) -> None:
        """Remember that it is kept, and look at once for what had not been found under its name."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_STORED, upload.parameters())
            await transaction.execute(_LOOK_AGAIN, {"cid": upload.cid})

    async def release(self, upload: Upload) -> None:
        """Give the room back: it is not kept. While another attempt at the same content goes on, it stays taken."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_WITHDRAW, upload.parameters())
            await transaction.execute(_RELEASE, upload.parameters())

    async def is_known(self, cid: str) -> bool:
        """Whether anyone uploaded it here."""
        return bool(await self.store.rows(_KNOWN, {"cid": cid}))

    async def wanted(self, now: datetime, most: int) -> list[Row]:
        """The documents that registrations name and that have not been read, with the attempts made: those that were
        tried least come first."""
        return await self.store.rows(_WANTED, {"now": now, "most": most})

    async def fill(self, cid: str, document: Mapping[str, Any]) -> list[Row]:
        """Give a document to all registrations that name it and have none; the answer is which."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_LOOK_AGAIN, {"cid": cid})
            return await transaction.rows(_FILL, {"cid": cid, "document": dumps(document).decode()})

    async def try_later(self, cid: str, next_at: datetime, problem: str) -> None:
        """Note that a document was not found, or is none."""
        async with self.store.transaction() as transaction:
            await transaction.execute(_LATER, {"cid": cid, "next_at": next_at, "problem": problem})
