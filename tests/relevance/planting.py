"""The generated world as facts of its chains, made into search documents by the pipelines themselves."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR
from tests.factories.ledger import CHAINS_TOML, USDC, WETH, Ledger, address
from tests.relevance.generator import CHAINS, Token, World
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

COIN = 10**18
SUPPLY = 1_000_000
NATIVE_USD = 2_000
IN_POOL = SUPPLY // 20


def chains_file(path: Path) -> Path:
    """The facts of the world's chains: all of them are Base by other names."""
    ours = CHAINS_TOML.partition("[chains.base]")[2]
    path.write_text(
        "".join(f"[chains.{name}]{ours.replace('chains.base', f'chains.{name}')}" for name in CHAINS.values())
    )
    return path


class Planter:
    """Writes facts chain by chain, and derives what is served."""

    def __init__(self, warehouse: Warehouse, store: Connection, chains_path: Path) -> None:
        self.warehouse = warehouse
        self.store = store
        self.chains: Chains = facts.load(chains_path)
        self.ledgers = {chain_id: Ledger(warehouse, store, chain_id=chain_id) for chain_id in CHAINS}
        self._holder = 0xB0000
        self._minted: dict[int, int] = defaultdict(int)

    def plant(self, world: World) -> None:
        """Write the world, and make its documents."""
        for chain_id, ledger in self.ledgers.items():
            _open_market(ledger)
            tokens = [token for family in world.families for token in family.tokens if token.chain_id == chain_id]
            pools = []
            for role in ("original", "deployment", "same symbol", "relative", "copy"):
                ledger.mine(60)
                for token in tokens:
                    if token.role == role:
                        pools += self._write(ledger, token)
            # Weights count complete hours.
            for _ in range(4):
                ledger.mine(2_400)
            for pool, reserves in pools:
                ledger.swap(pool, COIN, -1)
                ledger.sync(pool, *reserves)
            ledger.publish()
        refresh(self.warehouse, self.store, self.chains)

    def claim(self, tokens: Iterable[Token]) -> None:
        """Register tokens on their chains, and make the documents again."""
        for token in tokens:
            ledger = self.ledgers[token.chain_id]
            if not self._minted[token.chain_id]:
                ledger.mine()
            self._minted[token.chain_id] += 1
            ledger.registry(
                "registered",
                self._minted[token.chain_id],
                symbol=token.symbol,
                owner=address(token.creator),
                token_address=token.address,
            )
        for chain_id, ledger in self.ledgers.items():
            if self._minted[chain_id]:
                ledger.publish()
        refresh(self.warehouse, self.store, self.chains)

    def _write(self, ledger: Ledger, token: Token) -> list[tuple[str, tuple[int, int]]]:
        """One token, its holders and its pool, where it has one."""
        made = ledger.token(
            token.number, token.symbol, supply=SUPPLY * COIN, creator=address(token.creator), name=token.name
        )
        for _ in range(token.holders - 1):
            self._holder += 1
            ledger.transfer(made, address(token.creator), address(self._holder), COIN)
        if not token.depth_usd:
            return []
        pool = ledger.pool(token.number ^ 1 << 90, made, WETH)
        reserves = (IN_POOL * COIN, token.depth_usd * COIN // 2 // NATIVE_USD)
        ledger.sync(pool, *reserves)
        return [(pool, reserves)]


def _open_market(ledger: Ledger) -> None:
    """The wrapped native coin, a stablecoin, and a deep pool of the two."""
    ledger.mine()
    ledger.token(int(WETH, 16), "WETH", supply=1_000_000 * COIN)
    ledger.token(int(USDC, 16), "USDC", supply=1_000_000_000 * DOLLAR, decimals=6)
    pool = ledger.pool(0x7001, USDC, WETH)
    ledger.sync(pool, 20_000_000 * DOLLAR, 10_000 * COIN)
