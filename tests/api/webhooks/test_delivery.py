"""What receivers get: envelope, headers, filters, and to whom."""

import hashlib
import hmac

from tests.api.webhooks.conftest import Hooks


async def test_a_subscriber_receives_the_event(hooks: Hooks) -> None:
    made = await hooks.subscribe("token.minted")
    id = hooks.happen("token.minted", payload={"crown_id": "17", "symbol": "QUILL", "figure": 12345678901234567890})
    await hooks.engine.run_until_idle()
    [sent] = hooks.receivers.sent
    assert sent.envelope == {
        "id": id,
        "type": "token.minted",
        "created_at": hooks.clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "data": {"crown_id": "17", "symbol": "QUILL", "figure": 12345678901234567890},
    }
    assert sent.headers["Content-Type"] == "application/json"
    assert sent.headers["User-Agent"] == "Regalia-Webhook/1.0"
    assert sent.headers["X-Webhook-Event"] == "token.minted"
    assert sent.headers["X-Webhook-Delivery"] == sent.headers["webhook-id"] == id
    assert sent.headers["X-Webhook-Timestamp"] == sent.envelope["created_at"]
    expected = hmac.new(made["secret"].encode(), sent.body, hashlib.sha256).hexdigest()
    assert sent.headers["X-Webhook-Signature"] == expected
    assert "X-Webhook-Signature-Previous" not in sent.headers
    [delivery] = await hooks.deliveries(made["id"])
    assert (delivery["status"], delivery["attempts"], delivery["event_id"]) == ("delivered", 1, id)
    await hooks.engine.run_until_idle()
    assert len(hooks.receivers.sent) == 1
