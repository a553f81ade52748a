"""A ledger of Solana whose pool rows come from transactions, decoded and settled as the indexer does."""

from decimal import Decimal

from tests.factories.ledger import ZERO, Ledger
from tests.factories.solana_blocks import Sent, raw
from tests.factories.solana_pools import SOL, USDC, Cpmm, sorted_mints
from tests.fixtures.solana_pools import PoolChain
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

CHAINS_TOML = '[chains.solana]\nrpc_urls = ["http://127.0.0.1:1"]\n'
COIN, LAMPORTS, DOLLAR = 10**6, 10**9, 10**6
"""Base units of the test's tokens, of SOL and of USDC."""


class SolanaLedger(Ledger):
    """A chain of slots."""

    def __init__(self, warehouse: Warehouse, store: Connection) -> None:
        """Begin a chain without blocks."""
        super().__init__(warehouse, store, chain_id=900_900, finality_blocks=32)
        self.pools = PoolChain()

    def mint(self, label: str, symbol: str, *, supply: int = 0, decimals: int = 6) -> str:
        """A mint, its metadata, and its supply in one wallet."""
        token = raw(label).hex()
        creator = raw(f"creator of {symbol}").hex()
        self.add(
            "fact_contract_creation",
            address=token,
            creation_index=0,
            creator=creator,
            factory="",
            transaction_to="",
        )
        self.read(token, symbol, decimals=decimals, total_supply_raw=None, program="spl_token")
        if supply:
            self.transfer(token, ZERO, creator, supply)
        return token

    def execute(self, *transactions: Sent) -> None:
        """Transactions of the present block."""
        self.pools.slot = self.block - 1
        for table, rows in self.pools.index_blocks(transactions).items():
            for row in rows:
                self.add(table, **{name: _text(name, value) for name, value in row.items()})

    def run(self, *transactions: Sent, seconds: int = 2) -> None:
        """Transactions of a new block."""
        self.mine(seconds)
        self.execute(*transactions)

    def pass_time(self, seconds: int) -> None:
        """A later block, and all published."""
        self.mine(seconds)
        self.publish()


def build_solana_market(ledger: SolanaLedger) -> Cpmm:
    """SOL at 150 dollars in a deep pool; a mint called COIN at 0.002 SOL in a pool of 100 SOL. Returns COIN's pool."""
    ledger.mine()
    ledger.mint(SOL, "SOL", decimals=9)
    ledger.mint(USDC, "USDC", supply=10**9 * DOLLAR)
    ledger.mint("coin", "COIN", supply=10**6 * COIN)
    reference = Cpmm("reference", sorted_mints(SOL, USDC))
    ledger.execute(reference.create(*in_order(reference, SOL, 10_000 * LAMPORTS, 1_500_000 * DOLLAR)))
    pool = Cpmm("coin pool", sorted_mints("coin", SOL))
    ledger.execute(pool.create(*in_order(pool, "coin", 50_000 * COIN, 100 * LAMPORTS)))
    ledger.pass_time(1_000)
    return pool


def in_order(pool: Cpmm, first: str, amount: int, other: int) -> tuple[int, int]:
    """Amounts of a mint and of the pool's other one, in the pool's order."""
    return (amount, other) if pool.mints[0] == first else (other, amount)


def root_of(mints: tuple[str, str], first: str, price: Decimal) -> Decimal:
    """The square root of a pool's price where a base unit of ``first`` costs ``price`` of the other mint."""
    return price.sqrt() if mints[0] == first else (1 / price).sqrt()


def _text(name: str, value: object) -> object:
    if not isinstance(value, bytes):
        return value
    return value.decode() if name in ("protocol", "exchange") else value.hex()
