"""Examples of webhooks' answers for the OpenAPI document."""

from typing import Any

import orjson

from warehouse.domain.events.registrations import TokenMinted

ID = "01980000-0000-7000-8000-0000000000a1"
DELIVERY_ID = "01980000-0000-7000-8000-0000000000d1"
EVENT_ID = "evt_01980000000070008000000000000e01"
_MOMENT = "2026-11-21T09:30:00.000Z"

EVENTS: dict[str, Any] = {
    "events": [
        {
            "type": "token.minted",
            "description": "A registration was claimed.",
            "audience": "subscribers",
            "produced": True,
            "fields": [
                {"name": "symbol", "type": "string", "description": "the token's symbol", "optional": False},
            ],
        }
    ]
}
WEBHOOK: dict[str, Any] = {
    "id": ID,
    "url": "https://example.com/hooks",
    "events": ["token.minted", "token.released"],
    "filter": {"crown_ids": [17], "chains": ["eip155:8453"]},
    "status": "active",
    "disabled_reason": None,
    "disabled_at": None,
    "consecutive_failures": 0,
    "previous_secret_ends_at": None,
    "created_at": _MOMENT,
    "updated_at": _MOMENT,
}
DISABLED = {
    **WEBHOOK,
    "status": "disabled",
    "disabled_reason": "failures",
    "disabled_at": _MOMENT,
    "consecutive_failures": 3,
}
CREATED = {**WEBHOOK, "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3nY0r1h6m2Q="}
LIST = {"webhooks": [WEBHOOK], "limit": 5}
ROTATED = {
    "id": ID,
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw3nY0r1h6m2Q=",
    "previous_secret_ends_at": "2026-11-22T09:30:00.000Z",
}
DELETED = {"id": ID, "deleted": True}
PENDING: dict[str, Any] = {
    "id": DELIVERY_ID,
    "event_id": EVENT_ID,
    "type": "token.minted",
    "cause": "event",
    "status": "pending",
    "attempts": 1,
    "next_attempt_at": "2026-11-21T09:31:00.000Z",
    "last_status_code": 500,
    "last_problem": "HTTP 500",
    "created_at": _MOMENT,
    "finished_at": None,
}
TEST = {**PENDING, "event_id": f"evt_test_{DELIVERY_ID.replace('-', '')}", "cause": "test", "attempts": 0} | {
    "last_status_code": None,
    "last_problem": None,
    "next_attempt_at": _MOMENT,
}
REPLAYED = {**TEST, "event_id": EVENT_ID, "cause": "replay"}
PAGE = {"deliveries": [PENDING], "has_more": False, "next_cursor": None}
_ENVELOPE: dict[str, Any] = {
    "id": EVENT_ID,
    "type": "token.minted",
    "created_at": _MOMENT,
    "data": orjson.loads(TokenMinted.example().data()),
}
DETAIL = {
    **PENDING,
    "request_body": f'{{"id":"{EVENT_ID}","type":"token.minted","created_at":"{_MOMENT}","data":{{"crown_id":"17"}}}}',
    "history": [
        {
            "number": 1,
            "started_at": _MOMENT,
            "url": "https://example.com/hooks",
            "request_headers": {
                "X-Webhook-Event": "token.minted",
                "X-Webhook-Delivery": EVENT_ID,
                "X-Webhook-Signature": "[hidden]",
            },
            "response": {"status_code": 500, "headers": {"server": "nginx"}, "body": "oops", "body_complete": True},
            "failure": "status",
            "problem": "HTTP 500",
            "timing": {
                "dns_seconds": 0.004,
                "connect_seconds": 0.031,
                "answer_seconds": 0.122,
                "total_seconds": 0.123,
            },
        }
    ],
}
QUEUED = {"queued": 12}
PREVIEW = {
    "from": "2026-10-22T09:30:00.000Z",
    "to": _MOMENT,
    "total": 1,
    "counts": [{"type": "token.minted", "count": 1, "at_least": False}],
    "latest": [_ENVELOPE],
}
