"""A feed as server-sent events (WHATWG HTML, 9.2). The id of an event is the place of its buy on the chain:
``<block>:<log index>``. A client that sends it as ``Last-Event-ID`` gets what came after it, and nothing twice."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Final

from api.alerts.feeds.hub import BuyHub, Listener
from api.alerts.feeds.schemas import FeedBuy
from api.http.errors import InvalidInput
from api.http.rendering import dumps
from api.http.times import timestamp
from warehouse.domain.addresses import address_text, hash_text
from warehouse.domain.chains import Chain
from warehouse.readers.buys import Buy

HEARTBEAT_SECONDS: Final = 15.0
STREAM_SECONDS: Final = 15 * 60.0
"""How long a stream lasts: a client that comes back is checked again."""
RETRY_MILLISECONDS: Final = 3_000
_PLACE: Final = re.compile(r"([0-9]{1,18}):([0-9]{1,9})")


def read_place(text: str | None) -> tuple[int, int] | None:
    """The place that a client has read through; None: it begins now.

    Raises:
        InvalidInput: it is not one.
    """
    if not text:
        return None
    found = _PLACE.fullmatch(text)
    if found is None:
        raise InvalidInput("Last-Event-ID", "must be the id of an event of this stream, such as 21000000:14")
    return int(found[1]), int(found[2])


async def events(hub: BuyHub, listener: Listener, chain: Chain) -> AsyncIterator[bytes]:
    """The text of a stream, until it is over, its client does not read, or the service stops."""
    clock = asyncio.get_running_loop().time
    ends = clock() + STREAM_SECONDS
    try:
        yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        if listener.gap:
            yield b"event: gap\ndata: {}\n\n"
        while (left := ends - clock()) > 0:
            try:
                async with asyncio.timeout(min(HEARTBEAT_SECONDS, left)):
                    buy = await listener.waiting.get()
            except TimeoutError:
                yield b": alive\n\n"
                continue
            if buy is None:
                return
            yield _event(buy, listener, chain)
    finally:
        hub.leave(listener)


def _event(buy: Buy, listener: Listener, chain: Chain) -> bytes:
    data = dumps(rendered(buy, str(listener.feed.id), chain).model_dump(by_alias=True))
    return b"id: %d:%d\nevent: buy\ndata: %s\n\n" % (*buy.place, data)


def rendered(buy: Buy, feed_id: str, chain: Chain) -> FeedBuy:
    """A buy as a stream has it."""
    return FeedBuy(
        feed_id=feed_id,
        chain_id=chain.caip2,
        token_address=address_text(buy.token),
        transaction_hash=hash_text(buy.transaction, chain.address_format),
        block_number=buy.block_number,
        log_index=buy.log_index,
        timestamp=timestamp(buy.at),
        buyer=address_text(buy.buyer) if buy.buyer else None,
        amount_raw=str(buy.amount_raw),
        amount_usd=buy.usd,
    )
