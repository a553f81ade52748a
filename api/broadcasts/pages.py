"""Which page a broadcast route means, and who may act for it."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Query

from api.broadcasts.errors import NoSuchPage
from api.broadcasts.repository import BroadcastRepository, Page
from api.http.dependencies import ChainsDep, StoreDep
from api.http.errors import InvalidInput, raises
from api.http.fields import read_chain
from api.pages.authority import NotAManager
from api.security.access import Session, with_scope
from api.security.callers import WalletSession
from warehouse.domain.chains import Chains
from warehouse.domain.registrations import MAX_TOKEN_ID
from warehouse.store import Store

TokenIdPath = Annotated[
    int, Path(alias="id", ge=1, le=MAX_TOKEN_ID, description="The page's numeric token id.", examples=[7])
]
CrownChain = Annotated[
    str | None,
    Query(
        alias="crownChain",
        pattern="^[a-z0-9-]{1,32}$",
        description="Chain of the page; needed where the id exists on several chains.",
        examples=["base"],
    ),
]


@dataclass(frozen=True, slots=True)
class PageSender:
    """A page, and the session that acts for it."""

    page: Page
    session: WalletSession


async def find_page(store: Store, chains: Chains, token_id: int, crown_chain: str | None) -> Page:
    """The page with an id, on the chain if one is named.

    Raises:
        NoSuchPage: there is none.
        InvalidInput: there is one on several chains and none is named, or the chain is not served.
    """
    chain_id = None if crown_chain is None else read_chain(chains, crown_chain, "crownChain").chain_id
    found = await BroadcastRepository(store).named(token_id, chain_id)
    if not found:
        raise NoSuchPage(f"id: no registration {token_id}")
    if len(found) > 1:
        raise InvalidInput("crownChain", f"is needed: the id {token_id} exists on {len(found)} chains")
    return found[0]


@raises(InvalidInput, NoSuchPage, NotAManager)
async def _managed_page(
    session: Session, store: StoreDep, chains: ChainsDep, token_id: TokenIdPath, crown_chain: CrownChain = None
) -> PageSender:
    page = await find_page(store, chains, token_id, crown_chain)
    return require_manager(page, session)


def require_manager(page: Page, session: WalletSession) -> PageSender:
    """The page for a session of its owner or a manager.

    Raises:
        NotAManager: the session has no such wallet, or the registration has ended.
    """
    acting = (wallet for wallet in session.wallets if session.controls(wallet, page.chain_id))
    if not any(page.may_send(wallet) for wallet in acting):
        raise NotAManager
    return PageSender(page, session)


@raises(InvalidInput, NoSuchPage, NotAManager)
async def _changed_page(
    session: Annotated[WalletSession, with_scope("api:write")],
    store: StoreDep,
    chains: ChainsDep,
    token_id: TokenIdPath,
    crown_chain: CrownChain = None,
) -> PageSender:
    return require_manager(await find_page(store, chains, token_id, crown_chain), session)


ChangedPage = Annotated[PageSender, Depends(_changed_page)]
"""The same for routes that change something: the session needs the scope ``api:write``."""
ManagedPage = Annotated[PageSender, Depends(_managed_page)]
"""For reads: the page of the path, for its owner and managers."""
