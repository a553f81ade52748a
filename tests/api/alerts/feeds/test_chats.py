"""Chats are told of each buy once, by any number of workers."""

import asyncio

from api.alerts.feeds.chats import feed_engine
from tests.api.alerts.feeds.conftest import Trades
from tests.fixtures.messages import VendorServer

ROOM = "-100200300"


async def test_a_chat_is_told_once_of_each_buy(trades: Trades, vendor_server: VendorServer) -> None:
    trades.buy(9)  # before there is a feed
    store = trades.ledger.store
    hook = f"{vendor_server.url}/api/webhooks/{'1' * 18}/{'t' * 60}"
    await trades.made(chat={"channel": "telegram", "to": ROOM})
    await trades.made(chat={"channel": "discord", "to": hook}, minUsd=None, minAmountRaw=str(3_000 * 10**18))
    services = trades.owner.service.services
    trades.buy(1, 2, 3)
    workers = [feed_engine(services) for _ in range(3)]
    await asyncio.gather(*(worker.run_until_idle() for worker in workers))
    trades.owner.clock.advance(seconds=60)  # a channel's rate
    await workers[0].run_until_idle()
    texts = sorted(one.json["text"] for one in vendor_server.at("sendMessage"))
    assert [text.splitlines()[0] for text in texts] == ["PEPE: buy for 4,000.00 USD", "PEPE: buy for 6,000.00 USD"]
    assert "2000 PEPE for 4,000.00 USD by 0x" in texts[0]
    assert "Sent by a feed of buys." in texts[0]
    [posted] = vendor_server.at("/api/webhooks/")
    assert posted.json["allowed_mentions"] == {"parse": []}
    # A step that another worker has made changes nothing.
    store.execute("UPDATE alert_feed_progress SET block_number = block_number - 6")
    await workers[1].run_until_idle()
    assert len(vendor_server.posted) == 3
    # No more than a hundred wait for a chat, and none is sent after its feed is deleted.
    store.execute("DELETE FROM alert_feed")
    trades.buy(4)
    await workers[0].run_until_idle()
    assert len(vendor_server.posted) == 3
