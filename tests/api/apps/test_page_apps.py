"""The apps of a page, as its owner chooses them and as the public sees them."""

from tests.factories.registrations import BASE
from tests.fixtures.pages import Owners

CARD, CHECK, SITES = "regalia/market-card", "regalia/holder-check", "regalia/verified-sites"


async def test_the_owner_chooses_orders_and_disables_apps(owners: Owners) -> None:
    page = await owners.page()
    empty = await page.ask_json("GET", "/apps")
    assert (empty["apps"], [app["id"] for app in empty["available"]]) == ([], [CHECK, CARD, SITES])

    async def shown() -> list[str]:
        return [app["id"] for app in (await page.public("/coins/base/PEPE/apps"))["apps"]]

    chosen = {"apps": [{"id": CHECK}, {"id": SITES, "enabled": False}, {"id": CARD}]}
    chosen_apps = await page.ask_json("PUT", "/apps", chosen)
    assert [(app["id"], app["enabled"], app["public"], app["app"]["firstParty"]) for app in chosen_apps["apps"]] == [
        (CHECK, True, True, True), (SITES, False, False, True), (CARD, True, True, True),
    ]  # fmt: skip
    assert (chosen_apps["available"], await shown()) == ([], [CHECK, CARD])
    assert await page.ask_json("PUT", "/apps", chosen) == chosen_apps

    reordered = await page.ask_json("PUT", "/apps", {"apps": [{"id": CARD}, {"id": SITES}]})
    assert [app["id"] for app in reordered["available"]] == [CHECK]
    assert reordered["apps"][0]["installedAt"] == chosen_apps["apps"][2]["installedAt"]
    assert await shown() == [CARD, SITES]

    owners.store.execute(
        "INSERT INTO page_app (chain_id, token_id, app_id, position) VALUES (%s, 7, 'studio/gone', 9)", (BASE,)
    )
    gone = (await page.ask_json("PUT", "/apps", {"apps": [{"id": "studio/gone"}, {"id": CARD}]}))["apps"][0]
    assert (gone["public"], gone["app"], await shown()) == (False, None, [CARD])

    for body, field in (
        ({"apps": [{"id": "studio/other"}]}, "apps.0.id"), ({"apps": [{"id": CARD}, {"id": CARD}]}, "apps.1.id"),
        ({"apps": [{"id": CARD, "settings": {}}]}, "apps.0.settings"), ({}, "apps"),
        ({"apps": [{"id": 1}]}, "apps.0.id"),
        ({"apps": [{"id": f"a/{number}"} for number in range(51)]}, "apps"),
    ):  # fmt: skip
        refused = await page.ask("PUT", "/apps", body)
        assert (refused.status_code, refused.json()["error"].partition(":")[0]) == (400, field), body
    assert await shown() == [CARD]
