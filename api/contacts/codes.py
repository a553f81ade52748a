"""Codes that confirm a contact. The store has only a keyed hash of a code, made with a key that it does not have."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from api.security.sealing import Sealer

VALID: Final = timedelta(minutes=15)
MOST_TRIES: Final = 5
DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class Codes:
    """Makes and checks codes, and marks addresses without showing them."""

    sealer: Sealer

    def make(self, contact_id: UUID) -> tuple[str, bytes]:
        """A new code, and what the store keeps of it."""
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        return code, self.sealer.sign(code.encode(), f"code:{contact_id}")

    def is_valid(
        self, contact_id: UUID, given: str, mac: bytes | None, ends_at: datetime | None, tries: int, now: datetime
    ) -> bool:
        """Whether a code is the one that was made, in time and not guessed too often before."""
        if mac is None or ends_at is None or now >= ends_at or tries >= MOST_TRIES:
            return False
        return self.sealer.is_signed(given.strip().encode(), mac, f"code:{contact_id}")

    def fingerprint(self, channel: str, address: str) -> bytes:
        """The same for the same address, whoever has it."""
        return self.sealer.sign(address.casefold().encode(), f"address:{channel}")
