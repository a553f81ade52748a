"""Forty days of a small market, with what analysts ask about: holders that come and go, trades on two exchanges,
registrations, copies of a symbol and a score that changes."""

from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import CHAINS_TOML, START, USDC, WETH, Ledger, address

SUSHI_FACTORY = address(0x5051)
MARKET_TOML = f"""{CHAINS_TOML}
[[chains.base.exchanges]]
protocol = "uniswap_v2"
name = "sushi"
factory = "0x{SUSHI_FACTORY}"
"""
PEPE, COPY, LOOKALIKE, DOGE = (address(number) for number in (0x9E9E, 0x9BAD, 0x9BAE, 0xD09E))
CREATOR, FORGER = address(0xD1), address(0xBAD)
ALICE, BOB, CAROL, DAVE = (address(number) for number in (0xA11CE, 0xB0B, 0xCA401, 0xDA7E))
FRIENDS = [address(0xF00 + number) for number in range(10)]
DEEP, SHALLOW = address(0x7002), address(0x7003)
"""PEPE's pools on Uniswap and on Sushi."""
RESERVES = {DEEP: 100_000, SHALLOW: 20_000}
"""What each holds of PEPE; a thousandth of it is its WETH."""
DAY, HOUR = 86_400, 3_600


def build_market_history(ledger: Ledger) -> None:
    """Publish WETH at 2,000 dollars and PEPE at 0.001 WETH on 15 June 2025, and what happens to PEPE until 25 July.
    By then it is at 0.00125 WETH on Uniswap."""
    ledger.mine(0)  # The genesis block has no logs.
    ledger.mine(0)
    ledger.token(int(WETH, 16), "WETH", supply=10_000 * ETHER)
    ledger.token(int(USDC, 16), "USDC", supply=10_000_000 * DOLLAR, decimals=6)
    ledger.token(int(PEPE, 16), "PEPE", supply=1_000_000 * ETHER, creator=CREATOR)
    dollars = ledger.pool(0x7001, USDC, WETH)
    ledger.pool(int(DEEP, 16), PEPE, WETH)
    ledger.pool(int(SHALLOW, 16), PEPE, WETH, exchange="sushi", factory=SUSHI_FACTORY)
    ledger.sync(dollars, 2_000_000 * DOLLAR, 1_000 * ETHER)
    for pool, amount in RESERVES.items():
        ledger.transfer(PEPE, CREATOR, pool, amount * ETHER)
        keep_price(ledger, pool)
    buy(ledger, DEEP, ALICE, 1_000, day=0, hour=12)
    buy(ledger, SHALLOW, BOB, 2_000, day=1)
    begin(ledger, day=5)
    ledger.registry("registered", 1, symbol="PEPE", owner=CREATOR, token_address=PEPE, fee_wei=ETHER // 100)
    begin(ledger, day=10)
    ledger.transfer(PEPE, CREATOR, CAROL, 400_000 * ETHER)
    for friend in FRIENDS:
        ledger.transfer(PEPE, CREATOR, friend, 100 * ETHER)
    begin(ledger, day=20)
    ledger.transfer(PEPE, ALICE, BOB, 1_000 * ETHER)
    ledger.publish()
    buy(ledger, SHALLOW, CAROL, 1_000, day=30)
    begin(ledger, day=38)
    ledger.transfer(PEPE, BOB, DEEP, 500 * ETHER)
    ledger.swap(DEEP, 500 * ETHER, -ETHER // 2, recipient=BOB)
    keep_price(ledger, DEEP)
    begin(ledger, day=39, hour=8)
    ledger.token(int(COPY, 16), "PEPE", supply=ETHER, creator=FORGER)
    ledger.token(int(LOOKALIKE, 16), "P\N{CYRILLIC CAPITAL LETTER IE}PE", supply=ETHER, creator=FORGER)
    begin(ledger, day=39, hour=9)
    ledger.token(int(DOGE, 16), "DOGE", supply=1_000 * ETHER, creator=DAVE)
    ledger.registry("registered", 2, symbol="DOGE", owner=DAVE, token_address=DOGE)
    buy(ledger, DEEP, DAVE, 3_000, day=39, hour=10)
    begin(ledger, day=39, hour=10, minute=30)
    ledger.transfer(PEPE, DEEP, DAVE, 1_000 * ETHER)
    ledger.swap(DEEP, -1_000 * ETHER, ETHER, recipient=DAVE)
    ledger.sync(DEEP, 80_000 * ETHER, 100 * ETHER)
    begin(ledger, day=39, hour=11)
    ledger.registry("released", 2, symbol="DOGE", owner=DAVE)
    begin(ledger, day=40, hour=2)
    ledger.publish()


def begin(ledger: Ledger, *, day: int, hour: int = 0, minute: int = 0) -> None:
    """Begin a block at a time of a day."""
    ledger.mine(START + day * DAY + hour * HOUR + minute * 60 - ledger.time)


def buy(ledger: Ledger, pool: str, wallet: str, amount: int, *, day: int, hour: int = 0) -> None:
    """A wallet buys PEPE from a pool for 0.001 WETH each, in a block of its own."""
    begin(ledger, day=day, hour=hour)
    ledger.transfer(PEPE, pool, wallet, amount * ETHER)
    ledger.swap(pool, -amount * ETHER, amount * ETHER // 1_000, recipient=wallet)
    keep_price(ledger, pool)


def keep_price(ledger: Ledger, pool: str) -> None:
    """A pool announces the reserves that it began with."""
    ledger.sync(pool, RESERVES[pool] * ETHER, RESERVES[pool] * ETHER // 1_000)
