"""A symbol is reserved for the challenger's token from the decision until seven days after the end."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from eth_account.signers.local import LocalAccount

from tests.fixtures.challenges import Contest
from tests.fixtures.claims import Claimer


async def build(contest: Contest, token: str, wallet: LocalAccount, symbol: str = "LUMEN") -> Any:
    return (await Claimer(contest.service, symbol, token, wallet.address).build("0x" + "00" * 32)).json()


async def set_state(contest: Contest, state: str, ended_at: datetime | None = None) -> None:
    assert (await contest.open()).status_code == 200
    contest.chain.store.execute("UPDATE registration_challenge SET state = %s, ended_at = %s", (state, ended_at))
    # As after the end: the registry no longer holds the symbol.
    contest.on_registry(contest.holder, "release", 1)
    contest.chain.store.execute("UPDATE registration SET expired_at = now()")


@pytest.mark.parametrize(("state", "days"), [("upheld", None), ("ended", 0), ("ended", 6.99)])
async def test_others_are_refused_while_it_lasts(contest: Contest, state: str, days: float | None) -> None:
    ended_at = None if days is None else datetime.now(UTC) - timedelta(days=days)
    await set_state(contest, state, ended_at)
    stranger = contest.chain.wallet()
    for symbol in ("LUMEN", "1UMEN"):  # the second reads the same
        token = contest.chain.token(stranger, symbol)
        contest.chain.publish_token(token, symbol)
        refused = await build(contest, token, stranger, symbol)
        assert (refused["code"], refused["check"]) == ("TOKEN_NOT_REGISTRABLE", "reserved_for_challenger")
        assert refused["claimability"]["original"]["tokenAddress"].lower() == contest.original
        assert ("until" in refused["error"]) == (state == "ended")
    own = await build(contest, contest.original, contest.wallet)
    assert own["code"] == "CLAIM_UNAUTHORIZED"  # only the proof is missing


@pytest.mark.parametrize(
    ("state", "days"),
    [("ended", 7.01), ("open", None), ("undecided", None), ("rejected", None), ("stopped", None), ("void", None)],
)
async def test_nobody_is_refused_otherwise(contest: Contest, state: str, days: float | None) -> None:
    ended_at = None if days is None else datetime.now(UTC) - timedelta(days=days)
    await set_state(contest, state, ended_at)
    stranger = contest.chain.wallet()
    token = contest.chain.token(stranger, "LUMEN")
    contest.chain.publish_token(token, "LUMEN")
    assert (await build(contest, token, stranger))["code"] == "CLAIM_UNAUTHORIZED"


async def test_check_qualify_agrees(contest: Contest) -> None:
    await set_state(contest, "upheld")
    stranger = contest.chain.wallet()
    token = contest.chain.token(stranger, "LUMEN")
    contest.chain.publish_token(token, "LUMEN")
    body = {"wallet": stranger.address, "tokenAddress": token, "chainId": 8453, "symbol": "LUMEN"}
    answer = (await contest.service.post("/registration/check-qualify", body)).json()
    assert (answer["reason"], answer["claimability"]["rule"]) == ("not_claimable", "reserved_for_challenger")
