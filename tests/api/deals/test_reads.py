"""Lists, previews and prices."""

from tests.fixtures.deals import Market


async def test_lists_page_and_filter(market: Market) -> None:
    holder, offerer = await market.holder(), market.trader()
    ids = [await offerer.offered() for _ in range(3)]
    await holder.moved("reject", ids[0])
    page = (await market.outsider("/deals/symbol/pepe", limit=2)).json()
    assert ([deal["id"] for deal in page["deals"]], page["total"]) == ([ids[2], ids[1]], 3)
    page = (await market.outsider("/deals/symbol/pepe", limit=2, offset=2, chainId="base")).json()
    assert ([deal["id"] for deal in page["deals"]], page["total"], page["chainId"]) == ([ids[0]], 3, 8453)
    beyond = (await market.outsider("/deals/symbol/pepe", offset=9)).json()
    assert (beyond["deals"], beyond["total"]) == ([], 3)
    assert (await market.outsider("/deals/symbol/pepe", chainId="gnosis")).json()["total"] == 0
    own = (await offerer.ask("GET", "/mine", status="draft")).json()
    assert ([deal["id"] for deal in own["deals"]], own["status"]) == ([ids[2], ids[1]], "draft")
    assert (await offerer.ask("GET", "/mine", deal_type="merge")).json()["total"] == 0
    for name in ("status", "deal_type"):
        answer = await offerer.ask("GET", "/mine", **{name: "nonsense"})
        assert (answer.status_code, answer.json()["code"]) == (400, "VALIDATION_INVALID_INPUT")


async def test_an_offer_waits_for_the_wallet_that_has_the_registration(market: Market) -> None:
    holder, offerer, heir = await market.holder(), market.trader(), market.trader(usdc=0)
    id = await offerer.offered()
    market.store.execute("UPDATE registration SET owner = %s", (heir.address.lower(),))
    for trader, total in ((holder, 0), (heir, 1)):
        assert (await trader.ask("GET", "/mine")).json()["total"] == total
        listed = (await market.outsider(f"/deals/address/{trader.address}")).json()
        assert listed["total"] == total
    (row,) = listed["deals"]
    assert (row["id"], row["crown_holder"]) == (id, heir.address)
    assert "crown_holder" not in (await market.outsider(f"/deals/address/{offerer.address}")).json()["deals"][0]


async def test_ids_of_registrations_count_per_chain(market: Market) -> None:
    await market.holder("PEPE", token_id=7)
    offerer = market.trader()
    other = market.trader(usdc=0)
    market.register("PEPE", other, token_id=7, chain_id=100)
    await offerer.offered()
    assert (await market.outsider("/registration/7/deals", chain="base")).json()["total"] == 1
    page = (await market.outsider("/registration/7/deals", chain="gnosis")).json()
    assert (page["total"], page["tokenId"], page["symbol"], page["chainId"]) == (0, 7, "PEPE", 100)
    missing = await market.outsider("/registration/8/deals", chain="base")
    assert (missing.status_code, missing.json()["code"]) == (404, "VALIDATION_INVALID_INPUT")


async def test_a_preview_says_what_an_offer_is_worth(market: Market) -> None:
    preview = (await market.outsider("/deals/fee-preview", dealValue=250_000_000)).json()
    assert preview == {
        "minimumOffer": 100_000_000, "dealValueUsd": 250_000_000, "currency": "USDC", "facilitationFee": 0,
        "effectiveRate": 0,
    }  # fmt: skip
    sized = await market.outsider("/deals/fee-preview", dealValue=250_000_000, mcapEstimate=25_000_000_000)
    assert (sized.json()["minimumOffer"], sized.json()["mcapEstimate"]) == (250_000_000, 25_000_000_000)
    for wrong in (
        {"dealValue": 99_999_999}, {"dealValue": 0}, {}, {"dealValue": 250_000_000, "mcapEstimate": 25_000_000_100},
        {"dealValue": 250_000_000, "currency": "ETH"}, {"dealValue": 250_000_000, "currency": "0x" + "12" * 20},
    ):  # fmt: skip
        assert (await market.outsider("/deals/fee-preview", **wrong)).status_code == 400, wrong


async def test_limits_are_settings(market: Market) -> None:
    assert (await market.outsider("/deals/limits")).json() == {"collabMinLiquidityUsd": 1000, "minOfferUsd": 100}


async def test_an_offer_is_shown_beside_completed_deals_of_like_size_and_age(market: Market) -> None:
    await market.holder()
    offerer = market.trader()
    ids = [await offerer.offered() for _ in range(6)]
    wanted, like, larger, older, open_one, unknown = ids
    for id, cap, days, status in (
        (wanted, 100, 100, "draft"), (like, 250, 60, "completed"), (larger, 301, 100, "completed"),
        (older, 100, 301, "completed"), (open_one, 100, 100, "cancelled"), (unknown, None, 100, "completed"),
    ):  # fmt: skip
        market.store.execute(
            "UPDATE deal SET market_cap_usd = %s, minted_at = created_at - make_interval(days => %s), status = %s,"
            " completed_at = created_at WHERE id = %s",
            (cap, days, status, id),
        )
    found = (await market.outsider(f"/deals/{wanted}/comparables")).json()["comparables"]
    assert [(one["dealId"], one["amountUsd"], one["ageDays"]) for one in found] == [(like, 25000, 60)]
    assert (await market.outsider(f"/deals/{unknown}/comparables")).json()["comparables"] == []
