"""A chain with our registry on it, wallets of every kind, and the API indexing and reading it."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address
from eth_utils.crypto import keccak

from indexer.contracts import signer as signers
from indexer.contracts.artifact import Artifact
from indexer.devchain import artifacts
from indexer.devchain.anvil import Anvil
from indexer.devchain.sender import create2_address
from indexer.run import IndexContext, advance
from tests.api.conftest import Serve, Service
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

BUILD = Path(__file__).resolve().parents[2] / "indexer" / "contracts" / "build"
ETHER = 10**18
NATIVE_USD = Decimal(2500)


@cache
def built(name: str) -> Artifact:
    """A contract that only tests use."""
    return Artifact.read(name, (BUILD / f"{name}.json").read_bytes())


@pytest.fixture(scope="session")
def registry_node() -> Iterator[Anvil]:
    """A node for the claim tests of a worker."""
    with Anvil.start() as node:
        yield node


@dataclass
class ClaimChain:
    """What tests do on the chain, as the wallets would."""

    node: Anvil
    registry: str
    chains_path: Path
    store: Connection
    warehouse: Warehouse
    store_url: str

    def wallet(self) -> LocalAccount:
        """A new wallet with funds."""
        account: LocalAccount = Account.create()
        self.node.rpc("anvil_setBalance", account.address, hex(100 * ETHER))
        return account

    def send(
        self, wallet: LocalAccount, to: str | None, data: str, value: int = 0, gas: int = 3_000_000
    ) -> dict[str, Any]:
        """Sign, send and wait for the receipt."""
        transaction: dict[str, Any] = {
            "data": data,
            "value": value,
            "gas": gas,
            "gasPrice": 3 * 10**9,
            "chainId": 8453,
            "nonce": int(self.node.rpc("eth_getTransactionCount", wallet.address, "pending"), 16),
        }
        if to is not None:
            transaction["to"] = checksummed(to)
        raw = wallet.sign_transaction(transaction).raw_transaction.to_0x_hex()
        return self.node.receipt(self.node.rpc("eth_sendRawTransaction", raw))

    def deploy(self, wallet: LocalAccount, contract: str, *arguments: Any) -> str:
        """Deploy one of the contracts; the answer is its address in lower case."""
        try:
            artifact = artifacts.load(contract)
        except artifacts.ArtifactError:
            artifact = built(contract)
        receipt = self.send(wallet, None, artifact.deployment(*arguments))
        return str(receipt["contractAddress"]).lower()

    def token(self, wallet: LocalAccount, symbol: str, holder: str | None = None) -> str:
        """A plain token without an owner, its supply with ``holder``."""
        return self.deploy(wallet, "PlainToken", f"{symbol} token", symbol, 18, 10**24, holder or wallet.address)

    def counterfactual(self, owner: LocalAccount) -> tuple[str, str, str]:
        """A contract wallet that is not deployed: its address, its factory, the call that makes it."""
        maker = self.wallet()
        factory = self.deploy(maker, "SignatureWalletFactory")
        salt = keccak(text=owner.address)
        code = built("SignatureWallet").deployment(owner.address)
        call = built("SignatureWalletFactory").call("make", owner.address, salt)
        return create2_address(factory, salt, code), factory, call

    def index(self) -> None:
        """Bring the warehouse to the head."""
        context = IndexContext(self.warehouse, self.store_url)
        try:
            advance(context, facts.load(self.chains_path).by_key["base"])
        finally:
            context.close()

    def price_native(self, usd: Decimal = NATIVE_USD) -> None:
        """Publish the native coin's price, as the pipelines do."""
        self.store.execute(
            "INSERT INTO native_price (chain_id, price_usd, source, as_of_block, as_of_time)"
            " VALUES (8453, %s, 'test', 1, %s)",
            (usd, datetime.now(UTC)),
        )

    def publish_token(self, address: str, symbol: str, **changes: Any) -> None:
        """Publish a token's verdict, as the pipelines do."""
        row = {
            "chain_id": 8453, "address": address, "symbol_key": symbol, "name": symbol, "precedence": 0,
            "first_seen_at": datetime.now(UTC), "is_copy": False, "as_of_block": 1, **changes,
        }  # fmt: skip
        names = ", ".join(row)
        self.store.execute(
            f"INSERT INTO indexed_token ({names}) VALUES ({', '.join(['%s'] * len(row))})", list(row.values())
        )

    def rows_written(self) -> dict[str, int]:
        """How many rows the claim tables hold."""
        counts = {}
        for table in ("claim_proof", "claim_authorization", "registration", "event_log"):
            row = self.store.execute(f"SELECT count(*) AS n FROM {table}").fetchone()
            counts[table] = row["n"] if row else -1
        return counts


