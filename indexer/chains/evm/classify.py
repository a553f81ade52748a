"""What a JSON-RPC error object means.

Nodes agree on few error codes, so the wording decides. The phrases below are those of the common clients and
hosted providers. Anything unknown is treated as a fault of the node, which is retried.
"""

import re

from indexer.chains.errors import (
    BlockMissing,
    CallFailed,
    MethodMissing,
    NodeLimited,
    NodeUnavailable,
    RpcError,
    StateMissing,
    UnknownFault,
)

_LIMITED = re.compile(
    r"query returned more than|response size|size exceed|block range|range (is )?too|too (wide|large)|range limit"
    r"|limited to|max(imum)? (results|logs|range|block)|exceeds? max"
    r"|too many (results|logs|blocks|events)|more than \d+"
    r"|up to a? ?[\d,]+ block|reduce the|query timeout|narrow|requested range|batch (size|limit|too|item)|max batch"
    r"|too many requests in batch|entity too large"
    r"|distance (is )?(too|great|more)|result (set )?(is )?too|results? limit",
    re.IGNORECASE,
)
_THROTTLED = re.compile(
    r"rate.?limit|too many requests|request limit|requests per|throttl|capacity|compute units|throughput|quota"
    r"|try again|temporar|busy|overload|unavailable|daily request|-32029",
    re.IGNORECASE,
)
_MISSING = re.compile(
    r"method.{0,60}(not|n't).{0,20}(found|support|exist|available|allowed|enabled|whitelist)|unsupported method"
    r"|unknown method|not implemented",
    re.IGNORECASE,
)
_NO_STATE = re.compile(
    r"missing trie node|state.{0,20}not.{0,20}(available|found)|state.{0,30}(pruned|discarded)|historical state"
    r"|BlockOutOfRange|archive|no state|state (is )?(missing|unavailable)|old data not available|version not found"
    r"|proof window|pruned",
    re.IGNORECASE,
)
_NO_BLOCK = re.compile(
    r"(header|block)( for hash)?( \S+)?( was| is)? not (found|available|canonical|currently canonical)"
    r"|unknown (block|header)|resource not found|no such block",
    re.IGNORECASE,
)
_REVERTED = re.compile(
    r"revert|out of ?gas|gas required|intrinsic gas|invalid ?(op|jump|instruction|fe)|opcode|stack (under|over)"
    r"|stack(under|over)flow|vm (execution|exception)|evm error|bad (instruction|jump)|gas uint64 overflow"
    r"|exceeds block gas"
    r"|return data|execution (failed|error)|precompile|memory limit|abort|not activated|create collision|halt",
    re.IGNORECASE,
)
_REASON = re.compile(r"(vm exception.{0,40})?(execution )?revert", re.IGNORECASE)
_COUNT = re.compile(r"(?:more than|limit(?:ed to)?|max(?:imum)?(?: of)?(?: results)?|exceeds?)\D{0,20}?(\d[\d,]{2,})")


def classify(code: object, message: str) -> RpcError:
    """The error a JSON-RPC error object means."""
    text = f"{message} ({code})"
    if code == 3 or _REASON.match(message):  # what follows is the contract's own text: anything may stand there
        return CallFailed(text)
    if code == -32601 or _MISSING.search(message):
        return MethodMissing(text)
    if _NO_STATE.search(message):
        return StateMissing(text)
    if code != 429 and _LIMITED.search(message):
        found = _COUNT.search(message)
        results = "result" in message.lower() or "logs" in message.lower()
        return NodeLimited(text, int(found[1].replace(",", "")) if found and results else None)
    if code in (429, -32005, -32029) or _THROTTLED.search(message):
        return NodeUnavailable(text)
    if _REVERTED.search(message):
        return CallFailed(text)
    if _NO_BLOCK.search(message):
        return BlockMissing(text)
    return UnknownFault(text)
