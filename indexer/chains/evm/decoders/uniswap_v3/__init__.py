"""Uniswap V3 and its forks: pools of the configured factories, prices, swaps, positions."""

import numpy as np

from indexer.chains.evm.decoders.frame import Columns, Frame, Scope, emitted_by, matching, position, raw_log
from indexer.chains.evm.tuned.hexadecimal import Bytes
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import address, little_endian, low_int32, negate
from warehouse.domain.selectors import event_topic

PROTOCOL = "uniswap_v3"
POOL_CREATED = event_topic("PoolCreated(address,address,uint24,int24,address)")
INITIALIZE = event_topic("Initialize(uint160,int24)")
SWAP = event_topic("Swap(address,address,int256,int256,uint160,uint128,int24)")
# PancakeSwap's pools append the protocol's share of the fees; the first five words are the same.
SWAP_WITH_PROTOCOL_FEES = event_topic("Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)")
MINT = event_topic("Mint(address,address,int24,int24,uint128,uint256,uint256)")
BURN = event_topic("Burn(address,int24,int24,uint128,uint256,uint256)")
TOPICS = (POOL_CREATED, INITIALIZE, SWAP, SWAP_WITH_PROTOCOL_FEES, MINT, BURN)


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_pool (and raw_log), fact_pool_state, fact_swap and fact_liquidity."""
    frames = _pools(matching(logs, POOL_CREATED, topics=4, words=2), scope)
    states = matching(logs, INITIALIZE, topics=1, words=2)
    if len(states):
        frames.append(_states(states))
    for topic, words in ((SWAP, 5), (SWAP_WITH_PROTOCOL_FEES, 7)):
        swaps = matching(logs, topic, topics=3, words=words)
        if len(swaps):
            frames.append(_swaps(swaps))
    minted = matching(logs, MINT, topics=4, words=4)
    if len(minted):
        frames.append(_positions(minted, little_endian(minted.words(2)[:, 1])))
    burned = matching(logs, BURN, topics=4, words=3)
    if len(burned):
        frames.append(_positions(burned, negate(little_endian(burned.words(1)[:, 0]))))
    return frames


def _pools(created: Logs, scope: Scope) -> list[Frame]:
    frames = []
    for dex in scope.of(PROTOCOL):
        logs = created.select(emitted_by(created, dex.factory))
        count = len(logs)
        if not count:
            continue
        words = logs.words(2)
        columns: Columns = {
            **position(logs),
            "pool": address(words[:, 1]),
            "protocol": [PROTOCOL.encode()] * count,
            "exchange": [dex.name] * count,
            "factory": logs.address(),
            "token0": address(logs.topic(1)),
            "token1": address(logs.topic(2)),
            "fee_ppm": low_int32(logs.topic(3)).astype(np.uint32),
            "tick_spacing": low_int32(words[:, 0]),
            "hooks": [b""] * count,
        }
        frames += [Frame("fact_pool", columns), raw_log(logs)]
    return frames


def _states(logs: Logs) -> Frame:
    words = logs.words(2)
    count = len(logs)
    return Frame(
        "fact_pool_state",
        {
            "block_number": logs.block_number,
            "log_index": logs.log_index,
            "pool": logs.address(),
            "reserve0_raw": np.zeros((count, 32), np.uint8),
            "reserve1_raw": np.zeros((count, 32), np.uint8),
            "sqrt_price_x96": little_endian(words[:, 0]),
            "tick": low_int32(words[:, 1]),
        },
        PROTOCOL,
    )


def _swaps(logs: Logs) -> Frame:
    words = logs.words(5)
    return Frame(
        "fact_swap",
        {
            **position(logs),
            "pool": logs.address(),
            "sender": address(logs.topic(1)),
            "recipient": address(logs.topic(2)),
            "amount0_raw": little_endian(words[:, 0]),
            "amount1_raw": little_endian(words[:, 1]),
            "sqrt_price_x96": little_endian(words[:, 2]),
            "liquidity": little_endian(words[:, 3]),
            "tick": low_int32(words[:, 4]),
        },
        PROTOCOL,
    )


def _positions(logs: Logs, liquidity_delta: Bytes) -> Frame:
    return Frame(
        "fact_liquidity",
        {
            **position(logs),
            "pool": logs.address(),
            "tick_lower": low_int32(logs.topic(2)),
            "tick_upper": low_int32(logs.topic(3)),
            "liquidity_delta": liquidity_delta,
        },
        PROTOCOL,
    )
