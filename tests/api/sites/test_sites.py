"""The sites of a page, as its owner sets them and as the public sees them."""

from typing import Any

from tests.factories.registrations import BASE
from tests.fixtures.pages import Owners


async def test_hosts_and_interactivity_are_set_and_read(owners: Owners) -> None:
    page = await owners.page()
    for domain, verified in (("pepe.example", True), ("shop.pepe.example", True), ("later.example", False)):
        owners.store.execute(
            "INSERT INTO registration_domain (chain_id, token_id, domain, challenge, verified_at)"
            " VALUES (%s, 7, %s, '', CASE WHEN %s THEN now() END)",
            (BASE, domain, verified),
        )
    both = ["pepe.example", "shop.pepe.example"]
    assert await page.ask_json("GET", "/sites") == {
        "badgeHosts": both, "embedHosts": [], "embedsEnabled": True, "interactive": False, "verifiedDomains": both,
    }  # fmt: skip

    async def shown() -> tuple[Any, ...]:
        found = await page.public("/crowns/base/7/sites")
        return found["badgeHosts"], found["embedHosts"], found["interactive"]

    assert (await page.ask_json("PATCH", "/sites", {"embedHosts": ["SHOP.pepe.example"]}))["interactive"] is True
    assert await shown() == (both, ["shop.pepe.example"], True)
    assert (await page.ask_json("PATCH", "/sites", {"embedsEnabled": False}))["embedHosts"] == ["shop.pepe.example"]
    assert await shown() == (both, ["shop.pepe.example"], False)
    await page.ask_json("PATCH", "/sites", {"badgeHosts": ["shop.pepe.example"], "embedsEnabled": True})
    assert await shown() == (["shop.pepe.example"], ["shop.pepe.example"], True)

    for body, field in (
        ({"embedHosts": ["later.example"]}, "embedHosts.0"), ({"badgeHosts": ["no.example"]}, "badgeHosts.0"),
        ({"embedHosts": ["127.0.0.1"]}, "embedHosts.0"), ({"badgeHosts": []}, "badgeHosts"),
        ({"embedHosts": ["pepe.example"]}, "embedHosts"), ({"embedsEnabled": "yes"}, "embedsEnabled"),
        ({"interactive": True}, "interactive"),
    ):  # fmt: skip
        refused = await page.ask("PATCH", "/sites", body)
        assert (refused.status_code, refused.json()["error"].partition(":")[0]) == (400, field), body
    assert await shown() == (["shop.pepe.example"], ["shop.pepe.example"], True)
