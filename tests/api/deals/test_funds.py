"""Checks of funds on a real chain: what suffices, what is attested, and what is unknown."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api.accounts.service import Accounts
from api.deals.currencies import Currency
from api.deals.funds import Asked
from api.http.errors import InvalidInput
from indexer.devchain import artifacts
from tests.fixtures.deals import DOLLAR, USDT, Market

DOCUMENT = (Path(__file__).parents[3] / "docs" / "deals.md").read_text()


def price(market: Market, usd: int, age_hours: int = 0) -> None:
    """Publish the price of ether, as the pipelines do."""
    market.store.execute(
        "INSERT INTO native_price (chain_id, price_usd, source, as_of_block, as_of_time)"
        " VALUES (8453, %s, 'test', 1, %s - make_interval(hours => %s))",
        (usd, market.clock.now(), age_hours),
    )


async def test_a_balance_that_suffices_is_attested(market: Market) -> None:
    trader = market.trader(usdc=25_000)
    answer = (await trader.verify(25_000)).json()
    assert (answer["verified"], answer["requiredPct"]) == (True, 100)
    assert answer["balance"] == answer["requiredAmount"] == str(25_000 * DOLLAR)
    assert "shortfall" not in answer
    short = (await trader.verify(25_000.000001)).json()
    assert (short["verified"], short["shortfall"], "attestation" in short) == (False, "1", False)


async def test_the_documented_script_verifies_an_attestation(market: Market, tmp_path: Path) -> None:
    trader = market.trader()
    attestation = (await trader.verify(25_000)).json()["attestation"]
    signer = market.service.services.signer.address
    scripts = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    script = next(one for one in scripts if "attestation.json" in one)
    run = script.replace('"attestation.json"', repr(str(tmp_path / "attestation.json")))
    for changed in (False, True):
        if changed:
            attestation["statement"]["message"]["requiredAmount"] += "0"
        (tmp_path / "attestation.json").write_text(json.dumps(attestation))
        found: dict[str, Any] = {}
        exec(compile(run, "docs/deals.md", "exec"), found)
        assert (found["signed_by"] == signer) is not changed
    message = attestation["statement"]["message"]
    assert (message["wallet"], message["currency"]) == (trader.address, market.usdc)
    assert "balance" not in str(attestation["statement"]).lower()


async def test_partners_show_four_fifths(market: Market, store_url: str) -> None:
    trader = market.trader(usdc=20_000)
    await trader.headers()
    assert (await trader.verify(25_000)).json()["verified"] is False
    Accounts(store_url).set_plan(trader.address, "partner")
    trader._until = None
    answer = (await trader.verify(25_000)).json()
    assert (answer["verified"], answer["requiredPct"], answer["requiredAmount"]) == (True, 80, str(20_000 * DOLLAR))
    await market.holder()
    made = (await trader.offer()).json()["deal"]
    assert made["fund_verification_pct"] == 80
    assert (await trader.verify(25_000.00001)).json()["verified"] is False


async def test_ether_is_taken_where_it_is_the_coin(market: Market) -> None:
    price(market, 2500)
    holder, trader = await market.holder(), market.trader()
    assert (await trader.verify(50, "ETH")).json()["verified"] is True
    made = await trader.offer(agreed_amount="50", agreed_currency="eth")
    assert (made.status_code, made.json()["deal"]["agreed_currency"]) == (200, "ETH"), made.text
    answer = await trader.verify(50, "ETH", chainId=100)
    assert (answer.status_code, answer.json()["error"][:8]) == (400, "currency")
    assert holder.address


async def test_an_old_price_is_none(market: Market) -> None:
    price(market, 2500, age_hours=25)
    await market.holder()
    answer = await market.trader().offer(agreed_amount="50", agreed_currency="ETH")
    assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")
    assert (await market.outsider("/deals/prices")).json() == {"ETH": None, "SOL": None, "USDC": 1, "USDT": 1}


async def test_a_node_that_does_not_answer_is_never_insufficient(market: Market) -> None:
    trader = market.trader()
    # Gnosis has a node that nobody answers at.
    answer = await trader.verify(10, "USDC", chainId=100)
    assert (answer.status_code, answer.json()["code"]) == (503, "PROVIDER_UNAVAILABLE"), answer.text
    assert "Retry-After" in answer.headers
    assert market.store.execute("SELECT 1 FROM deal_funds_check").fetchall() == []
    gone = await trader.verify(10, "USDT")
    assert (gone.status_code, gone.json()["error"][:8]) == (400, "currency"), USDT


async def test_a_check_covers_its_wallet_currency_amount_and_hour(market: Market) -> None:
    await market.holder()
    trader = market.trader()
    assert (await trader.offer()).status_code == 402
    await trader.verify(24_999.99)
    assert (await trader.offer()).status_code == 402
    await trader.verify()
    assert (await trader.offer(agreed_currency="USDT")).status_code == 402
    other = market.trader()
    assert (await other.offer()).status_code == 402
    market.clock.advance(minutes=59)
    assert (await trader.offer()).status_code == 200
    market.clock.advance(minutes=2)
    assert (await trader.offer()).status_code == 402


async def test_a_merge_needs_no_check_and_a_collab_its_commitment(market: Market) -> None:
    await market.holder()
    trader = market.trader(usdc=5_000)
    free = {"agreed_amount": None, "agreed_currency": None}
    merge = await trader.offer(deal_type="merge", migration_terms={"swapWindow": 30}, **free)
    assert merge.status_code == 200, merge.text
    terms = {"proposedSymbol": "BOTH", "partnerShareBps": 1, "liquidityCommitmentUsd": 5000}
    assert (await trader.offer(deal_type="collab", collab_terms=terms, **free)).status_code == 402
    await trader.verify(5_000)
    made = await trader.offer(deal_type="collab", collab_terms=terms, **free)
    assert made.status_code == 200, made.text
    low = await trader.offer(deal_type="collab", collab_terms={**terms, "liquidityCommitmentUsd": 999.99}, **free)
    assert low.json()["error"].startswith("collab_terms.liquidityCommitmentUsd")


async def test_a_party_files_a_new_check_and_both_see_the_timeline(market: Market) -> None:
    holder, offerer, stranger = await market.holder(), market.trader(usdc=25_000), market.trader()
    id = await offerer.offered()
    spent = artifacts.load("PlainToken").call("transfer", holder.address, 5_000 * DOLLAR)
    market.send(offerer.wallet, market.usdc, spent)
    body = {"walletAddress": offerer.address, "currency": "USDC", "offerAmount": 25_000, "chainId": 8453}
    filed = await offerer.ask("POST", f"/{id}/reverify-funds", body)
    assert (filed.status_code, filed.json()["verified"]) == (200, False), filed.text
    for trader in (holder, offerer):
        seen = await trader.read(id)
        assert seen["fund_verification_pct"] == 80
        (check,) = (await trader.ask("GET", f"/{id}/funds")).json()["checks"]
        assert (check["fundedPct"], check["verified"], check["walletAddress"]) == (80, False, offerer.address)
    refused = await stranger.ask("POST", f"/{id}/reverify-funds", {**body, "walletAddress": stranger.address})
    assert refused.status_code == 403
    wrong = await offerer.ask("POST", f"/{id}/reverify-funds", {**body, "currency": "USDT"})
    assert wrong.status_code == 400


async def test_a_wallet_of_another_session_shows_nothing(market: Market) -> None:
    rich, poor = market.trader(), market.trader(usdc=0)
    assert (await poor.verify(walletAddress=rich.address)).status_code == 403
    for wrong in ("25000", True, 0, -1, None):
        answer = await poor.verify(wrong)
        assert (answer.status_code, answer.json()["error"][:11]) == (400, "offerAmount"), wrong


async def test_amounts_lose_no_digit_on_the_way(market: Market) -> None:
    trader = market.trader(usdc=0)
    fields = f'"walletAddress": "{trader.address}", "currency": "USDC", "offerAmount": 9007199254.740993'
    body = f'{{{fields}, "chainId": 8453}}'
    headers = {**await trader.headers(), "Content-Type": "application/json"}
    answer = await market.service.anonymous.post("/api/v2/deals/verify-funds", content=body, headers=headers)
    assert answer.json()["requiredAmount"] == "9007199254740993"


@given(st.decimals(min_value="0.000000000000000001", max_value=10**12, places=18), st.integers(0, 18))
def test_base_units_are_exact_or_refused(amount: Any, decimals: int) -> None:
    currency = Currency("X", "0x", decimals, None)
    try:
        raw = currency.in_base_units("amount", amount)
    except InvalidInput:
        assert (Fraction(amount) * 10**decimals).denominator != 1
    else:
        assert raw == Fraction(amount) * 10**decimals


@given(st.integers(1, 10**30), st.sampled_from(["free", "partner"]))
def test_what_is_required_is_rounded_up(amount: int, plan: str) -> None:
    asked = Asked(None, plan, "", None, None, amount)  # type: ignore[arg-type]
    assert asked.required_raw * 100 >= amount * asked.required_percent > (asked.required_raw - 1) * 100
