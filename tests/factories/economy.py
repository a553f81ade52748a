"""Random but repeatable activity on a ledger, from a seed."""

import random

from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import USDC, WETH, ZERO, Ledger, address

Q96 = 1 << 96


class Economy:
    """Random but repeatable activity on a ledger: tokens, transfers, pools of two kinds, changes of control."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        self.ledger = ledger
        self.rng = random.Random(seed)
        self.wallets = [address(0xA000 + number) for number in range(40)]
        self.tokens: list[str] = []
        self.pools: list[tuple[str, str]] = []

    def create_assets(self) -> None:
        """Create the native coin, a stablecoin and their pool."""
        self.ledger.mine()
        self.ledger.token(int(WETH, 16), "WETH", supply=100_000 * ETHER)
        self.ledger.token(int(USDC, 16), "USDC", supply=10**9 * DOLLAR, decimals=6)
        reference = self.ledger.pool(0x7001, USDC, WETH)
        self.ledger.sync(reference, 2_000_000 * DOLLAR, 1_000 * ETHER)
        self.pools.append((reference, "reference"))

    def add_blocks(self, blocks: int) -> None:
        """Add blocks with random activity, at times far apart."""
        for _ in range(blocks):
            self.ledger.mine(self.rng.choice([2, 2, 2, 60, 700, 4_000, 30_000]))
            for _ in range(self.rng.randrange(5)):
                self._add_event()

    def _add_event(self) -> None:
        rng, ledger = self.rng, self.ledger
        kind = rng.randrange(10)
        if kind == 0 or len(self.tokens) < 2:
            number = 0x9000 + len(self.tokens) + 1000 * ledger.fork
            symbol = rng.choice(["PEPE", "P3PE", "РEPE", "DOGE", "D0GE", "USDC"])
            creator = rng.choice(self.wallets)
            self.tokens.append(ledger.token(number, symbol, supply=rng.randrange(1, 10**6) * ETHER, creator=creator))
        elif kind == 1:
            token = rng.choice(self.tokens)
            number = 0x7100 + len(self.pools) + 1000 * ledger.fork
            if rng.random() < 0.5:
                pool = ledger.pool(number, token, WETH)
                self.pools.append((pool, "v2"))
            else:
                pool = ledger.pool(number, token, WETH, protocol="uniswap_v3")
                ledger.initialize(pool, Q96 // rng.randrange(1, 50))
                ledger.position(pool, -60_000, 60_000, rng.randrange(1, 1000) * ETHER)
                self.pools.append((pool, "v3"))
        elif kind <= 4:
            pool, form = rng.choice(self.pools)
            if form == "v3":
                ledger.swap(pool, ETHER, -ETHER, sqrt_price=Q96 // rng.randrange(1, 50), liquidity=ETHER)
            else:
                price = rng.randrange(1_500, 2_500)
                units = DOLLAR if form == "reference" else ETHER
                ledger.swap(pool, 10 * units, -ETHER // price)
                ledger.sync(pool, 1_000 * price * units, 1_000 * ETHER)
        elif kind == 5:
            ledger.control(rng.choice(self.tokens), "owner", rng.choice(self.wallets))
        else:
            ends = [rng.choice([*self.wallets, ZERO]), rng.choice([*self.wallets, ZERO])]
            if ends != [ZERO, ZERO]:
                ledger.transfer(rng.choice(self.tokens), *ends, rng.randrange(0, 10**4) * ETHER)
