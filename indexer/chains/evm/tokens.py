"""Which contracts to read as tokens, at which block, and what rows follow.

This depends on the chain alone and not on how blocks are cut into units, so that an index made in one run and one made
block by block hold the same rows:

- a contract is read at its creation, and is a token from then on if it answers as one;
- a contract that is not known as a token is read at its first transfer, and is one unless it says it is ERC-721;
- a token is read again at every block in which an event changed who controls it or what code it runs.

Where the node has pruned the state, contracts are read at the head and stored under the unit's last block.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from indexer.chains.errors import StateMissing
from indexer.chains.evm.creations import Creation
from indexer.chains.evm.headers import Headers
from indexer.chains.evm.metadata import Question, Reading, read_tokens, read_tokens_at_head
from indexer.chains.evm.rpc import EvmClient
from indexer.known import Known, Origin
from indexer.unit import Rows

LOG = logging.getLogger(__name__)

CREATED, MOVED, CONTROLLED = "created", "moved", "controlled"


@dataclass(slots=True)
class Touches:
    """Why to read which contract at which block of a unit."""

    causes: dict[Question, set[str]] = field(default_factory=dict)

    def add(self, address: bytes, block: int, cause: str) -> None:
        """Add one reason."""
        self.causes.setdefault((address, block), set()).add(cause)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One row of fact_token."""

    address: bytes
    reading: Reading
    origin: Origin
    read_block: int


def collect_touches(
    creations: Sequence[Creation],
    movers: Mapping[bytes, int],
    controlled: Sequence[tuple[bytes, int]],
    known: Mapping[bytes, Origin | None],
) -> Touches:
    """What to read in a unit. ``movers`` maps each emitter of transfers to the block of its first one in the unit."""
    touches = Touches()
    earliest: dict[bytes, int] = {}
    for creation in creations:
        touches.add(creation.address, creation.block_number, CREATED)
        earliest.setdefault(creation.address, creation.block_number)
    for address, block in movers.items():
        if address not in known:
            touches.add(address, block, MOVED)
            earliest[address] = min(block, earliest.get(address, block))
    for address, block in controlled:
        if known.get(address) is not None or earliest.get(address, block + 1) <= block:
            touches.add(address, block, CONTROLLED)
    return touches


def read_touched(client: EvmClient, touches: Touches, headers: Headers) -> dict[Question, Reading]:
    """Read everything. Where the node has pruned the state, read each contract once at the head."""
    questions = sorted(touches.causes, key=lambda question: (question[1], question[0]))
    last = headers.last
    try:
        return read_tokens(client, questions, {block: headers.hash_of(block) for _, block in questions})
    except StateMissing as error:
        LOG.debug("reading tokens at the head: %s", error)
        client.counters["readings_at_head"] += 1
    causes: dict[Question, set[str]] = {}
    for (address, _), happened in touches.causes.items():
        causes.setdefault((address, last), set()).update(happened)
    touches.causes = causes
    found = read_tokens_at_head(client, [address for address, _ in causes])
    return {(address, last): reading for address, reading in found.items()}


def judge_tokens(
    touches: Touches, readings: Mapping[Question, Reading], origins: Mapping[bytes, Origin], known: Known
) -> list[TokenRow]:
    """The rows of fact_token, in the order of the chain. ``known`` learns what is a token and what is not."""
    rows: list[TokenRow] = []
    for question in sorted(touches.causes, key=lambda item: (item[1], item[0])):
        address, block = question
        causes, reading = touches.causes[question], readings[question]
        token = known.tokens.get(address)
        if token is None:
            if reading.is_erc721:
                known.learn_token(address, None)
                continue
            if MOVED not in causes and not (CREATED in causes and reading.plausible):
                continue
            token = origins[address]
            known.learn_token(address, token)
        elif causes == {MOVED}:
            continue
        rows.append(TokenRow(address, reading, token, block))
    return rows


def token_columns(rows: Sequence[TokenRow]) -> Rows:
    """Rows of fact_token by column."""
    readings = [row.reading for row in rows]
    return {
        "address": [row.address for row in rows],
        "name": [reading.name.encode() for reading in readings],
        "symbol": [reading.symbol.encode() for reading in readings],
        "decimals": (
            np.array([reading.decimals is None for reading in readings], np.bool_),
            np.array([reading.decimals or 0 for reading in readings], np.uint8),
        ),
        "total_supply_raw": (
            np.array([reading.total_supply is None for reading in readings], np.bool_),
            np.frombuffer(
                b"".join([(reading.total_supply or 0).to_bytes(32, "little") for reading in readings]), np.uint8
            ).reshape(len(rows), 32),
        ),
        "owner": [reading.owner for reading in readings],
        "proxy_admin": [reading.proxy_admin for reading in readings],
        "implementation": [reading.implementation for reading in readings],
        "program": [b""] * len(rows),
        "traits": [()] * len(rows),
        "read_status": [reading.read_status.encode() for reading in readings],
        "first_block": np.array([row.origin.block for row in rows], np.uint64),
        "first_time": np.array([row.origin.time for row in rows], np.uint32),
        "read_block": np.array([row.read_block for row in rows], np.uint64),
    }
