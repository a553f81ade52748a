"""Users create, change and delete alert rules; what could never fire is refused before the plan is looked at."""

import asyncio
from typing import Any

import pytest

from api.alerts.errors import RulesUncounted, TokenUnchecked
from api.alerts.previews import AlertPreviews
from api.alerts.repository import AlertRuleRepository
from api.alerts.schemas import CreateAlertRule
from api.alerts.service import AlertRuleService
from api.security.callers import WalletSession
from tests.fixtures.alerts import BASE, OTHER, TOKEN, Watcher
from tests.fixtures.sign_in import authorized, new_wallet
from warehouse.domain.addresses import checksum_address
from warehouse.domain.alerts import ALERT_TYPES
from warehouse.store import Store

UPGRADE = "https://crowns.example/pricing"


async def test_a_rule_is_created_changed_switched_off_and_deleted(watcher: Watcher) -> None:
    rule = await watcher.made()
    assert rule | {"id": "", "createdAt": "", "updatedAt": ""} == {
        "id": "",
        "wallet": watcher.owner.wallet.address,
        "chainId": BASE,
        "tokenAddress": checksum_address(TOKEN),
        "symbol": "PEPE",
        "alertType": "heartbeat_score",
        "thresholdValue": 60,
        "thresholdOperator": "lt",
        "timeWindowMinutes": 60,
        "cooldownMinutes": 60,
        "enabled": True,
        "channels": ["inapp"],
        "paused": False,
        "createdAt": "",
        "updatedAt": "",
    }
    changed = await watcher.ask("PUT", f"/rules/{rule['id']}", json={"thresholdValue": 55.5, "cooldownMinutes": 5})
    assert changed.status_code == 200, changed.text
    found = changed.json()["data"]["rule"]
    assert (found["thresholdValue"], found["cooldownMinutes"], found["timeWindowMinutes"]) == (55.5, 5, 60)
    for enabled in (False, True):
        toggled = await watcher.ask("POST", f"/rules/{rule['id']}/toggle")
        assert toggled.json()["data"]["rule"]["enabled"] is enabled
    assert [one["id"] for one in await watcher.rules()] == [rule["id"]]
    deleted = await watcher.ask("DELETE", f"/rules/{rule['id']}")
    assert deleted.json() == {"success": True, "data": {"id": rule["id"], "deleted": True}}
    assert await watcher.rules() == []
    again = await watcher.ask("DELETE", f"/rules/{rule['id']}")
    assert (again.status_code, again.json()["code"]) == (404, "NOT_FOUND")


async def test_rules_of_other_accounts_are_404(watcher: Watcher) -> None:
    rule = await watcher.made()
    stranger = authorized(await watcher.session_of(new_wallet()))
    for method, path, body in (
        ("PUT", "", {"thresholdValue": 1}),
        ("DELETE", "", None),
        ("POST", "/toggle", None),
    ):
        answer = await watcher.owner.service.anonymous.request(
            method, f"/api/v2/alerts/rules/{rule['id']}{path}", headers=stranger, json=body
        )
        assert answer.status_code == 404, answer.text
    assert await watcher.rules() == [rule]


