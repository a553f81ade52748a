"""Settlements on a real Solana node with our registry: one transaction of both parties, or nothing."""

import base64
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from solders.instruction import CompiledInstruction
from solders.keypair import Keypair
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from spl.token.instructions import get_associated_token_address

from indexer.contracts.solana import idl, program
from indexer.devchain.solana.sender import Sender
from indexer.devchain.solana.surfpool import SurfpoolError
from tests.factories.registrations import add_registration
from tests.fixtures.clocks import ManualClock
from tests.fixtures.deals import DOLLAR, Market, Trader
from tests.fixtures.service import Serve
from tests.fixtures.sign_in import API, SITE, SignInClient
from tests.fixtures.solana_claims import SOLANA, SolanaClaims, build, sign

pytestmark = pytest.mark.slow
PRICE = 25_000 * DOLLAR
PREFLIGHT = {"encoding": "base64", "preflightCommitment": "confirmed"}


@dataclass
class SolanaTrader(Trader):
    """A wallet of Solana and its session."""

    key: Keypair | None = None

    @property
    def wallet_key(self) -> Keypair:
        assert self.key is not None
        return self.key

    @property
    def address(self) -> str:
        return str(self.wallet_key.pubkey())

    async def headers(self) -> dict[str, str]:
        if not self._token:
            answer = await SignInClient(self.market.service, self.market.clock).solana(
                self.wallet_key, chain="localnet"
            )
            assert answer.status_code == 200, answer.text
            self._token = answer.json()["accessToken"]
        return {"X-API-Key": self.market.service.key, "Authorization": f"Bearer {self._token}"}


@dataclass
class Sale:
    """A registration of AURUM, its holder, and somebody who offers 25,000 USDC for it."""

    market: Market
    chain: SolanaClaims
    usdc: str
    token: str
    holder: SolanaTrader
    offerer: SolanaTrader

    async def dispatched(self) -> tuple[str, dict[str, Any]]:
        """A deal whose settlement is authorised, and its transaction."""
        id = await self.awaiting_dispatch()
        answer = await self.offerer.ask("POST", f"/{id}/settlement")
        assert answer.status_code == 200, answer.text
        return id, answer.json()["transaction"]

    async def awaiting_dispatch(self) -> str:
        """A deal whose holder is ready to sign."""
        checked = await self.offerer.verify(chainId=SOLANA)
        assert checked.json().get("verified"), checked.text
        answer = await self.offerer.offer("AURUM", chain_id=SOLANA)
        assert answer.status_code == 200, answer.text
        id = str(answer.json()["dealId"])
        await self.holder.moved("accept", id)
        assert await self.market.run_clock() == 1
        early = await self.holder.ask("GET", f"/{id}/consent")
        assert (early.status_code, early.json()["code"]) == (400, "DEAL_INVALID_STATE")
        ready = await self.holder.ask("POST", f"/{id}/consent", {})
        assert (ready.status_code, ready.json()["deal"]["stage"]) == (200, "awaiting_dispatch"), ready.text
        return id

    async def consented(self, id: str) -> dict[str, Any]:
        """The transaction that the offerer gets once the holder has signed it."""
        asked = (await self.holder.ask("GET", f"/{id}/consent")).json()["transaction"]
        signature = self.holder.wallet_key.sign_message(to_bytes_versioned(message_of(asked)))
        kept = await self.holder.ask("POST", f"/{id}/consent", {"signature": str(signature)})
        assert kept.status_code == 200, kept.text
        made: dict[str, Any] = (await self.offerer.ask("POST", f"/{id}/settlement")).json()["transaction"]
        assert made["holderSigned"]
        return made

    def send(self, made: dict[str, Any]) -> str:
        """Sign what the holder signed as the offerer, and send it; its signature once it is mined."""
        unsigned = VersionedTransaction.from_bytes(base64.b64decode(made["message"]))
        signature = self.offerer.wallet_key.sign_message(to_bytes_versioned(unsigned.message))
        whole = VersionedTransaction.populate(unsigned.message, [signature, *unsigned.signatures[1:]])
        sent = str(self.chain.node.rpc("sendTransaction", base64.b64encode(bytes(whole)).decode(), PREFLIGHT))
        self.chain.node.mine()
        return sent

    def balance(self, trader: SolanaTrader) -> int:
        account = get_associated_token_address(trader.wallet_key.pubkey(), Pubkey.from_string(self.usdc))
        found = self.chain.node.rpc("getAccountInfo", str(account), {"encoding": "base64"})["value"]
        return 0 if found is None else int.from_bytes(base64.b64decode(found["data"][0])[64:72], "little")

    def owner(self) -> tuple[str, int]:
        crown = self.chain.crown("AURUM")
        assert crown is not None
        return str(crown.owner), crown.token_id

    def index_settlement(self, signature: str, is_final: bool = True) -> None:
        """Write what the index would."""
        store, now = self.market.store, self.market.clock.now()
        store.execute(
            "UPDATE registration SET released_at = %s, end_reason = 'settled', settled_token_id = 2 WHERE token_id = 1",
            (now,),
        )
        add_registration(
            store, "AURUM", chain_id=SOLANA, token_id=2, owner=self.offerer.address, token_address=self.token,
            registry=str(self.chain.registry), transaction_hash=signature, minted_at=now, is_final=is_final,
        )  # fmt: skip


