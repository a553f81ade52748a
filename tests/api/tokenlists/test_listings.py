"""Listings for other platforms, their lint, and the paid export."""

from dataclasses import replace
from typing import Any

import pytest
from eth_utils.address import to_checksum_address
from psycopg.types.json import Jsonb

from api.tokenlists.platforms import FORMATS, Listing, handle, link
from tests.factories.registrations import BASE
from tests.factories.token_lists import add_listed
from tests.fixtures.service import Serve, Service
from warehouse.chains.facts import load
from warehouse.postgres import Connection

PROFILE = {
    "name": "Pepe the Frog", "description": "A frog.", "website": "https://pepe.example", "twitter": "https://x.com/pepe",
    "telegram": "https://t.me/pepe_chat", "logoUrl": "https://pepe.example/a.png", "bannerUrl": "https://pepe.example/b.png",
}  # fmt: skip


@pytest.fixture
def pepe(store: Connection) -> str:
    return to_checksum_address(add_listed(store, "PEPE", 7, profile=Jsonb(PROFILE)))


def pay(store: Connection, plan: str) -> None:
    store.execute("UPDATE account SET plan = %s", (plan,))


async def test_an_export_has_the_values_of_the_registration(service: Service, store: Connection, pepe: str) -> None:
    pay(store, "pro")
    body = (await service.get("/tokenlist/export/pepe/base", format="csv")).json()
    assert body == {
        "symbol": "PEPE", "chain": "base", "format": "csv",
        "data": {"name": "Pepe the Frog", "symbol": "PEPE", "description": "A frog.", "website": "https://pepe.example",
                 "twitter": "https://x.com/pepe", "telegram": "https://t.me/pepe_chat", "discord": None,
                 "logo": "https://pepe.example/a.png", "contractAddress": pepe, "chainId": BASE},
        "extensions": {"verified": True, "crownId": 7},
    }  # fmt: skip
    assert (await service.get("/tokenlist/export/pepe/base")).json()["format"] == "json"


async def test_an_export_needs_the_pro_plan_and_says_so(service: Service, store: Connection, pepe: str) -> None:
    refused = await service.get("/tokenlist/export/PEPE/base")
    assert (refused.status_code, refused.json()["code"]) == (403, "FORBIDDEN")
    assert refused.json()["requiredPlan"] == "pro"
    pay(store, "enterprise")
    service.services.api_keys._known.clear()
    assert (await service.get("/tokenlist/export/PEPE/base")).status_code == 200


async def test_the_exports_errors_have_its_codes(service: Service, store: Connection) -> None:
    pay(store, "pro")
    missing = await service.get("/tokenlist/export/NONE/base")
    assert (missing.status_code, missing.json()["code"]) == (404, "NOT_FOUND")
    for path in (
        "/tokenlist/export/NONE/nowhere",
        "/tokenlist/export/N-N/base",
        "/tokenlist/export/NONE/base?format=%20",
    ):
        wrong = await service.client.get(f"/api/v2{path}")
        assert (wrong.status_code, wrong.json()["code"]) == (400, "INVALID_PARAMS")


async def test_an_inactive_registration_is_not_verified(service: Service, store: Connection) -> None:
    pay(store, "pro")
    add_listed(store, "PEPE", 7, score="20")
    body = (await service.get("/tokenlist/export/PEPE/base")).json()
    assert body["extensions"] == {"verified": False, "crownId": None}


async def test_every_format_has_the_same_facts(service: Service, pepe: str) -> None:
    coin = (await service.get("/tokenlist/coin/PEPE/base")).json()
    assert coin["platforms"] == {"base": pepe}
    assert coin["links"]["twitter_screen_name"] == "pepe"
    assert coin["links"]["telegram_channel_identifier"] == "pepe_chat"
    asset = (await service.get("/tokenlist/asset/PEPE/base")).json()
    assert (asset["type"], asset["id"], asset["decimals"]) == ("ERC20", pepe, 18)
    assert {"name": "twitter", "url": "https://x.com/pepe"} in asset["links"]
    profile = (await service.get("/tokenlist/profile/PEPE/base")).json()
    assert (profile["icon"], profile["header"]) == (PROFILE["logoUrl"], PROFILE["bannerUrl"])
    assert profile["links"][0] == {"label": "Website", "url": "https://pepe.example"}


async def test_platforms_come_from_the_settings(serve: Serve, pepe: str) -> None:
    async with serve(listing_platforms={"somewhere": "profile"}) as service:
        assert (await service.get("/tokenlist/somewhere/PEPE/base")).json()["tokenAddress"] == pepe
        unknown = await service.get("/tokenlist/coin/PEPE/base")
        assert unknown.status_code == 404
        assert "somewhere" in unknown.json()["error"]


@pytest.mark.parametrize(
    ("profile", "lacks"),
    [
        (PROFILE, {"coin": [], "asset": [], "profile": []}),
        ({}, {"coin": ["logo", "description", "website"], "asset": ["logo", "description", "website"],
              "profile": ["logo", "links"]}),
        ({**PROFILE, "description": "x" * 501}, {"coin": [], "asset": ["description"], "profile": []}),
    ],
)  # fmt: skip
async def test_the_lint_names_what_each_platform_lacks(
    service: Service, store: Connection, profile: dict[str, Any], lacks: dict[str, list[str]]
) -> None:
    add_listed(store, "PEPE", 7, profile=Jsonb(profile))
    found = (await service.get("/tokenlist/lint/PEPE/base")).json()["platforms"]
    assert {one["platform"]: [lack["field"] for lack in one["lacks"]] for one in found} == lacks
    assert all(one["complete"] == (not one["lacks"]) for one in found)


def test_handles_become_links_and_links_handles() -> None:
    assert [link("twitter", said) for said in ("@pepe", "pepe", "https://x.com/pepe")] == ["https://x.com/pepe"] * 3
    assert (link("telegram", "pepe"), link("discord", "pepe")) == ("https://t.me/pepe", "https://discord.gg/pepe")
    assert (handle("@pepe"), handle("https://x.com/pepe/")) == ("pepe", "pepe")
    assert [handle(said) for said in ("https://t.me/+Ab1", "https://t.me/joinchat/A")] == [None, None]


def test_logos_uploaded_here_have_the_sizes_of_the_format() -> None:
    own = "https://api.example/api/v2/public/metadata/"
    listing = Listing(
        **dict.fromkeys(("decimals", "description", "website", "twitter", "telegram", "discord", "banner")),
        chain=load(None).by_key["base"], symbol="PEPE", name="Pepe", address="0x" + "ab" * 20,
        logo=f"{own}bafy", own_images=own,
    )  # fmt: skip
    sizes = ("thumb", "small", "large")
    assert FORMATS["coin"].write(listing).model_dump()["image"] == {size: f"{own}bafy?size={size}" for size in sizes}
    elsewhere = replace(listing, logo="https://pepe.example/a.png")
    assert set(FORMATS["coin"].write(elsewhere).model_dump()["image"].values()) == {"https://pepe.example/a.png"}
