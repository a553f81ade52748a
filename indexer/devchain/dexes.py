"""Genuine Uniswap V2, V3 and V4 on the local chain: deployed from npm, pools opened, swaps written."""

import math
from dataclasses import dataclass

from eth_abi.abi import encode
from eth_utils.crypto import keccak

from indexer.devchain import artifacts
from indexer.devchain.sender import Sender, create2_address

NATIVE = "0x" + "00" * 20
_FOREVER = 2**40
_MAX = 2**256 - 1
_MIN_SQRT_PRICE = 4295128739
_MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342
_TICK_SPACING = {500: 10, 3000: 60, 10_000: 200}
_SUPPORTING = "SupportingFeeOnTransferTokens"


@dataclass(frozen=True, slots=True)
class Pool:
    """An open pool. ``address`` is the 32-byte pool id on V4; amounts are those it was opened with."""

    protocol: str
    address: str
    base: str
    quote: str
    fee_ppm: int
    base_amount: int
    quote_amount: int
    takes_fee: bool = False

    @property
    def token0(self) -> str:
        """The lower of the two tokens; the zero address is the native coin."""
        return min(self.base, self.quote)

    @property
    def token1(self) -> str:
        """The higher of the two tokens."""
        return max(self.base, self.quote)


@dataclass(frozen=True, slots=True)
class Dexes:
    """Addresses of the deployments. Wallets approve ``spenders`` of a protocol before they trade there."""

    weth: str
    v2_factory: str
    v2_router: str
    v3_factory: str
    v3_router: str
    v3_positions: str
    v4_manager: str
    v4_liquidity: str
    v4_swaps: str

    @classmethod
    def deploy(cls, sender: Sender, deployer: str) -> "Dexes":
        """Queue the creation of wrapped native coin and all three DEXes."""

        def create(name: str, *arguments: str) -> str:
            data = artifacts.load(name).deployment(*arguments)
            return sender.create(deployer, data, gas=12_000_000, purpose=f"deploy {name}")

        weth = create("WETH9")
        v2_factory = create("UniswapV2Factory", deployer)
        v3_factory = create("UniswapV3Factory")
        v4_manager = create("PoolManager", deployer)
        return cls(
            weth=weth,
            v2_factory=v2_factory,
            v2_router=create("UniswapV2Router02", v2_factory, weth),
            v3_factory=v3_factory,
            v3_router=create("SwapRouter", v3_factory, weth),
            # The position manager needs its descriptor for pictures only.
            v3_positions=create("NonfungiblePositionManager", v3_factory, weth, NATIVE),
            v4_manager=v4_manager,
            v4_liquidity=create("PoolModifyLiquidityTest", v4_manager),
            v4_swaps=create("PoolSwapTest", v4_manager),
        )

    def spender(self, protocol: str, *, liquidity: bool) -> str:
        """Who moves the tokens of a wallet that trades, or provides liquidity."""
        if protocol == "uniswap_v2":
            return self.v2_router
        if protocol == "uniswap_v3":
            return self.v3_positions if liquidity else self.v3_router
        return self.v4_liquidity if liquidity else self.v4_swaps

    def approve(self, sender: Sender, owner: str, token: str, protocol: str, *, liquidity: bool = False) -> None:
        """Let the DEX move ``token`` of ``owner``; the native coin needs no approval."""
        if token != NATIVE:
            spender = self.spender(protocol, liquidity=liquidity)
            data = artifacts.load("PlainToken").call("approve", spender, _MAX)
            sender.send(owner, token, data, gas=100_000, purpose="approve")

    def open_pool(
        self, sender: Sender, provider: str, protocol: str, base: tuple[str, int], quote: tuple[str, int], fee_ppm: int,
        *, takes_fee: bool = False,
    ) -> Pool:  # fmt: skip
        """Queue the opening of a pool with these tokens and amounts over the whole range."""
        for token, _ in (base, quote):
            self.approve(sender, provider, token, protocol, liquidity=True)
        (token0, amount0), (token1, amount1) = sorted((base, quote))
        if protocol == "uniswap_v2":
            address = self._open_v2(sender, provider, token0, token1, amount0, amount1)
        elif protocol == "uniswap_v3":
            address = self._open_v3(sender, provider, token0, token1, amount0, amount1, fee_ppm)
        else:
            address = self._open_v4(sender, provider, token0, token1, amount0, amount1, fee_ppm)
        return Pool(protocol, address, base[0], quote[0], fee_ppm, base[1], quote[1], takes_fee)

    def _open_v2(self, sender: Sender, provider: str, token0: str, token1: str, amount0: int, amount1: int) -> str:
        data = artifacts.load("UniswapV2Router02").call(
            "addLiquidity", token0, token1, amount0, amount1, 0, 0, provider, _FOREVER
        )
        sender.send(provider, self.v2_router, data, gas=4_000_000, purpose="open V2 pool")
        salt = keccak(bytes.fromhex(token0[2:] + token1[2:]))
        return create2_address(self.v2_factory, salt, artifacts.load("UniswapV2Pair").bytecode)

    def _open_v3(
        self, sender: Sender, provider: str, token0: str, token1: str, amount0: int, amount1: int, fee_ppm: int
    ) -> str:
        positions = artifacts.load("NonfungiblePositionManager")
        create = positions.call(
            "createAndInitializePoolIfNecessary", token0, token1, fee_ppm, sqrt_price_x96(amount0, amount1)
        )
        sender.send(provider, self.v3_positions, create, gas=7_000_000, purpose="open V3 pool")
        edge = _edge_tick(fee_ppm)
        mint = positions.call(
            "mint", (token0, token1, fee_ppm, -edge, edge, amount0, amount1, 0, 0, provider, _FOREVER)
        )
        sender.send(provider, self.v3_positions, mint, gas=1_500_000, purpose="fill V3 pool")
        salt = keccak(encode(["address", "address", "uint24"], [token0, token1, fee_ppm]))
        return create2_address(self.v3_factory, salt, artifacts.load("UniswapV3Pool").bytecode)

    def _open_v4(
        self, sender: Sender, provider: str, token0: str, token1: str, amount0: int, amount1: int, fee_ppm: int
    ) -> str:
        key = _v4_key(token0, token1, fee_ppm)
        start = artifacts.load("PoolManager").call("initialize", key, sqrt_price_x96(amount0, amount1))
        sender.send(provider, self.v4_manager, start, gas=1_000_000, purpose="open V4 pool")
        edge = _edge_tick(fee_ppm)
        change = (-edge, edge, math.isqrt(amount0 * amount1), bytes(32))
        fill = artifacts.load("PoolModifyLiquidityTest").call(
            "modifyLiquidity((address,address,uint24,int24,address),(int24,int24,int256,bytes32),bytes)",
            key,
            change,
            b"",
        )
        value = amount0 * 101 // 100 if token0 == NATIVE else 0  # the rest comes back
        sender.send(provider, self.v4_liquidity, fill, value=value, gas=2_000_000, purpose="fill V4 pool")
        return "0x" + keccak(encode(["(address,address,uint24,int24,address)"], [key])).hex()

    def add_v3_position(
        self, sender: Sender, provider: str, pool: Pool, amounts: tuple[int, int], ticks: tuple[int, int]
    ) -> None:
        """Queue a position of a chosen range; amounts are those of token0 and token1."""
        data = artifacts.load("NonfungiblePositionManager").call(
            "mint",
            (pool.token0, pool.token1, pool.fee_ppm, *ticks, *amounts, 0, 0, provider, _FOREVER),
        )
        sender.send(provider, self.v3_positions, data, gas=1_500_000, purpose="add V3 position")

    def swap(self, sender: Sender, trader: str, pool: Pool, token_in: str, amount_in: int) -> None:
        """Queue a swap of ``amount_in`` of one token of the pool for whatever the other gives."""
        token_out = pool.quote if token_in == pool.base else pool.base
        value = 0
        if pool.protocol == "uniswap_v2":
            function = "swapExactTokensForTokens" + (_SUPPORTING if pool.takes_fee else "")
            to = self.v2_router
            data = artifacts.load("UniswapV2Router02").call(
                function, amount_in, 0, [token_in, token_out], trader, _FOREVER
            )
        elif pool.protocol == "uniswap_v3":
            to = self.v3_router
            data = artifacts.load("SwapRouter").call(
                "exactInputSingle", (token_in, token_out, pool.fee_ppm, trader, _FOREVER, amount_in, 0, 0)
            )
        else:
            to = self.v4_swaps
            upward = token_in == pool.token1
            limit = _MAX_SQRT_PRICE - 1 if upward else _MIN_SQRT_PRICE + 1
            key = _v4_key(pool.token0, pool.token1, pool.fee_ppm)
            data = artifacts.load("PoolSwapTest").call(
                "swap", key, (not upward, -amount_in, limit), (False, False), b""
            )
            value = amount_in if token_in == NATIVE else 0
        sender.send(trader, to, data, value=value, gas=500_000, purpose="swap")


def sqrt_price_x96(amount0: int, amount1: int) -> int:
    """The square root of token1 per token0, as Uniswap V3 writes it."""
    return math.isqrt((amount1 << 192) // amount0)


def tick_at(amount0: int, amount1: int) -> int:
    """The tick of that price, good to a tick."""
    return math.floor(math.log(amount1 / amount0) / math.log(1.0001))


def _edge_tick(fee_ppm: int) -> int:
    spacing = _TICK_SPACING[fee_ppm]
    return 887272 // spacing * spacing


def _v4_key(token0: str, token1: str, fee_ppm: int) -> tuple[str, str, int, int, str]:
    return (token0, token1, fee_ppm, _TICK_SPACING[fee_ppm], NATIVE)
