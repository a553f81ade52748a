"""Encrypting what the store keeps with the present key, after a rotation.

Rows go by their id in batches. A batch is one transaction, and a row is replaced only while it is what was read, so
what changes meanwhile is left as it is. What the present key encrypted is not looked at: after a kill the next run goes
on with the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from api.contacts.codes import Codes
from api.security.sealing import Sealer, Unsealable
from api.vendors.messages import Channel
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class SealedRow:
    """Something encrypted, and what it is bound to. ``channel``: of a contact."""

    id: UUID
    sealed: bytes
    purpose: str
    channel: Channel | None


@dataclass(frozen=True, slots=True)
class Kind:
    """A table with encrypted rows: its name for operators, and the statements that read and replace them."""

    name: str
    listed: str
    updated: str


KINDS: Final = (
    Kind("contacts", "sealing/list_contacts", "sealing/update_contacts"),
    Kind("rooms", "sealing/list_rooms", "sealing/update_rooms"),
    Kind("webhook secrets", "sealing/list_webhook_secrets", "sealing/update_webhook_secrets"),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was found that another key encrypted, and what was done with it."""

    kind: str
    found: int
    reencrypted: int = 0
    unreadable: int = 0


@dataclass(frozen=True, slots=True)
class Reencryption:
    """See the module."""

    store: Store
    sealer: Sealer
    batch: int = 500

    async def count(self) -> list[Outcome]:
        """How much another key encrypted."""
        rows = await self.store.rows("sealing/count_old", {"mark": self.sealer.mark})
        found = {row["kind"]: row["n"] for row in rows}
        return [Outcome(kind.name, found[kind.name]) for kind in KINDS]

    async def run(self, advance: Callable[[str, int], object]) -> list[Outcome]:
        """Encrypt it with the present key.

        Args:
            advance: is told the kind and the number of rows after each batch.
        """
        return [await self._run(kind, advance) for kind in KINDS]

    async def _run(self, kind: Kind, advance: Callable[[str, int], object]) -> Outcome:
        found = reencrypted = unreadable = 0
        after: UUID | None = None
        while True:
            parameters = {"after": after, "mark": self.sealer.mark, "limit": self.batch}
            rows = await self.store.rows(kind.listed, parameters, SealedRow)
            if not rows:
                return Outcome(kind.name, found, reencrypted, unreadable)
            plain = self._unsealed(rows)
            reencrypted += await self._replace(kind, plain)
            found, unreadable, after = found + len(rows), unreadable + len(rows) - len(plain), rows[-1].id
            advance(kind.name, len(rows))

    def _unsealed(self, rows: Sequence[SealedRow]) -> list[tuple[SealedRow, bytes]]:
        """The rows that can be decrypted, with their secrets."""
        found = []
        for row in rows:
            try:
                found.append((row, self.sealer.unseal(row.sealed, row.purpose)))
            except Unsealable:
                continue
        return found

    async def _replace(self, kind: Kind, plain: Sequence[tuple[SealedRow, bytes]]) -> int:
        codes = Codes(self.sealer)
        parameters = {
            "ids": [row.id for row, _ in plain],
            "old": [row.sealed for row, _ in plain],
            "new": [self.sealer.seal(secret, row.purpose) for row, secret in plain],
            # The mark of a contact's address is made with the key, too.
            "fingerprints": [
                None if row.channel is None else codes.fingerprint(row.channel, secret.decode())
                for row, secret in plain
            ],
        }
        async with self.store.transaction() as transaction:
            return await transaction.execute(kind.updated, parameters)
