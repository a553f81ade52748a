"""Notifications from PostgreSQL (LISTEN) that something was committed, over their own connection."""

import asyncio
import logging
from collections.abc import Callable

import psycopg
from psycopg import sql

from warehouse.postgres import CONNECT_SECONDS, plain_url

LOG = logging.getLogger(__name__)
_AGAIN_SECONDS = 1.0


async def listen(url: str, channel: str, notify: Callable[[str | None], None]) -> None:
    """Call ``notify`` with the payload of every notification until cancelled, and with None after each new connection,
    since what was said while there was none is lost. Who listens should look by itself now and then all the same.

    Args:
        channel: a name of lower-case letters.
    """
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(
                plain_url(url),
                autocommit=True,
                connect_timeout=CONNECT_SECONDS,
                application_name="regalia-listener",
                # A server that vanished from the network is noticed although nothing is sent to it.
                keepalives_idle=10,
                keepalives_interval=5,
                keepalives_count=3,
            ) as connection:
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
                notify(None)
                async for notification in connection.notifies():
                    notify(notification.payload)
        except psycopg.OperationalError as error:
            LOG.warning("no notifications of %s: %s", channel, error)
        await asyncio.sleep(_AGAIN_SECONDS)
