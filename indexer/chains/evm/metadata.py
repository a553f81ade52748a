"""Read what tokens say about themselves, in batches and without trusting the answers.

A contract may revert, burn gas, return garbage or text meant to harm a reader. That is a fact about the token and never
stops indexing. When the node fails, its error is raised and the unit is repeated, so that a healthy token is never
stored as broken.
"""

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

from indexer.chains.errors import (
    BlockMissing,
    CallFailed,
    ChainMoved,
    NodeLimited,
    RpcError,
    StateMissing,
    UnknownFault,
)
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.jsonrpc import Call
from indexer.chains.text import NAME_CHARACTERS, SYMBOL_CHARACTERS, clean_text
from warehouse.domain.selectors import DECIMALS, NAME, OWNER, SYMBOL, TOTAL_SUPPLY

# Enough for any honest getter, also behind proxies; too little for a hostile one to keep the node busy.
GAS_CAP = hex(500_000)

IS_ERC721 = "0x01ffc9a7" + "80ac58cd".ljust(64, "0")
ADMIN_SLOT = "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103"
IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a token says about itself at one block.

    Attributes:
        plausible: it answers as an ERC-20 token does, so it counts as one even before its first transfer.
        is_erc721: it says that it is a collection of unique tokens, so it does not count.
        read_status: ``ok``, ``partial`` or ``broken``.
    """

    name: str
    symbol: str
    decimals: int | None
    total_supply: int | None
    owner: bytes
    proxy_admin: bytes
    implementation: bytes
    is_erc721: bool

    @property
    def plausible(self) -> bool:  # noqa: D102
        return not self.is_erc721 and self.read_status == "ok"

    @property
    def read_status(self) -> str:  # noqa: D102
        answered = [bool(self.symbol), self.decimals is not None, self.total_supply is not None]
        return "ok" if all(answered) else "partial" if any(answered) else "broken"


Question = tuple[bytes, int]
Hashes = Mapping[int, bytes]
# How nodes say that they accept only a block's number or tag.
_TAKES_NO_HASH = re.compile(r"-32602|unmarshal|invalid (type|argument|param)|deserial|must be a string", re.IGNORECASE)


def read_tokens(
    client: EvmClient, questions: Sequence[Question], hashes: Hashes | None = None
) -> dict[Question, Reading]:
    """Readings of (address, block) pairs, each at its block.

    Blocks are named by their hash where ``hashes`` has it and the node accepts it: a node on another fork then says
    that it does not have the block. By number it would describe the contract as it is on its own fork.

    Raises:
        StateMissing: the node has pruned the state of one of the blocks.
        ChainMoved: the node does not know one of the blocks, or no longer.
    """
    if not questions:
        return {}
    core = (_view(SYMBOL), _view(DECIMALS), _view(TOTAL_SUPPLY), _view(IS_ERC721))
    rest = (_view(NAME), _view(OWNER), _slot(ADMIN_SLOT), _slot(IMPLEMENTATION_SLOT))
    first = _ask(client, questions, core, hashes or {})
    worth = [question for question in questions if any(first[question][:3])]
    second = _ask(client, worth, rest, hashes or {})
    return {question: _reading(first[question], second.get(question, [b""] * 4)) for question in questions}


def read_tokens_at_head(client: EvmClient, addresses: Sequence[bytes]) -> dict[bytes, Reading]:
    """Readings of the current state, for nodes that prune older state."""
    found = read_tokens(client, [(address, -1) for address in addresses])
    return {address: reading for (address, _), reading in found.items()}


def decode_text(answer: bytes) -> bytes:
    """The bytes of an ABI string, or of a bytes32 used as one; empty when it is neither."""
    if len(answer) >= 64:
        at = int.from_bytes(answer[:32], "big")
        if at + 32 <= len(answer):
            length = int.from_bytes(answer[at : at + 32], "big")
            if at + 32 + length <= len(answer):
                return answer[at + 32 : at + 32 + length]
        return b""
    if len(answer) == 32:
        return answer.rstrip(b"\0") if not answer.startswith(b"\0") else b""
    return b""


def _view(selector: str) -> tuple[str, str]:
    return "eth_call", selector


def _slot(slot: str) -> tuple[str, str]:
    return "eth_getStorageAt", slot


def _call(address: bytes, block: int, method: str, argument: str, hashes: Hashes) -> Call:
    where: object = "latest" if block < 0 else hex(block)
    if block in hashes:
        where = {"blockHash": "0x" + hashes[block].hex()}
    to = "0x" + address.hex()
    if method == "eth_getStorageAt":
        return method, (to, argument, where)
    return method, ({"to": to, "data": argument, "gas": GAS_CAP}, where)


def _ask(
    client: EvmClient, questions: Sequence[Question], views: Sequence[tuple[str, str]], hashes: Hashes
) -> dict[Question, list[bytes]]:
    """The bytes that each call returned for each question; empty where the contract failed."""
    if not client.takes_hashes:
        hashes = {}
    calls = [_call(address, block, *view, hashes) for address, block in questions for view in views]
    settled = client.many(calls)
    if hashes and any(isinstance(answer, UnknownFault) and _TAKES_NO_HASH.search(str(answer)) for answer in settled):
        client.takes_hashes = False
        return _ask(client, questions, views, {})
    for row, answer in enumerate(settled):
        if isinstance(answer, BlockMissing):
            raise ChainMoved(f"block {questions[row // len(views)][1]} is not known to the node: {answer}")
        if isinstance(answer, UnknownFault):
            settled[row] = _ask_alone(client, calls[row])
    answers = [_bytes(answer) for answer in settled]
    width = len(views)
    return {question: answers[width * row : width * (row + 1)] for row, question in enumerate(questions)}


def _ask_alone(client: EvmClient, call: Call) -> msgspec.Raw | RpcError:
    """Repeat a call by itself: if it always fails, the contract is the cause and not the node."""
    answer: msgspec.Raw | RpcError = CallFailed("not asked")
    for attempt in range(3):
        time.sleep(0.1 * attempt)
        answer, alive = client.many([call, ("eth_chainId", ())])
        if isinstance(alive, RpcError):
            raise alive
        if not isinstance(answer, UnknownFault):
            return answer
    return CallFailed(str(answer))


def _bytes(answer: msgspec.Raw | RpcError) -> bytes:
    if isinstance(answer, StateMissing):
        raise answer
    if isinstance(answer, CallFailed | NodeLimited):
        return b""
    if isinstance(answer, RpcError):
        raise answer
    text = msgspec.json.decode(answer)
    if not isinstance(text, str):
        return b""
    try:
        return bytes.fromhex(text[2:])
    except ValueError:
        return b""


def _reading(core: list[bytes], rest: list[bytes]) -> Reading:
    symbol, decimals, supply, erc721 = core
    name, owner, admin, implementation = rest
    return Reading(
        name=clean_text(decode_text(name), NAME_CHARACTERS),
        symbol=clean_text(decode_text(symbol), SYMBOL_CHARACTERS),
        decimals=_number(decimals, 255),
        total_supply=_number(supply, 2**256 - 1),
        owner=_account(owner),
        proxy_admin=_account(admin),
        implementation=_account(implementation),
        is_erc721=_number(erc721, 1) == 1,
    )


def _number(answer: bytes, largest: int) -> int | None:
    if len(answer) < 32:
        return None
    value = int.from_bytes(answer[:32], "big")
    return value if value <= largest else None


def _account(answer: bytes) -> bytes:
    if len(answer) != 32 or any(answer[:12]) or not any(answer):
        return b""
    return answer[12:]