def message_of(made: dict[str, Any]) -> MessageV0:
    message = VersionedTransaction.from_bytes(base64.b64decode(made["message"])).message
    assert isinstance(message, MessageV0)
    return message


@pytest.fixture
async def sale(
    solana_claims: SolanaClaims, serve: Serve, warehouse_url: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Sale]:
    """The service on a node with a registry and a dollar; deals are announced for no time."""
    monkeypatch.setenv("REGALIA_DEAL_ANNOUNCEMENT_DAYS", "0")
    issuer = solana_claims.wallet()
    usdc = solana_claims.mint(None, issuer, supply=0)
    with solana_claims.chains_path.open("a") as chains:
        chains.write(
            f'[chains.solana.assets]\nstablecoins = [{{ address = "{usdc}", symbol = "USDC", decimals = 6 }}]\n'
        )
    market = Market(None, ManualClock(), solana_claims.store, None, usdc, None)  # type: ignore[arg-type]  # EVM's
    settings = {"site_url": SITE, "base_url": API, "session_cache_seconds": 0, "clickhouse_url": warehouse_url}
    async with serve(clock=market.clock, chains=solana_claims.chains_path, **settings) as service:
        market.service = service
        key, token = solana_claims.claimable("AURUM")
        built = (await build(service, key, token, "AURUM")).json()
        solana_claims.node.rpc("sendTransaction", sign(built, key), PREFLIGHT)
        solana_claims.node.mine()
        assert (await service.get("/claim/solana/status/AURUM")).json()["status"] == "confirmed"
        holder, offerer = (SolanaTrader(market, None, key=one) for one in (key, solana_claims.wallet()))  # type: ignore[arg-type]
        await holder.headers()
        solana_claims.hold(usdc, issuer, offerer.wallet_key.pubkey(), PRICE)
        yield Sale(market, solana_claims, usdc, token, holder, offerer)


