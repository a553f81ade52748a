"""Data of test events: an example of every member that the catalogue names."""

from collections.abc import Mapping
from typing import Any, Final

from api.http.examples import TOKEN, WALLET
from api.store.events import EVENTS

_MOMENT = "2026-11-21T09:30:00.000Z"
_SIGHTING = {
    "chain_id": 8453,
    "chain_name": "Base",
    "address": "0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825",
    "explorer_url": "https://basescan.org/token/0x4F9Fd6Be4a90f2620860d680c0d4d5Fb53d1A825",
}
MEMBERS: Final[Mapping[str, Any]] = {
    "action_label": "Look at it",
    "action_url": "https://example.com/token/17",
    "alert_type": "price_change",
    "body": "This is a test.",
    "chain": "eip155:8453",
    "chain_id": 8453,
    "concentration_percent": 31.5,
    "crown_id": "17",
    "crown_symbol": "QUILL",
    "current_score": 74.2,
    "day": "2026-11-21",
    "days_to_inactive": 3,
    "deal_id": "01980000-0000-7000-8000-000000000001",
    "direction": "buy",
    "has_email": False,
    "holder_address": WALLET,
    "instance_id": "01980000-0000-7000-8000-000000000002",
    "limit": 10000,
    "milestone_type": "holder_count",
    "milestone_value": 1000,
    "new_status": "moderate",
    "new_tier": "partner",
    "owner": WALLET,
    "percent": 80,
    "previous_concentration": 24.75,
    "previous_owner": WALLET,
    "previous_score": 61.3,
    "previous_status": "at_risk",
    "previous_tier": "developer",
    "previous_value": 987,
    "reason": "manual",
    "score": 64.1,
    "sightings": [_SIGHTING],
    "symbol": "QUILL",
    "threshold": 70,
    "timestamp": _MOMENT,
    "title": "A test",
    "token_address": TOKEN,
    "trade_volume_usd": 12500.5,
    "tx_hash": "0x5e1d3a76fbf824220eafc8c79ad578ad2b67d01b0c2425eb1f1347e8f50882ab",
    "updated_fields": ["description", "website"],
    "used": 8000,
    "wallet": WALLET,
    "wallet_address": WALLET,
}


def sample(type: str) -> dict[str, Any]:
    """The data of a test event of a type in the catalogue."""
    return {field.name: MEMBERS[field.name] for field in EVENTS[type].fields}
