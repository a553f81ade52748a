"""A small market on a ledger: the native coin, a stablecoin and one token."""

from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import USDC, WETH, Ledger, address


def build_market(ledger: Ledger) -> tuple[str, str]:
    """Publish WETH at 2,000 dollars and PEPE at 0.001 WETH. Returns the addresses of PEPE and of its pool."""
    ledger.mine()
    ledger.token(int(WETH, 16), "WETH", supply=10_000 * ETHER)
    ledger.token(int(USDC, 16), "USDC", supply=10_000_000 * DOLLAR, decimals=6)
    pepe = ledger.token(0x9E9E, "PEPE", supply=1_000_000 * ETHER, creator=address(0xD1))
    first = ledger.pool(0x7001, USDC, WETH)
    second = ledger.pool(0x7002, pepe, WETH)
    ledger.sync(first, 2_000_000 * DOLLAR, 1_000 * ETHER)
    ledger.sync(second, 100_000 * ETHER, 100 * ETHER)
    ledger.transfer(pepe, address(0xD1), address(0xD2), 400_000 * ETHER)
    for _ in range(4):
        ledger.mine(400)
    ledger.swap(second, 1_000 * ETHER, -ETHER)
    ledger.sync(second, 100_000 * ETHER, 100 * ETHER)
    ledger.publish()
    return pepe, second
