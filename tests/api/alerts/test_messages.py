"""An alert and its recovery reach the inbox, the webhook and the contacts of the rule's owner, each once."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
from standardwebhooks.webhooks import Webhook

from api.alerts.messages import alert_engine
from pipelines.alerts.evaluation import evaluate
from tests.factories.alerts import Readings, add_rule
from tests.fixtures.messages import MailServer
from tests.fixtures.service import Serve
from tests.fixtures.webhooks import Hooks, Receivers, make_hooks
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

NOON, QUARTER = 1_767_225_600 + 43_200, 900
SITE = "https://crowns.example"
MAIL = "frog@example.com"


@pytest.fixture
async def told(
    serve: Serve, store: Connection, store_url: str, receivers: Receivers, mail_server: MailServer
) -> AsyncIterator[Hooks]:
    """An account with a confirmed mail address, and a service that sends mail."""
    mail = {"mail_url": f"smtp://127.0.0.1:{mail_server.port}", "mail_from": "crowns@crowns.example"}
    async with make_hooks(serve, store, store_url, receivers, **mail) as hooks:
        id = uuid4()
        store.execute(
            "INSERT INTO contact (id, account_id, channel, sealed, fingerprint, created_at, confirmed_at)"
            " VALUES (%s, %s, 'email', %s, '', now(), now())",
            (id, hooks.account_id, hooks.service.services.sealer.seal(MAIL.encode(), str(id))),
        )
        store.execute("UPDATE account SET plan = 'developer'")
        hooks.clock.advance(minutes=2)  # later than what the store notes as now
        yield hooks


class Market:
    """A rule on a price, and its evaluation."""

    def __init__(self, warehouse: Warehouse, store: Connection, chains: Chains) -> None:
        self.readings, self.chains = Readings(warehouse, store), chains

    def judge(self, at: int, usd: float) -> None:
        """Evaluate with a new price."""
        self.readings.price(at, usd)
        evaluate(self.readings.warehouse, self.readings.store, self.chains, SITE)


@pytest.fixture
def market(warehouse: Warehouse, store: Connection, chains: Chains) -> Market:
    return Market(warehouse, store, chains)


def price_rule(hooks: Hooks, **changes: Any) -> None:
    """A rule that mails its owner."""
    account: Any = hooks.account_id
    add_rule(hooks.store, account, "price_change", "lt", 3, **{"channels": ["inapp", "email"], **changes})


async def test_an_alert_and_its_recovery_are_told_once(told: Hooks, market: Market, mail_server: MailServer) -> None:
    price_rule(told)
    market.judge(NOON, 2)
    market.judge(NOON + QUARTER, 2)
    market.judge(NOON + 2 * QUARTER, 4)
    for _ in range(2):  # another worker finds nothing to send
        await alert_engine(told.service.services).run_until_idle()
    assert [mail["Subject"] for mail in mail_server.to(MAIL)] == ["PEPE: Price"] * 2
    first, second = sorted(mail.get_content() for mail in mail_server.to(MAIL))
    assert "which is less than 3." in first
    assert "Sent because of your alert rule on PEPE." in first
    assert "recovered. The alert of 2026-01-01 12:00 UTC is resolved." in second
    messages = told.store.execute(
        "SELECT kind, symbol, link_url FROM inbox_message JOIN inbox_entry ON message_id = id"
    ).fetchall()
    assert [(row["kind"], row["symbol"], row["link_url"]) for row in messages] == [
        ("alert", "PEPE", f"{SITE}/base/PEPE")
    ] * 2


async def test_a_rule_without_the_channel_sends_no_mail(told: Hooks, market: Market, mail_server: MailServer) -> None:
    price_rule(told, channels=["inapp"])
    market.judge(NOON, 2)
    await alert_engine(told.service.services).run_until_idle()
    assert mail_server.mails == []
    assert told.store.execute("SELECT count(*) AS entries FROM inbox_entry").fetchall() == [{"entries": 1}]


@pytest.mark.parametrize(
    ("act", "problem"),
    [
        ("DELETE FROM alert_rule", "the rule was deleted or does not use the channel any more"),
        ("UPDATE alert_rule SET channels = '{inapp}'", "the rule was deleted or does not use the channel any more"),
        ("DELETE FROM contact", "the contact was removed"),
        ("UPDATE contact SET failed_at = now()", "the contact was removed"),
    ],
)
async def test_what_nobody_wants_any_more_is_not_sent(
    told: Hooks, market: Market, mail_server: MailServer, act: str, problem: str
) -> None:
    price_rule(told)
    market.judge(NOON, 2)
    told.store.execute(act)
    await alert_engine(told.service.services).run_until_idle()
    assert mail_server.mails == []
    assert told.store.execute("SELECT status, problem FROM alert_message").fetchall() == [
        {"status": "skipped", "problem": problem}
    ]


async def test_webhooks_get_alerts_signed(told: Hooks, market: Market, receivers: Receivers) -> None:
    made = await told.subscribe("alert.triggered", "alert.resolved")
    price_rule(told)
    market.judge(NOON, 2)
    market.judge(NOON + QUARTER, 4)
    await told.engine.run_until_idle()
    sent = {one.envelope["type"]: one for one in receivers.of()}
    assert len(receivers.of()) == 2
    for one in sent.values():
        headers = {name.lower(): value for name, value in one.headers.items()}
        assert Webhook(made["secret"]).verify(one.body, headers) == one.envelope
    assert sent["alert.triggered"].envelope["data"]["title"] == "PEPE: Price"
    assert sent["alert.resolved"].envelope["data"]["reason"] == "auto_recovered"
