"""Access to routes that need no credential, counted by client address.

The route group says which limit applies: ``Quota.ADDRESS``, or ``Quota.ADDRESS_HOLDINGS`` for reads of holdings, each
of which asks a chain. Answers carry no limit headers unless a limit was exceeded, because shared caches keep them.
"""

from typing import Annotated

from fastapi import Depends, Request

from api.security.access import declares_access
from api.security.credentials import count_address


async def ask_public_read(request: Request) -> None:
    """Count the client's address, once a request; 429 when it asked too often."""
    await count_address(request)


@declares_access("public, by address", ask_public_read)
async def allow_public_read(request: Request) -> None:
    """See :func:`ask_public_read`."""
    await ask_public_read(request)


PublicRead = Annotated[None, Depends(allow_public_read)]
