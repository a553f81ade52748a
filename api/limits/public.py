"""Access to routes that need no credential, counted by client address.

    PublicRead      so many requests a minute
    PublicHolding   fewer, within those: reads of holdings, each of which asks a chain

Answers say nothing of these limits unless one was exceeded: they are kept by caches that many clients share.
"""

from typing import Annotated

from fastapi import Depends, Request

from api.security.access import declares_access
from api.security.credentials import count_address


async def ask_public_read(request: Request) -> None:
    """Nobody is asked for a credential; the address is counted, once a request: 429 where it asked too often."""
    await count_address(request)


async def ask_public_holding(request: Request) -> None:
    """As :func:`ask_public_read`, and counted as a read of holdings besides."""
    await count_address(request, holdings=True)


@declares_access("public, by address", ask_public_read)
async def allow_public_read(request: Request) -> None:
    """See :func:`ask_public_read`."""
    await ask_public_read(request)


@declares_access("public, holdings by address", ask_public_holding)
async def allow_public_holding(request: Request) -> None:
    """See :func:`ask_public_holding`."""
    await ask_public_holding(request)


PublicRead = Annotated[None, Depends(allow_public_read)]
PublicHolding = Annotated[None, Depends(allow_public_holding)]
