"""Query parameters that a route does not have."""

import pytest

from tests.fixtures.service import Service

HEADER = "X-Unknown-Parameters"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("/search?symbol=PEPE&page_size=5", "page_size; similar=pageSize"),
        ("/search?symbol=PEPE&pagesize=5&crownOnly=true", "pagesize; similar=pageSize, crownOnly; similar=crownsOnly"),
        ("/search?symbl=PEPE", "symbl; similar=symbol"),  # also on errors
        ("/heartbeat/at-risk?levl=warning", "levl; similar=level"),
        ("/registration/PEPE/base?token_address=0x1", "token_address; similar=tokenAddress"),
        (f"/claim/status/0x{'ab' * 32}?chainid=8453", "chainid; similar=chainId"),
        ("/heartbeat/at-risk?utm_source=x&a=1", None),
        ("/heartbeat/at-risk?level=warning", None),
        ("/config/fees?page=1", None),  # the route has no parameters
        ("/heartbeat/at-risk?lev%65l=warning", None),
        ("/heartbeat/at-risk?levl%0d%0aX-Evil:1=2", None),
    ],
)
async def test_one_that_resembles_a_known_one_is_named(service: Service, path: str, named: str | None) -> None:
    answer = await service.client.get(f"/api/v2{path}")
    assert answer.headers.get(HEADER) == named


async def test_few_are_named(service: Service) -> None:
    query = "&".join(f"level{letter}=1" for letter in "abcdefgh" * 20)
    answer = await service.client.get(f"/api/v2/heartbeat/at-risk?{query}")
    assert len(answer.headers[HEADER].split(", ")) == 3