async def test_a_deal_settles_in_one_transaction_of_both_and_completes_when_that_is_final(sale: Sale) -> None:
    id, unsigned = await sale.dispatched()
    assert (unsigned["holderSigned"], sale.balance(sale.holder)) == (False, 0)
    made = await sale.consented(id)
    signature = sale.send(made)
    assert sale.owner() == (sale.offerer.address, 2)
    assert (sale.balance(sale.holder), sale.balance(sale.offerer)) == (PRICE, 0)
    for wrong in (str(Signature.new_unique()), "0x" + "12" * 32):
        answer = await sale.offerer.ask("POST", f"/{id}/settlement/confirm", {"txHash": wrong})
        assert (answer.status_code, answer.json()["error"][:6]) == (400, "txHash")
    confirmed = await sale.offerer.ask("POST", f"/{id}/settlement/confirm", {"txHash": signature})
    assert confirmed.json()["deal"]["mint_tx_hash"] == signature, confirmed.text
    sale.index_settlement(signature, is_final=False)
    following = sale.market.deals.following
    assert await following.run() == 0
    sale.market.store.execute("UPDATE registration SET is_final = true")
    assert (await following.run(), await following.run()) == (1, 0)
    deal = await sale.holder.read(id)
    assert (deal["status"], deal["payments"][0]["tx_hash"]) == ("completed", signature)
    assert [event["type"] for event in sale.market.events()][-2:] == ["deal.completed"] * 2
    await the_seller_gets_nothing_back(sale)


async def the_seller_gets_nothing_back(sale: Sale) -> None:
    """Still the mint's deployer, the seller can neither claim the symbol nor challenge the registration."""
    again = await build(sale.market.service, sale.holder.wallet_key, sale.token, "AURUM")
    assert (again.status_code, again.json()["code"]) == (409, "CLAIM_DUPLICATE")
    path, wallet = "/registration/2/challenge", {"tokenAddress": sale.token, "walletAddress": sale.holder.address}
    asked = await sale.market.service.post(f"{path}/message?chain=solana", wallet)
    signature = str(sale.holder.wallet_key.sign_message(asked.json()["message"].encode()))
    body = {**wallet, "signature": signature, "timestamp": asked.json()["timestamp"]}
    answer = await sale.market.service.post(f"{path}?chain=solana", body)
    assert (answer.status_code, answer.json()["check"]) == (422, "same_token"), answer.text


async def test_the_transaction_is_the_parties_own(sale: Sale) -> None:
    id, made = await sale.dispatched()
    message, stranger = message_of(made), SolanaTrader(sale.market, None, key=sale.chain.wallet())  # type: ignore[arg-type]
    assert str(message.account_keys[0]) == sale.offerer.address
    for trader, method, path in (
        (sale.offerer, "GET", "consent"), (stranger, "GET", "consent"), (stranger, "POST", "settlement"),
        (sale.holder, "POST", "settlement"),
    ):  # fmt: skip
        assert (await trader.ask(method, f"/{id}/{path}")).status_code == 403
    signed = to_bytes_versioned(message)
    for forged in (stranger.wallet_key.sign_message(signed), sale.holder.wallet_key.sign_message(signed + b"\0")):
        answer = await sale.holder.ask("POST", f"/{id}/consent", {"signature": str(forged)})
        assert (answer.status_code, answer.json()["error"][:9]) == (400, "signature")
    for party in (sale.offerer, sale.holder):
        cancelled = await party.move("cancel", id)
        assert (cancelled.status_code, cancelled.json()["code"]) == (400, "DEAL_INVALID_STATE")


async def test_a_blockhash_that_ran_out_is_replaced_and_signed_anew(sale: Sale) -> None:
    id, first = await sale.dispatched()
    stale = await sale.consented(id)
    sale.chain.node.mine(160)
    fresh = (await sale.offerer.ask("POST", f"/{id}/settlement")).json()["transaction"]
    assert (fresh["holderSigned"], fresh["blockhash"] != first["blockhash"]) == (False, True)
    with pytest.raises(SurfpoolError):
        sale.send(stale)
    sale.send(await sale.consented(id))
    assert sale.owner() == (sale.offerer.address, 2)


async def test_an_authorisation_that_ended_unused_returns_the_deal(sale: Sale) -> None:
    id, _ = await sale.dispatched()
    following = sale.market.deals.following
    assert await following.run() == 0
    ended = sale.market.clock.now() - timedelta(days=1)
    sale.market.store.execute("UPDATE deal SET authorized_until = %s", (ended,))
    late = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (late.status_code, late.json()["code"]) == (400, "DEAL_INVALID_STATE")
    sale.chain.node.mine(40)
    assert await following.run() == 1
    assert (await sale.offerer.read(id))["stage"] == "awaiting_dispatch"
    assert (await sale.holder.moved("cancel", id))["status"] == "cancelled"


