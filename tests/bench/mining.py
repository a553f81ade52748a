"""Mining at a steady pace on a local chain: transfers of many tokens, now and then a new one."""

import random
import string
import time
from collections.abc import Iterator
from dataclasses import dataclass

from indexer.devchain import artifacts
from indexer.devchain.bulk import BulkChain
from indexer.devchain.sender import Sender

_SUPPLY = 10**27


@dataclass(frozen=True, slots=True)
class Pace:
    """How long to mine, how often, and what is in the blocks."""

    seconds: float
    blocks_a_second: float
    moves_a_block: int
    blocks_a_token: int


@dataclass(frozen=True, slots=True)
class Mined:
    """A block, when it was mined (monotonic seconds), and the token that was created in it."""

    number: int
    at: float
    symbol: str = ""
    token: str | None = None


def mine(chain: BulkChain, pace: Pace) -> Iterator[Mined]:
    """Mine blocks at their times; each is yielded at once."""
    anvil, source = chain.anvil, random.Random(1)
    sender = Sender(anvil)
    owner: str = anvil.rpc("eth_accounts")[0].lower()
    spray = artifacts.load("SprayToken")
    call = spray.call("spray", 0, 0, 0)[:10]
    anvil.rpc("evm_setAutomine", False)
    tokens = list(chain.tokens)
    number = anvil.block_number()
    with sender.impersonation():
        started = time.monotonic()
        for turn in range(int(pace.seconds * pace.blocks_a_second)):
            sent = 0
            while sent < pace.moves_a_block:
                moves = min(pace.moves_a_block - sent, source.choice((5, 15, 40)))
                data = f"{call}{source.getrandbits(256):064x}{moves:064x}{3_000:064x}"
                sender.send(owner, source.choice(tokens), data, gas=9_000_000, purpose="spray")
                sent += moves
            symbol, deployed = "", None
            if turn % pace.blocks_a_token == 0:
                symbol = "".join(source.choices(string.ascii_uppercase, k=9))
                deployed = sender.create(
                    owner, spray.deployment(symbol.title(), symbol, 18, _SUPPLY, owner), gas=4_000_000
                )
            sender.flush()
            time.sleep(max(0.0, started + turn / pace.blocks_a_second - time.monotonic()))
            anvil.mine()
            number += 1
            yield Mined(number, time.monotonic(), symbol, deployed)
            if deployed is not None:
                tokens.append(deployed)
            sender.sent.clear()