@pytest.mark.parametrize(
    ("changes", "status", "code", "words"),
    [
        ({"chainId": "8453"}, 400, "INVALID_REQUEST", "chainId: must be a CAIP-2 name"),
        ({"tokenAddress": "0x12"}, 400, "INVALID_REQUEST", "tokenAddress:"),
        ({"thresholdValue": 0}, 400, "INVALID_REQUEST", "thresholdValue:"),
        ({"thresholdValue": "60"}, 400, "INVALID_REQUEST", "thresholdValue:"),
        ({"timeWindowMinutes": 4}, 400, "INVALID_REQUEST", "timeWindowMinutes:"),
        ({"cooldownMinutes": 4}, 400, "INVALID_REQUEST", "cooldownMinutes:"),
        ({"channels": ["email"]}, 400, "INVALID_REQUEST", "channels: must include inapp"),
        ({"channels": ["inapp", "xmtp"]}, 400, "INVALID_REQUEST", "channels"),
        ({"color": "red"}, 400, "INVALID_REQUEST", "color"),
        ({"alertType": "moon"}, 400, "INVALID_ALERT_TYPE", "invalid alertType: must be one of heartbeat_score, holder"),
        (
            {"alertType": "top10_concentration", "thresholdOperator": "lt"},
            400,
            "INVALID_THRESHOLD_OPERATOR",
            "invalid thresholdOperator: top10_concentration accepts gt, pct_spike",
        ),
        ({"thresholdOperator": "eq"}, 400, "INVALID_THRESHOLD_OPERATOR", "accepts gt, lt, pct_drop, pct_spike"),
        ({"thresholdOperator": "gt", "thresholdValue": 100}, 400, "THRESHOLD_OUT_OF_REACH", "greater than 100"),
        ({"thresholdOperator": "pct_drop", "thresholdValue": 101}, 400, "THRESHOLD_OUT_OF_REACH", "100 percent"),
        (
            {"chainId": "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp", "tokenAddress": OTHER},
            400,
            "chain_unsupported",
            "chainId: heartbeat_score has no data source",
        ),
        ({"chainId": "eip155:5"}, 400, "chain_unsupported", "eip155:5"),
        ({"chainId": "eip155:1"}, 400, "chain_unsupported", "eip155:1"),
        ({"tokenAddress": OTHER}, 400, "crown_required", "heartbeat_score needs a registration"),
        ({"alertType": "price_change", "tokenAddress": "0x" + "99" * 20}, 400, "TOKEN_NOT_INDEXED", "tokenAddress:"),
    ],
)
async def test_a_rule_that_cannot_be_or_never_fires_is_refused(
    watcher: Watcher, changes: dict[str, Any], status: int, code: str, words: str
) -> None:
    answer = await watcher.create(**changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    assert words in answer.json()["error"]


async def test_what_could_never_fire_is_refused_before_the_plan(watcher: Watcher) -> None:
    beyond = {"alertType": "copycat_detected", "thresholdOperator": "gt", "thresholdValue": 1}
    refused = await watcher.create(**beyond, tokenAddress=OTHER)
    assert refused.json()["code"] == "crown_required"
    refused = await watcher.create(**beyond)
    assert (refused.status_code, refused.json()) == (
        403,
        {
            "error": "Tier subscription required: copycat_detected needs plan pro_plus or higher",
            "code": "TIER_REQUIRED",
            "requiredPlan": "pro_plus",
            "plan": "free",
            "upgrade_url": UPGRADE,
        },
    )
    await watcher.set_plan("developer")
    assert (await watcher.create(**beyond)).status_code == 201


@pytest.mark.parametrize(("plan", "limit", "whose"), [("free", 3, "Free tier"), ("pro", 50, "pro plan")])
async def test_simultaneous_requests_never_exceed_the_plans_number(
    watcher: Watcher, plan: str, limit: int, whose: str
) -> None:
    await watcher.set_plan(plan)
    await watcher.made()
    watcher.copy_first_rule(limit - 3)
    answers = [answer for _ in range(3) for answer in await asyncio.gather(*(watcher.create() for _ in range(4)))]
    busy = [answer for answer in answers if answer.status_code == 503]
    assert {answer.json()["code"] for answer in busy} <= {"RULE_BEING_CREATED"}
    assert all(answer.headers["retry-after"] for answer in busy)
    statuses = [answer.status_code for answer in answers]
    assert set(statuses) <= {201, 403, 503}
    assert statuses.count(201) == 2
    assert len(await watcher.rules()) == limit
    refused = await watcher.create()
    assert refused.json() == {
        "error": f"{whose} limited to {limit} alert rules",
        "code": "RULE_LIMIT",
        "plan": plan,
        "limit": limit,
        "upgrade_url": UPGRADE,
    }


async def test_a_downgrade_pauses_what_the_plan_no_longer_covers(watcher: Watcher) -> None:
    await watcher.set_plan("pro")
    prices = await watcher.made(alertType="price_change")
    ids = [(await watcher.made())["id"] for _ in range(4)]
    await watcher.set_plan("free")
    assert {one["id"]: one["paused"] for one in await watcher.rules()} == {
        prices["id"]: True,
        ids[0]: False,
        ids[1]: False,
        ids[2]: True,
        ids[3]: True,
    }
    await watcher.ask("POST", f"/rules/{prices['id']}/toggle")  # its place goes to the next
    assert [one["paused"] for one in await watcher.rules()] == [False, False, False, False, True]
    back = await watcher.ask("POST", f"/rules/{prices['id']}/toggle")
    assert (back.status_code, back.json()["code"]) == (403, "TIER_REQUIRED")


@pytest.mark.parametrize(
    ("narrow", "words"),
    [
        ({"chainId": BASE}, "tokenAddress: is required"),
        ({"tokenAddress": TOKEN}, "chainId: is required"),
        ({"symbol": "PEPE"}, "symbol: is not accepted"),
        ({"chainId": "eip155:5", "tokenAddress": TOKEN}, "chainId:"),
        ({"chainId": BASE, "tokenAddress": "PEPE"}, "tokenAddress:"),
    ],
)
async def test_a_lone_or_unknown_filter_is_refused(watcher: Watcher, narrow: dict[str, str], words: str) -> None:
    answer = await watcher.ask("GET", "/rules", params=narrow)
    assert (answer.status_code, answer.json()["code"]) == (400, "INVALID_REQUEST")
    assert words in answer.json()["error"]


async def test_rules_are_narrowed_to_one_token(watcher: Watcher) -> None:
    await watcher.set_plan("pro")
    first = await watcher.made()
    second = await watcher.made(alertType="price_change", tokenAddress=OTHER)
    assert await watcher.rules(chainId=BASE, tokenAddress=TOKEN) == [first]
    assert await watcher.rules(chainId=BASE, tokenAddress=OTHER) == [second]
    assert await watcher.rules() == [first, second]


async def test_a_change_is_checked_like_a_new_rule(watcher: Watcher) -> None:
    rule = await watcher.made()
    for body, status, code in (
        ({}, 400, "INVALID_REQUEST"),
        ({"enabled": None}, 400, "INVALID_REQUEST"),
        ({"chainId": BASE}, 400, "INVALID_REQUEST"),
        ({"thresholdOperator": "gt", "thresholdValue": 100}, 400, "THRESHOLD_OUT_OF_REACH"),
        ({"alertType": "price_change"}, 403, "TIER_REQUIRED"),
    ):
        answer = await watcher.ask("PUT", f"/rules/{rule['id']}", json=body)
        assert (answer.status_code, answer.json()["code"]) == (status, code), body
    assert await watcher.rules() == [rule]


async def test_without_the_store_nothing_is_created_and_the_caller_may_retry(watcher: Watcher) -> None:
    services = watcher.owner.service.services
    store = Store("postgresql://127.0.0.1:1/none", timeout_seconds=1)
    previews = AlertPreviews(store, services.warehouse)
    service = AlertRuleService(AlertRuleRepository(store), previews, services.chains, UPGRADE)
    session = WalletSession(
        session_id=None,  # type: ignore[arg-type]
        account_id=None,  # type: ignore[arg-type]
        wallets=("0x",),
        contract_chains={},
        scopes=frozenset(),
        plan="free",
        expires_at=watcher.owner.clock.now(),
    )
    body = CreateAlertRule(
        chain_id=BASE, token_address=TOKEN, alert_type="heartbeat_score", threshold_value=60, threshold_operator="lt"
    )
    with pytest.raises(TokenUnchecked):
        await service.create(session, body)
    with pytest.raises(RulesUncounted):
        await service._add(session, {})


def test_the_catalogue_is_that_of_the_specification() -> None:
    assert {name: (one.plan, tuple(one.operators)) for name, one in ALERT_TYPES.items()} == {
        "heartbeat_score": ("free", ("gt", "lt", "pct_drop", "pct_spike")),
        "holder_count_drop": ("pro", ("gt", "lt", "pct_drop", "pct_spike")),
        "liquidity_drop": ("pro", ("gt", "lt", "pct_drop", "pct_spike")),
        "volume_anomaly": ("pro", ("gt", "lt", "pct_drop", "pct_spike")),
        "price_change": ("pro", ("gt", "lt", "pct_drop", "pct_spike")),
        "top10_concentration": ("pro_plus", ("gt", "pct_spike")),
        "copycat_detected": ("pro_plus", ("gt", "lt", "pct_drop", "pct_spike")),
    }


async def test_simultaneous_changes_are_all_kept(watcher: Watcher) -> None:
    rule = await watcher.made()
    changes = {"thresholdValue": 50, "cooldownMinutes": 120, "timeWindowMinutes": 30, "thresholdOperator": "pct_drop"}
    answers = await asyncio.gather(
        *(watcher.ask("PUT", f"/rules/{rule['id']}", json={name: value}) for name, value in changes.items())
    )
    assert [answer.status_code for answer in answers] == [200] * 4
    [found] = await watcher.rules()
    assert {name: found[name] for name in changes} == changes


@pytest.mark.parametrize("times", [4, 5])
async def test_every_switch_counts_once(watcher: Watcher, times: int) -> None:
    rule = await watcher.made()
    answers = await asyncio.gather(*(watcher.ask("POST", f"/rules/{rule['id']}/toggle") for _ in range(times)))
    assert [answer.status_code for answer in answers] == [200] * times
    [found] = await watcher.rules()
    assert found["enabled"] is (times % 2 == 0)
