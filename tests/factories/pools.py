"""Pools as the pricing rules take them, without a warehouse."""

from pipelines.pricing import Pool

USDC, USDT, WETH, ZERO, COIN = "dc", "d7", "ee", "00", "c0"


def pool(name: str, token0: str, units0: float, token1: str, units1: float, **values: object) -> Pool:
    """A V2 pool of whole units; stablecoins have 6 decimals, everything else 18."""
    places = {USDC: 6, USDT: 6}
    decimals0, decimals1 = places.get(token0, 18), places.get(token1, 18)
    reserve0, reserve1 = int(units0 * 10**decimals0), int(units1 * 10**decimals1)
    state = (reserve0, reserve1, 0)
    standard: dict[str, object] = {
        "pool": name, "dex": "uniswap", "token0": token0, "token1": token1, "decimals0": decimals0,
        "decimals1": decimals1, "state": state, "amount0_raw": reserve0, "amount1_raw": reserve1,
        "past": {0: state, 1: state, 6: state, 24: state},
    }  # fmt: skip
    return Pool(**{**standard, **values})  # type: ignore[arg-type]


REFERENCE = pool("reference", USDC, 2_000_000, WETH, 1_000)
