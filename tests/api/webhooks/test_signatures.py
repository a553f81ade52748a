"""Public verifiers accept deliveries with the current secret and, for a day, with the previous one."""

import hashlib
import hmac
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from api.webhooks.signing import user_agent
from tests.fixtures.webhooks import Hooks, Sent
from warehouse.delivery.signing import make_secret

SCRIPT = Path(__file__).with_name("verify.mjs")


def verify_in_node(cases: list[dict[str, Any]]) -> list[bool]:
    """Whether the npm package accepts each case."""
    ended = subprocess.run(
        ["node", str(SCRIPT)], input=json.dumps(cases), capture_output=True, text=True, timeout=240, check=True
    )
    found: list[bool] = json.loads(ended.stdout)
    return found


def accepted(secret: str, sent: Sent) -> bool:
    try:
        return bool(Webhook(secret).verify(sent.body, sent.headers) == sent.envelope)
    except WebhookVerificationError:
        return False


async def test_verifiers_accept_both_secrets_for_a_day_after_rotation(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    first = made["secret"]
    hooks.record_event(payload={"symbol": "QUILL", "word": "é ☂"})
    await hooks.engine.run_until_idle()
    rotated = (await hooks.call("POST", f"/{made['id']}/rotate-secret")).json()
    second = rotated["secret"]
    shown = (await hooks.call("GET", f"/{made['id']}")).json()
    assert shown["previous_secret_ends_at"] == rotated["previous_secret_ends_at"]
    hooks.record_event()
    await hooks.engine.run_until_idle()
    before, during = hooks.receivers.sent

    assert accepted(first, before)
    assert not accepted(second, before)
    assert accepted(first, during)
    assert accepted(second, during)
    assert not accepted(make_secret(), during)
    assert during.headers["X-Webhook-Signature"] == hexadecimal(second, during)
    assert during.headers["X-Webhook-Signature-Previous"] == hexadecimal(first, during)
    cases = [
        {"secret": secret, "headers": one.headers, "body": body}
        for secret, one, body in (
            (first, before, before.body.decode()),
            (second, before, before.body.decode()),
            (first, during, during.body.decode()),
            (second, during, during.body.decode()),
            (second, during, during.body.decode().replace("QUILL", "QUIIL")),
        )
    ]
    assert verify_in_node(cases) == [True, False, True, True, False]

    hooks.clock.advance(hours=24, seconds=1)
    hooks.record_event()
    await hooks.engine.run_until_idle()
    after = hooks.receivers.sent[2]
    assert after.headers["X-Webhook-Signature"] == hexadecimal(second, after)
    assert "X-Webhook-Signature-Previous" not in after.headers
    assert " " not in after.headers["webhook-signature"]


async def test_the_last_five_secrets_of_a_day_are_valid(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    secrets = [made["secret"]]
    for _ in range(6):
        secrets.append((await hooks.call("POST", f"/{made['id']}/rotate-secret")).json()["secret"])
    hooks.record_event()
    await hooks.engine.run_until_idle()
    [sent] = hooks.receivers.sent
    assert [accepted(secret, sent) for secret in secrets] == [False, False, True, True, True, True, True]
    assert sent.headers["X-Webhook-Signature"] == hexadecimal(secrets[-1], sent)


def hexadecimal(secret: str, sent: Sent) -> str:
    return hmac.new(secret.encode(), sent.body, hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("name", "agent"),
    [
        ("Regalia", "Regalia-Webhook/1.0"),
        ("My Names 2", "MyNames2-Webhook/1.0"),
        ("\r\nX: é", "X-Webhook/1.0"),
        ("☂", "Service-Webhook/1.0"),
    ],
)
def test_the_user_agent_names_the_service(name: str, agent: str) -> None:
    assert user_agent(name) == agent
