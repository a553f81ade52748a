"""Examples of the routes of feeds."""

from typing import Any

from api.http.examples import TOKEN

FEED: dict[str, Any] = {
    "id": "01980000-0000-7000-8000-0000000000f1",
    "chainId": "eip155:8453",
    "tokenAddress": TOKEN,
    "wallet": None,
    "minUsd": 1000,
    "minAmountRaw": None,
    "chat": "discord",
    "afterBlock": 21000000,
    "createdAt": "2026-01-03T10:20:00.000Z",
}
ONE: dict[str, Any] = {"success": True, "data": {"feed": FEED}}
LIST: dict[str, Any] = {"success": True, "data": {"feeds": [FEED], "limit": 5}}
DELETED: dict[str, Any] = {"success": True, "data": {"id": FEED["id"], "deleted": True}}
STREAM = (
    "retry: 3000\n\n"
    "id: 21000017:14\nevent: buy\n"
    f'data: {{"feedId":"{FEED["id"]}","chainId":"eip155:8453","tokenAddress":"{TOKEN}","blockNumber":21000017,'
    '"logIndex":14,"amountRaw":"2500000000000000000000","amountUsd":1250.5}\n\n'
    ": alive\n\n"
)
