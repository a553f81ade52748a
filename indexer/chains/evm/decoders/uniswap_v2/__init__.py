"""Uniswap V2 and its forks: pools of the configured factories, swaps, reserves."""

import numpy as np

from indexer.chains.evm.decoders.frame import Columns, Frame, Scope, emitted_by, matching, position, raw_log
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import address, little_endian, subtract
from warehouse.domain.selectors import event_topic

PROTOCOL = "uniswap_v2"
PAIR_CREATED = event_topic("PairCreated(address,address,address,uint256)")
SWAP = event_topic("Swap(address,uint256,uint256,uint256,uint256,address)")
SYNC = event_topic("Sync(uint112,uint112)")
TOPICS = (PAIR_CREATED, SWAP, SYNC)


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_pool (and raw_log), fact_swap and fact_pool_state."""
    frames = [*_pools(matching(logs, PAIR_CREATED, topics=3, words=2), scope)]
    swaps = matching(logs, SWAP, topics=3, words=4)
    if len(swaps):
        frames.append(_swaps(swaps))
    states = matching(logs, SYNC, topics=1, words=2)
    if len(states):
        frames.append(_states(states))
    return frames


def _pools(created: Logs, scope: Scope) -> list[Frame]:
    frames = []
    for dex in scope.of(PROTOCOL):
        logs = created.select(emitted_by(created, dex.factory))
        count = len(logs)
        if not count:
            continue
        columns: Columns = {
            **position(logs),
            "pool": address(logs.words(2)[:, 0]),
            "protocol": [PROTOCOL.encode()] * count,
            "exchange": [dex.name] * count,
            "factory": logs.address(),
            "token0": address(logs.topic(1)),
            "token1": address(logs.topic(2)),
            "fee_ppm": np.full(count, dex.fee_ppm, np.uint32),
            "tick_spacing": np.zeros(count, np.int32),
            "hooks": [b""] * count,
        }
        frames += [Frame("fact_pool", columns), raw_log(logs)]
    return frames


def _swaps(logs: Logs) -> Frame:
    count = len(logs)
    words = logs.words(4)
    paid_in = [little_endian(words[:, index]) for index in (0, 1)]
    paid_out = [little_endian(words[:, index]) for index in (2, 3)]
    return Frame(
        "fact_swap",
        {
            **position(logs),
            "pool": logs.address(),
            "sender": address(logs.topic(1)),
            "recipient": address(logs.topic(2)),
            "amount0_raw": subtract(paid_in[0], paid_out[0]),
            "amount1_raw": subtract(paid_in[1], paid_out[1]),
            "sqrt_price_x96": np.zeros((count, 32), np.uint8),
            "liquidity": np.zeros((count, 32), np.uint8),
            "tick": np.zeros(count, np.int32),
        },
        PROTOCOL,
    )


def _states(logs: Logs) -> Frame:
    words = logs.words(2)
    count = len(logs)
    return Frame(
        "fact_pool_state",
        {
            "block_number": logs.block_number,
            "log_index": logs.log_index,
            "pool": logs.address(),
            "reserve0_raw": little_endian(words[:, 0]),
            "reserve1_raw": little_endian(words[:, 1]),
            "sqrt_price_x96": np.zeros((count, 32), np.uint8),
            "tick": np.zeros(count, np.int32),
        },
        PROTOCOL,
    )
