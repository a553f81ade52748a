"""Rows of the store from which the token list is built."""

from typing import Any

from tests.factories.registrations import LONG_AGO, add_registration, add_token, address, scored
from tests.fixtures.service import Service
from warehouse import sql
from warehouse.postgres import Connection


def add_listed(store: Connection, symbol: str, number: int, *, score: str = "90", **changes: Any) -> str:
    """Add a registered token that the list includes. Returns its address."""
    place = address(0x70000 + number)
    about_token = {name: changes.pop(name) for name in ("decimals", "name") if name in changes}
    chain = {"chain_id": changes["chain_id"]} if "chain_id" in changes else {}
    add_token(store, symbol, address=place, **{"decimals": 18, **scored(score), **chain, **about_token})
    row = {"token_id": number, "is_final": True, "log_index": number, "minted_at": LONG_AGO, **changes}
    add_registration(store, symbol, token_address=place, **row)
    return place


def publish_list(store: Connection) -> dict[str, Any] | None:
    """Publish the token list as the pipelines do; the version that was made, if one was."""
    parameters = {"grace_days": 30, "inactive_below": 60}
    return store.execute(sql.load("store/tokenlists/publish").encode(), parameters).fetchone()


async def publish_and_read(store: Connection, service: Service) -> None:
    """Publish the token list, and let a running service read it: at its start it read the version before."""
    publish_list(store)
    await service.services.token_list.warm()
