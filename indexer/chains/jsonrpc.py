"""JSON-RPC 2.0 as nodes speak it: several calls in one HTTP request, and their answers."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from indexer.chains.errors import NodeUnavailable, RpcError

Call = tuple[str, Sequence[Any]]
"""A request: its method and parameters."""


def encode(calls: Sequence[Call], *, alone: bool = False) -> bytes:
    """The body of the HTTP request. Ids count from 0 in order.

    Args:
        alone: send the only call by itself, not as a batch, which some nodes refuse.
    """
    items = [
        {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}
        for index, (method, params) in enumerate(calls)
    ]
    return orjson.dumps(items[0] if alone else items)


def read_batch(content: bytes, count: int, refusal: Callable[[int | None, str], RpcError]) -> list[Any]:
    """The results of a batch in the order of its calls. A call that failed for good has its RpcError instead.

    Args:
        count: how many calls the batch had.
        refusal: what a code and a message of an error mean. Raises NodeUnavailable where the node is to blame.

    Raises:
        NodeUnavailable: the node failed, or did not answer every call once.
    """
    try:
        items = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise NodeUnavailable(f"not JSON: {content[:80]!r}") from error
    if isinstance(items, dict) and "error" in items:
        raise NodeUnavailable(str(items["error"])[:200])
    found = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    by_id = {item["id"]: item for item in found if isinstance(item.get("id"), int)}
    if len(found) != count:
        raise NodeUnavailable(f"{len(found)} answers to {count} requests")
    answers: list[Any] = []
    for index in range(count):
        item = by_id.get(index)
        if item is None or ("result" not in item and "error" not in item):
            raise NodeUnavailable(f"no answer to request {index} of {count}")
        fault = item.get("error")
        if fault is None:
            answers.append(item.get("result"))
        elif isinstance(fault, dict):
            code = fault.get("code")
            answers.append(refusal(code if isinstance(code, int) else None, str(fault.get("message", ""))))
        else:
            raise NodeUnavailable(str(fault)[:200])
    return answers
