"""A signed-in wallet says once that it is interested in a token without a registration."""

from tests.factories.events import log
from tests.factories.registrations import add_token, address
from tests.fixtures.alerts import BASE, OTHER, TOKEN, Watcher
from tests.fixtures.sign_in import new_wallet
from warehouse.domain.addresses import checksum_address


async def express(watcher: Watcher, **changes: str) -> tuple[int, dict[str, object]]:
    """Say it; the status and the answer."""
    body = {"chainId": BASE, "tokenAddress": OTHER, **changes}
    answer = await watcher.owner.service.anonymous.post("/api/v2/interest", json=body, headers=watcher.owner.headers)
    return answer.status_code, answer.json()


async def test_interest_is_recorded_once_for_a_wallet_and_token(watcher: Watcher) -> None:
    wallet = watcher.owner.wallet.address
    answers = [await express(watcher) for _ in range(3)]
    shown = {
        "chainId": BASE,
        "tokenAddress": checksum_address(OTHER),
        "symbol": "OTHER",
        "walletAddress": wallet,
    }
    assert answers == [(200, {**shown, "isNew": is_new}) for is_new in (True, False, False)]
    [event] = log(watcher.store, "interest.expressed")
    assert event["payload"] | {"timestamp": ""} == {
        "chain_id": 8453,
        "token_address": checksum_address(OTHER),
        "symbol": "OTHER",
        "wallet_address": wallet,
        "has_email": False,
        "timestamp": "",
    }
    assert event["account_id"] is None  # every subscriber is told


async def test_what_cannot_be_of_interest_is_refused(watcher: Watcher) -> None:
    for changes, status, code in (
        ({"tokenAddress": TOKEN}, 409, "TOKEN_REGISTERED"),
        ({"tokenAddress": address(0xDEAF)}, 404, "NOT_FOUND"),
        ({"chainId": "eip155:5"}, 400, "INVALID_REQUEST"),
        ({"tokenAddress": "PEPE"}, 400, "INVALID_REQUEST"),
        ({"walletAddress": new_wallet().address}, 403, "FORBIDDEN"),
    ):
        found, body = await express(watcher, **changes)
        assert (found, body["code"]) == (status, code), changes
    assert log(watcher.store, "interest.expressed") == []


async def test_an_account_names_twenty_tokens_a_day(watcher: Watcher) -> None:
    for number in range(21):
        add_token(watcher.store, address=address(0xF00 + number))
        status, body = await express(watcher, tokenAddress=address(0xF00 + number))
        assert (status, body.get("code")) == ((200, None) if number < 20 else (429, "RATE_LIMITED"))
        watcher.owner.clock.advance(seconds=1)
    assert len(log(watcher.store, "interest.expressed")) == 20
