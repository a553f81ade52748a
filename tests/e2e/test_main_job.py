"""The main job as a client sees it: a chain is indexed and scored, a wallet finds the token it may claim, proves
control and signs; its registration is confirmed, owned and searchable."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo
from tests.fixtures.demo import running_demo
from tests.fixtures.waiting import wait_until

INDEXED_SECONDS = 240.0

pytestmark = pytest.mark.slow


class Client:
    """A user of the API with a key."""

    def __init__(self, place: RunningDemo, http: httpx.Client) -> None:
        self.place = place
        self.http = http

    def get(self, path: str, **parameters: Any) -> dict[str, Any]:
        response = self.http.get(f"/api/v2{path}", params=parameters, headers=guide.headers(self.place, path))
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.http.post(f"/api/v2{path}", json=body, headers={"X-API-Key": self.place.api_key})


def test_a_wallet_finds_its_token_claims_it_and_search_shows_the_registration(tmp_path: Path) -> None:
    with running_demo(tmp_path / "demo") as place, httpx.Client(base_url=place.api_url, timeout=30) as http:
        client = Client(place, http)
        _keys_are_asked_for(place, http)
        _the_token_is_known_priced_and_scored(client)
        _the_wallet_is_told_what_it_can_claim(client)
        transaction = _claim(place)
        _the_registration_is_the_wallets(client, transaction)
        _a_second_claim_is_refused(client)
        _search_shows_it_once_it_is_indexed(client)
        _the_operator_sees_a_chain_that_is_followed(place, tmp_path / "demo")
    wait_until(lambda: not _left_behind(tmp_path / "demo"), "nothing is left behind")


def _keys_are_asked_for(place: RunningDemo, http: httpx.Client) -> None:
    path = f"/api/v2/token/{place.symbol}/{place.chain_key}"
    assert http.get(path).status_code == 401
    assert http.get(path, headers={"X-API-Key": "rgl_live_nonsense"}).status_code == 403


def _the_token_is_known_priced_and_scored(client: Client) -> None:
    place = client.place
    found = client.get("/search", symbol=place.symbol.lower(), exact=True)
    assert found["symbol"] == place.symbol
    first = found["results"][0]
    assert first["token"]["address"].lower() == place.token
    assert (first["chainId"], first["chainKey"]) == (place.chain_id, place.chain_key)
    assert first["hasCrown"] is False
    assert first["registration"]["status"] == "unclaimed"
    assert first["token"]["holders"] > 10
    for figure in ("priceUsd", "marketCap", "fdv", "volume24h", "liquidity"):
        assert first["token"][figure] > 0, figure
    single = client.get(f"/token/{place.symbol}/{place.chain_id}")
    assert single["token"]["address"] == first["token"]["address"]
    heartbeat = client.get(f"/heartbeat/{place.symbol}/{place.chain_key}")
    assert 0 < heartbeat["score"] <= 100
    assert set(heartbeat["components"]) == {"timestamp", "volume", "holders", "confidence"}


def _the_wallet_is_told_what_it_can_claim(client: Client) -> None:
    place = client.place
    claimable = client.get("/registration/claimable")
    mine = next(one for one in claimable["tokens"] if one["address"].lower() == place.token)
    assert (mine["chainId"], mine["symbol"]) == (str(place.chain_id), place.symbol)
    assert (mine["qualification"]["method"], mine["qualification"]["confidence"]) == ("deployer", 1.0)
    question = {"wallet": place.wallet, "tokenAddress": place.token, "chainId": place.chain_id, "symbol": place.symbol}
    answer = client.post("/registration/check-qualify", question).json()
    assert answer["eligible"] is True
    assert answer["price"] == client.get("/registration/fee")["totalFeeUsd"]


def _claim(place: RunningDemo) -> str:
    """Run the documented script; the hash of the transaction it sent."""
    done = subprocess.run(guide.claim_command(place), capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    sent = next(line for line in done.stdout.splitlines() if line.startswith("sent "))
    return sent.split()[1]


def _the_registration_is_the_wallets(client: Client, transaction: str) -> None:
    place = client.place
    status = client.get(f"/claim/status/{transaction}", chainId=place.chain_id)
    assert (status["status"], status["txHash"]) == ("confirmed", transaction)
    assert status["confirmations"] >= 1
    by_symbol = client.get(f"/registration/{place.symbol}/{place.chain_key}")
    assert (by_symbol["status"], by_symbol["tokenId"], by_symbol["owner"]) == ("grace_period", 1, place.wallet)
    by_id = client.get("/registration/1")
    assert (by_id["symbol"], by_id["chainId"], by_id["owner"]) == (place.symbol, place.chain_id, place.wallet)


def _a_second_claim_is_refused(client: Client) -> None:
    place = client.place
    claim = {
        "symbol": place.symbol,
        "chainId": place.chain_id,
        "tokenAddress": place.token,
        "walletAddress": place.wallet,
        "proofHash": "0x" + "00" * 32,
    }
    again = client.post("/claim", claim)
    assert (again.status_code, again.json()["code"]) == (409, "CLAIM_DUPLICATE")


def _search_shows_it_once_it_is_indexed(client: Client) -> None:
    place = client.place

    def registered() -> bool:
        found = client.get("/search", symbol=place.symbol, exact=True, refresh=True)["results"][0]
        return bool(found["hasCrown"]) and found["token"]["address"].lower() == place.token

    wait_until(registered, "search shows the registration", INDEXED_SECONDS)
    found = client.get("/search", symbol=place.symbol, crownsOnly=True, refresh=True)
    assert [one["registration"]["owner"] for one in found["results"]] == [place.wallet]
    assert client.get("/registration/claimable")["tokens"] == []


def _the_operator_sees_a_chain_that_is_followed(place: RunningDemo, data_dir: Path) -> None:
    command = [sys.executable, "-m", "api.cli", "status", "--json"]
    environment = os.environ | {"REGALIA_DATA_DIR": str(data_dir), "REGALIA_CHAINS": str(data_dir / "chains.toml")}
    status = json.loads(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
    chain = next(one for one in status["chains"] if one["key"] == place.chain_key)
    assert chain["lag_blocks"] <= 30


def _left_behind(data_dir: Path) -> list[list[str]]:
    """Command lines of processes that still belong to the demo."""
    found = psutil.process_iter(["cmdline", "environ"])
    ours = (one for one in found if (one.info["environ"] or {}).get("REGALIA_DATA_DIR") == str(data_dir))
    return [one.info["cmdline"] for one in ours]
