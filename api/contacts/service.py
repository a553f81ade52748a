"""The contacts of an account.

A contact is confirmed with a code that is sent to it; a browser's is confirmed by the browser, which asked its user
before it gave the address out. The job that sends a code is queued in the transaction that saves the contact, and makes
the code itself, so that no code is ever stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID, uuid4

from api.clock import Clock
from api.contacts.codes import Codes
from api.contacts.errors import AlreadyConfirmed, ChannelOff, CodeWrong, NoSuchContact, TooManyCodes
from api.contacts.repository import ContactRecord, ContactRepository
from api.contacts.schemas import Contact, ContactChannel, ContactList, ContactRemoved
from api.contacts.tasks import send_code
from api.http.errors import InvalidInput
from api.http.times import timestamp
from api.security.sealing import Sealer, Unsealable
from api.store.jobs import defer
from api.vendors.messages import AddressRefused, Channel, Vendor
from warehouse.store import Transaction

WAIT_SECONDS: Final = 3600


@dataclass(frozen=True, slots=True)
class Contacts:
    """See the module."""

    repository: ContactRepository
    vendors: Mapping[Channel, Vendor]
    sealer: Sealer
    clock: Clock
    codes: Codes = field(init=False)

    def __post_init__(self) -> None:
        """Codes are made with the same key."""
        object.__setattr__(self, "codes", Codes(self.sealer))

    async def listed(self, account_id: UUID) -> ContactList:
        """The account's contacts, and what channels there are."""
        push = self.vendors.get(Channel.PUSH)
        return ContactList(
            contacts=[self._wire(row) for row in await self.repository.listed(account_id)],
            channels=[
                ContactChannel(channel=channel, configured=channel is Channel.INAPP or channel in self.vendors)
                for channel in Channel
            ],
            push_key=getattr(push, "public_key", None),
        )

    async def replace(self, account_id: UUID, channel: Channel, text: str) -> Contact:
        """Save a contact in place of the account's other one on the channel, and have its code sent.

        Raises:
            ChannelOff, InvalidInput: there is no such address.
            TooManyCodes: nothing was saved.
        """
        vendor = self.vendors.get(channel)
        if vendor is None:
            raise ChannelOff
        try:
            address = vendor.read_address(text)
        except AddressRefused as error:
            raise InvalidInput("to", str(error)) from error
        now, id = self.clock.now(), uuid4()
        fingerprint = self.codes.fingerprint(channel, address)
        confirmed_at = now if channel is Channel.PUSH else None
        sealed = self.sealer.seal(address.encode(), str(id))
        async with self.repository.store.transaction() as transaction:
            await self.repository.lock(transaction, account_id, channel)
            await self.repository.replace(
                transaction,
                {
                    "id": id,
                    "account_id": account_id,
                    "channel": channel,
                    "sealed": sealed,
                    "fingerprint": fingerprint,
                    "now": now,
                    "confirmed_at": confirmed_at,
                },
            )
            if confirmed_at is None:
                await self._ask_code(transaction, account_id, id, fingerprint)
        return self._wire(ContactRecord(id, channel, sealed, now, confirmed_at, None))

    async def ask_code(self, account_id: UUID, channel: Channel) -> Contact:
        """Have another code sent.

        Raises:
            NoSuchContact, AlreadyConfirmed, TooManyCodes: none is sent.
        """
        async with self.repository.store.transaction() as transaction:
            row = await self.repository.lock(transaction, account_id, channel)
            if row is None:
                raise NoSuchContact
            if row.confirmed_at is not None:
                raise AlreadyConfirmed
            await self._ask_code(transaction, account_id, row.id, row.fingerprint)
        return self._wire(ContactRecord(row.id, channel, row.sealed, self.clock.now(), None, None))

    async def confirm(self, account_id: UUID, channel: Channel, code: str) -> Contact:
        """Confirm a contact with its code. A wrong code counts as a try.

        Raises:
            NoSuchContact, CodeWrong: it is not confirmed.
        """
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            row = await self.repository.lock(transaction, account_id, channel)
            if row is None:
                raise NoSuchContact
            if row.confirmed_at is not None:
                return self._wire(ContactRecord(row.id, channel, row.sealed, now, row.confirmed_at, None))
            valid = self.codes.is_valid(row.id, code, row.code_mac, row.code_ends_at, row.code_tries, now)
            if valid:
                await transaction.execute("contacts/confirm", {"id": row.id, "now": now})
            else:
                await transaction.execute("contacts/count_try", {"id": row.id})
        if not valid:  # after the try was counted
            raise CodeWrong
        return self._wire(ContactRecord(row.id, channel, row.sealed, now, now, None))

    async def remove(self, account_id: UUID, channel: Channel) -> ContactRemoved:
        """Forget a contact.

        Raises:
            NoSuchContact: there is none.
        """
        async with self.repository.store.transaction() as transaction:
            if not await self.repository.remove(transaction, account_id, channel):
                raise NoSuchContact
        return ContactRemoved(channel=channel, removed=True)

    async def _ask_code(self, transaction: Transaction, account_id: UUID, id: UUID, fingerprint: bytes) -> None:
        if not await self.repository.take_code(transaction, account_id, fingerprint, self.clock.now()):
            raise TooManyCodes(wait_seconds=WAIT_SECONDS)
        await defer(transaction, send_code, contact_id=str(id))

    def _wire(self, row: ContactRecord) -> Contact:
        return Contact(
            channel=row.channel,
            to=None if row.channel == Channel.PUSH else self._address(row),
            confirmed=row.confirmed_at is not None,
            confirmed_at=None if row.confirmed_at is None else timestamp(row.confirmed_at),
            failed_at=None if row.failed_at is None else timestamp(row.failed_at),
        )

    def _address(self, row: ContactRecord) -> str | None:
        try:
            return self.sealer.unseal(row.sealed, str(row.id)).decode()
        except Unsealable:
            return None
