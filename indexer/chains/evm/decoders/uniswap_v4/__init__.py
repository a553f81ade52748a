"""Uniswap V4: all pools are in one manager contract, each with a 32-byte id.

The manager emits amounts from the swapper's side (negative is paid). Facts hold what the pool gained, as on V2 and V3,
so the sign is inverted here.
"""

import numpy as np

from indexer.chains.evm.decoders.frame import Columns, Frame, Scope, emitted_by, matching, position, raw_log
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.words import address, little_endian, low_int32, negate
from warehouse.domain.selectors import event_topic

PROTOCOL = "uniswap_v4"
INITIALIZE = event_topic("Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)")
SWAP = event_topic("Swap(bytes32,address,int128,int128,uint160,uint128,int24,uint24)")
MODIFY_LIQUIDITY = event_topic("ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)")
TOPICS = (INITIALIZE, SWAP, MODIFY_LIQUIDITY)
# This fee means that the pool's hook sets the fee for each swap: there is no fixed one.
DYNAMIC_FEE = 0x800000


def decode(logs: Logs, scope: Scope) -> list[Frame]:
    """Rows of fact_pool (and raw_log), fact_pool_state, fact_swap and fact_liquidity."""
    initialized = matching(logs, INITIALIZE, topics=4, words=5)
    swapped = matching(logs, SWAP, topics=3, words=6)
    modified = matching(logs, MODIFY_LIQUIDITY, topics=3, words=4)
    frames: list[Frame] = []
    for dex in scope.of(PROTOCOL):
        for found, read in ((initialized, _pools), (swapped, _swaps), (modified, _positions)):
            own = found.select(emitted_by(found, dex.factory))
            if len(own):
                frames += read(own, dex.name)
    return frames


def _pools(logs: Logs, dex: bytes) -> list[Frame]:
    count = len(logs)
    words = logs.words(5)
    fee = low_int32(words[:, 0]).astype(np.uint32)
    columns: Columns = {
        **position(logs),
        "pool": logs.topic(1),
        "protocol": [PROTOCOL.encode()] * count,
        "exchange": [dex] * count,
        "factory": logs.address(),
        "token0": address(logs.topic(2)),
        "token1": address(logs.topic(3)),
        "fee_ppm": np.where(fee == DYNAMIC_FEE, 0, fee).astype(np.uint32),
        "tick_spacing": low_int32(words[:, 1]),
        "hooks": [hook if any(hook) else b"" for hook in map(bytes, address(words[:, 2]))],
    }
    state: Columns = {
        "block_number": logs.block_number,
        "log_index": logs.log_index,
        "pool": logs.topic(1),
        "reserve0_raw": np.zeros((count, 32), np.uint8),
        "reserve1_raw": np.zeros((count, 32), np.uint8),
        "sqrt_price_x96": little_endian(words[:, 3]),
        "tick": low_int32(words[:, 4]),
    }
    return [Frame("fact_pool", columns), raw_log(logs), Frame("fact_pool_state", state, PROTOCOL)]


def _swaps(logs: Logs, _dex: bytes) -> list[Frame]:
    words = logs.words(6)
    columns: Columns = {
        **position(logs),
        "pool": logs.topic(1),
        "sender": address(logs.topic(2)),
        "recipient": [b""] * len(logs),
        "amount0_raw": negate(little_endian(words[:, 0])),
        "amount1_raw": negate(little_endian(words[:, 1])),
        "sqrt_price_x96": little_endian(words[:, 2]),
        "liquidity": little_endian(words[:, 3]),
        "tick": low_int32(words[:, 4]),
    }
    return [Frame("fact_swap", columns, PROTOCOL)]


def _positions(logs: Logs, _dex: bytes) -> list[Frame]:
    words = logs.words(4)
    columns: Columns = {
        **position(logs),
        "pool": logs.topic(1),
        "tick_lower": low_int32(words[:, 0]),
        "tick_upper": low_int32(words[:, 1]),
        "liquidity_delta": little_endian(words[:, 2]),
    }
    return [Frame("fact_liquidity", columns, PROTOCOL)]
