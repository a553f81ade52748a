"""Deals, an alert and a broadcast of the demo's registration, which routes are asked about."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from api.ops.demo import guide
from api.ops.demo.guide import RunningDemo
from tests.fixtures.waiting import wait_until

OFFERS = 6
_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Records:
    """Ids. One of the deals is accepted and waits for the holder's consent, the others wait for an answer."""

    deals: list[str]
    group: str
    rule: str
    alert: str
    broadcast: str
    consent_nonce: str
    consent_deadline: int


def make(place: RunningDemo, data_dir: Path, api_key: str, owner: str, offerer: str) -> Records:
    """Make them, with the sessions of the registration's owner and of another wallet."""
    with _client(place, api_key, owner) as owning, _client(place, api_key, offerer) as offering:
        registration = f"/registration/{place.symbol}/{place.chain_key}"
        wait_until(lambda: owning.get(registration).json().get("tokenId") is not None, "it is registered", _SECONDS)
        token_id = owning.get(registration).json()["tokenId"]
        deals, group = _deals(place, owning, offering)
        consent = _json(owning.get(f"/deals/{deals[0]}/consent"))
        rule, alert = _alert(place, data_dir, owning)
        return Records(
            deals, group, rule, alert, _broadcast(place, token_id, owning), consent["nonce"], consent["deadline"]
        )


def _client(place: RunningDemo, api_key: str, session: str) -> httpx.Client:
    headers = {"X-API-Key": api_key, "Authorization": f"Bearer {session}"}
    return httpx.Client(base_url=f"{place.api_url}/api/v2", headers=headers, timeout=30)


def _deals(place: RunningDemo, owning: httpx.Client, offering: httpx.Client) -> tuple[list[str], str]:
    # Twice the price: a group needs funds for the sum of its offers.
    shown = {"offerAmount": 2 * guide.OFFER_USDC, "currency": "USDC", "chainId": place.chain_id}
    assert _json(offering.post("/deals/verify-funds", json={**shown, "walletAddress": place.offerer}))["verified"]
    offer = offer_body(place)
    deals = [_json(offering.post("/deals/offer", json=offer))["dealId"] for _ in range(OFFERS)]
    group = _json(offering.post("/deals/group", json={"offers": [offer, offer]}))["groupId"]
    _json(owning.post(f"/deals/{deals[0]}/accept", json={}))
    wait_until(
        lambda: _json(owning.get(f"/deals/{deals[0]}"))["stage"] == "awaiting_consent", "a deal is announced", _SECONDS
    )
    return deals, group


def offer_body(place: RunningDemo) -> dict[str, Any]:
    """An offer on the demo's registration that is taken."""
    return {
        "deal_type": "buyout",
        "symbol": place.symbol,
        "chain_id": place.chain_id,
        "agreed_amount": str(guide.OFFER_USDC),
        "agreed_currency": "USDC",
    }


def _alert(place: RunningDemo, data_dir: Path, owning: httpx.Client) -> tuple[str, str]:
    type, operator, threshold = guide.ALERT_RULE
    wanted = {
        "chainId": f"eip155:{place.chain_id}",
        "tokenAddress": place.token,
        "alertType": type,
        "thresholdOperator": operator,
        "thresholdValue": float(threshold),
    }
    rule: str = _json(owning.post("/alerts/rules", json=wanted))["data"]["rule"]["id"]
    own: Mapping[str, str] = {"REGALIA_DATA_DIR": str(data_dir), "REGALIA_CHAINS": str(data_dir / "chains.toml")}
    command = guide.evaluation_command(place)
    done = subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (alert,) = _json(owning.get("/alerts/active"))["data"]["alerts"]
    return rule, alert["id"]


def _broadcast(place: RunningDemo, token_id: int, owning: httpx.Client) -> str:
    joined = {"wallet": place.wallet, "channels": ["inapp"]}
    page = {"chain": place.chain_key}
    _json(owning.put(f"/registration/{token_id}/subscription", params=page, json=joined))
    message = {"wallet": place.wallet, "type": "update", "title": "A title", "body": "A text"}
    sent: str = _json(owning.post(f"/broadcasts/{token_id}", json=message))["id"]
    return sent


def _json(answer: httpx.Response) -> dict[str, Any]:
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found
