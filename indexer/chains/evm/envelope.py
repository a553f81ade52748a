"""The envelope of JSON-RPC answers: results, errors, ids."""

from typing import Any

import msgspec

from indexer.chains.errors import NodeLied, NodeUnavailable
from indexer.chains.evm.classify import classify


class RpcFault(msgspec.Struct, gc=False):
    """The ``error`` member of an answer."""

    code: Any = None
    message: str = ""


class Answer(msgspec.Struct, gc=False):
    """One JSON-RPC answer. Its result is decoded later, by the caller that knows its type."""

    id: Any = None
    result: msgspec.Raw = msgspec.Raw(b"")
    error: RpcFault | None = None


_ONE = msgspec.json.Decoder(Answer)
_MANY = msgspec.json.Decoder(list[Answer])


def parse_batch(answer: bytes, count: int) -> list[Answer]:
    """The answers to ``count`` requests in the order of the requests. Nodes may answer a batch in any order."""
    try:
        text = answer.lstrip()
        items = _MANY.decode(text) if text[:1] == b"[" else [_ONE.decode(text)]
    except msgspec.DecodeError as error:
        raise NodeUnavailable(f"not a JSON-RPC answer: {error}: {answer[:120]!r}") from error
    if len(items) == 1 and items[0].error is not None and count > 1:
        raise classify(items[0].error.code, items[0].error.message)
    ordered: list[Answer | None] = [None] * count
    for item in items:
        if isinstance(item.id, int) and 0 <= item.id < count:
            ordered[item.id] = item
    complete = [item for item in ordered if item is not None]
    if len(complete) != count:
        raise NodeUnavailable(f"{len(complete)} answers to {count} requests")
    for item in complete:
        if item.error is None and not bytes(item.result):
            raise NodeUnavailable("an answer with neither result nor error")
    return complete


def require_result(answer: bytes) -> bytes:
    """Return an answer whose result is an array; raise the error that any other answer means.

    The first bytes usually decide. The whole answer is parsed only when they do not.
    """
    head = answer[:256]
    at = head.find(b'"result"')
    if at >= 0 and b'"error"' not in head and head[at + 8 :].lstrip(b" :\r\n\t")[:1] == b"[":
        return answer
    item = parse_batch(answer, 1)[0]
    if item.error is not None:
        raise classify(item.error.code, item.error.message)
    if not bytes(item.result).lstrip().startswith(b"["):
        raise NodeUnavailable(f"a result that is not a list: {bytes(item.result)[:80]!r}")
    return answer


def quantity(text: object) -> int:
    """The number that a JSON-RPC quantity means; NodeLied for anything else."""
    if isinstance(text, str) and text.startswith("0x"):
        try:
            return int(text, 16)
        except ValueError:
            pass
    raise NodeLied(f"{text!r} is not a quantity")


def read_chain_id(result: bytes) -> int:
    """The chain id in the result of ``eth_chainId``."""
    try:
        return quantity(msgspec.json.decode(result))
    except (msgspec.DecodeError, NodeLied) as error:
        raise NodeUnavailable(f"eth_chainId answered {result[:80]!r}") from error
