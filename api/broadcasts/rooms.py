"""A token's public rooms on Telegram and Discord."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import uuid4

from api.broadcasts.errors import NoSuchRoom
from api.broadcasts.repository import Page
from api.broadcasts.schemas import Room
from api.clock import Clock
from api.contacts.errors import ChannelOff
from api.http.errors import InvalidInput
from api.security.sealing import Sealer
from api.vendors.messages import AddressRefused, Channel, Vendor
from warehouse.store import Store


@dataclass(frozen=True, slots=True)
class Rooms:
    """Connects rooms and forgets them. Addresses are sealed with the row's id as purpose."""

    store: Store
    vendors: Mapping[Channel, Vendor]
    sealer: Sealer
    clock: Clock

    async def connect(self, page: Page, channel: Channel, text: str) -> Room:
        """Save a room in place of the page's other one on the channel.

        Raises:
            ChannelOff, InvalidInput: there is no such room.
        """
        vendor = self.vendors.get(channel)
        if vendor is None:
            raise ChannelOff
        try:
            address = vendor.read_address(text)
        except AddressRefused as error:
            raise InvalidInput("to", str(error)) from error
        if channel is Channel.DISCORD and not address.startswith("http"):
            raise InvalidInput("to", "must be the URL of the room's webhook")
        if channel is Channel.TELEGRAM and not address.startswith("-"):
            raise InvalidInput("to", "must be the id of a group or channel, which begins with -")
        id = uuid4()
        async with self.store.transaction() as transaction:
            await transaction.execute(
                "broadcasts/save_room",
                {
                    **page.token_key,
                    "channel": channel,
                    "id": id,
                    "sealed": self.sealer.seal(address.encode(), str(id)),
                    "now": self.clock.now(),
                },
            )
        return Room(chain_id=page.chain_id, token_id=page.token_id, channel=channel, connected=True)

    async def disconnect(self, page: Page, channel: Channel) -> Room:
        """Forget a room.

        Raises:
            NoSuchRoom: there is none.
        """
        async with self.store.transaction() as transaction:
            if not await transaction.execute("broadcasts/remove_room", {**page.key, "channel": channel}):
                raise NoSuchRoom
        return Room(chain_id=page.chain_id, token_id=page.token_id, channel=channel, connected=False)