def checksummed(address: str) -> str:
    """The address as signing libraries want it."""
    return str(to_checksum_address(address))


@pytest.fixture
def claim_chain(
    registry_node: Anvil, tmp_path: Path, data_dir: Path, store: Connection, store_url: str, warehouse: Warehouse
) -> ClaimChain:
    """A fresh registry for the test's own signer on the shared node, and stores to index into."""
    signer = signers.load_or_create(data_dir)
    treasury = Account.create().address
    deployer: LocalAccount = Account.create()
    registry_node.rpc("anvil_setBalance", deployer.address, hex(100 * ETHER))
    path = tmp_path / "chains.toml"
    chain = ClaimChain(registry_node, "", path, store, warehouse, store_url)
    # Indexing starts here: what other tests left on the node is of no interest.
    start = registry_node.block_number()
    chain.registry = chain.deploy(deployer, "RegaliaRegistry", signer.address, treasury)
    path.write_text(
        f'[chains.base]\nrpc_urls = ["{registry_node.url}"]\nstart_block = {start}\nfinality_blocks = 5\n'
        f'[chains.base.contracts]\nregistry = "{chain.registry}"\n'
    )
    return chain


@dataclass
class Claimer:
    """Walks through the claim of one token."""

    service: Service
    symbol: str
    token: str
    wallet: str

    @property
    def claim(self) -> dict[str, Any]:
        """The fields that every step sends."""
        return {"symbol": self.symbol, "chainId": 8453, "tokenAddress": self.token}

    async def message(self) -> dict[str, Any]:
        """The message to sign."""
        answer = await self.service.post("/claim/message", {**self.claim, "claimerAddress": self.wallet})
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    async def verify(self, signature: str, timestamp: int) -> httpx.Response:
        """Hand the signature in."""
        return await self.service.post(
            "/claim/verify",
            {**self.claim, "walletAddress": self.wallet, "signature": signature, "timestamp": timestamp},
        )

    async def prove(self, key: LocalAccount) -> dict[str, Any]:
        """Sign with a key and hand the signature in."""
        message = await self.message()
        answer = await self.verify(sign(key, message["message"]), message["timestamp"])
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body

    async def build(self, proof_hash: str | None) -> httpx.Response:
        """Ask for the transaction."""
        body = {**self.claim, "walletAddress": self.wallet}
        return await self.service.post("/claim", body if proof_hash is None else {**body, "proofHash": proof_hash})

    async def status(self, transaction_hash: str) -> dict[str, Any]:
        """What became of a transaction."""
        answer = await self.service.get(f"/claim/status/{transaction_hash}", chainId=8453)
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        return body


def sign(key: LocalAccount, message: str) -> str:
    """The signature a wallet makes of a message."""
    return str(key.sign_message(encode_defunct(text=message)).signature.to_0x_hex())


@pytest.fixture
async def claim_service(claim_chain: ClaimChain, serve: Serve, warehouse_url: str) -> AsyncIterator[Service]:
    """The API on that chain."""
    async with serve(chains=claim_chain.chains_path, clickhouse_url=warehouse_url) as running:
        yield running