async def test_what_the_chain_would_refuse_is_not_authorised(sale: Sale) -> None:
    id = await sale.awaiting_dispatch()
    snapshot = sale.balance(sale.offerer)
    account = get_associated_token_address(sale.offerer.wallet_key.pubkey(), Pubkey.from_string(sale.usdc))
    found = sale.chain.node.rpc("getAccountInfo", str(account), {"encoding": "base64"})["value"]
    data = bytearray(base64.b64decode(found["data"][0]))
    data[64:72] = (snapshot - 1).to_bytes(8, "little")
    sale.chain.node.set_account(
        account, lamports=found["lamports"], data=bytes(data), owner=Pubkey.from_string(found["owner"])
    )
    poor = await sale.offerer.ask("POST", f"/{id}/settlement")
    assert (poor.status_code, "does not hold the price" in poor.json()["error"]) == (400, True), poor.text
    sale.chain.govern("suspend_signer")
    assert (await sale.offerer.ask("POST", f"/{id}/settlement")).status_code == 503
    assert (await sale.offerer.read(id))["stage"] == "awaiting_dispatch"


async def test_a_registration_released_meanwhile_is_not_settled(sale: Sale) -> None:
    id, _ = await sale.dispatched()
    made = await sale.consented(id)
    key = sale.holder.wallet_key
    accounts = {"owner": key.pubkey(), "crown": program.crown_address(sale.chain.registry, "AURUM")}
    Sender(sale.chain.node, key).run([idl.instruction(sale.chain.registry, "release", accounts)])
    with pytest.raises(SurfpoolError):
        sale.send(made)
    assert (sale.balance(sale.holder), sale.balance(sale.offerer)) == (0, PRICE)
    sale.market.store.execute(
        "UPDATE registration SET released_at = %s, end_reason = 'released'", (sale.market.clock.now(),)
    )
    sale.market.clock.advance(minutes=61)
    assert await sale.market.deals.following.run() == 1
    assert (await sale.market.outsider(f"/deals/{id}")).json()["status"] == "failed"


def cheaper(message: MessageV0) -> MessageV0:
    """The same with another amount."""
    return _with(message, 2, lambda data: data[:41] + (1).to_bytes(8, "little") + data[49:])


def another_deal(message: MessageV0) -> MessageV0:
    return _with(message, 2, lambda data: data[:1] + uuid4().bytes * 2 + data[33:])


def _with(message: MessageV0, place: int, change: Callable[[bytes], bytes]) -> MessageV0:
    calls = list(message.instructions)
    one = calls[place]
    calls[place] = CompiledInstruction(one.program_id_index, change(bytes(one.data)), bytes(one.accounts))
    return MessageV0(message.header, message.account_keys, message.recent_blockhash, calls, [])


def unauthorised(message: MessageV0) -> MessageV0:
    """Without the instruction of the service's authorisation."""
    calls = [message.instructions[0], message.instructions[2]]
    return MessageV0(message.header, message.account_keys, message.recent_blockhash, calls, [])


@pytest.mark.parametrize("changed", [cheaper, another_deal, unauthorised])
async def test_parties_that_agree_on_another_transaction_settle_nothing(
    sale: Sale, changed: Callable[[MessageV0], MessageV0]
) -> None:
    _, made = await sale.dispatched()
    other = changed(message_of(made))
    signed = VersionedTransaction(other, [sale.offerer.wallet_key, sale.holder.wallet_key])
    with pytest.raises(SurfpoolError):
        sale.chain.node.rpc("sendTransaction", base64.b64encode(bytes(signed)).decode(), PREFLIGHT)
    sale.chain.node.mine()
    assert (sale.owner(), sale.balance(sale.holder)) == ((sale.holder.address, 1), 0)
