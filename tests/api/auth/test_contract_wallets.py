"""Contract wallets belong to the chain that they first signed on: another chain's contract of the same address may be
somebody else's."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import httpx
import pytest
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from api.accounts.service import Accounts
from api.auth import siwe
from api.security.callers import WalletSession
from indexer.devchain.anvil import Anvil
from tests.fixtures.claims import ClaimChain
from tests.fixtures.clocks import ManualClock
from tests.fixtures.service import Serve
from tests.fixtures.sign_in import API, SITE, SignInClient, authorized, new_wallet, sign

BASE, ARBITRUM = 8453, 42161


@dataclass
class TwoChains:
    """Two chains, with contract wallets at the same addresses: the owner's on the first, a stranger's on the other."""

    claim_chain: ClaimChain
    other_node: Anvil
    client: SignInClient
    owners: dict[int, LocalAccount]
    codes: dict[int, str]

    def contract(self, address: str | None = None) -> str:
        """Contract wallets at a new address, or at the one of a key, as EIP-7702 lets them stand there."""
        address = address or new_wallet().address
        for node, chain_id in ((self.claim_chain.node, BASE), (self.other_node, ARBITRUM)):
            node.rpc("anvil_setCode", address, self.codes[chain_id])
        return address.lower()

    async def sign_in(
        self, address: str, chain_id: int, key: LocalAccount | None = None, bearer: str | None = None
    ) -> httpx.Response:
        """Sign in on a chain: as its contract's owner, or with the address's own key."""
        text = siwe.write(await self.client.message(to_checksum_address(address), chain=str(chain_id)))
        return await self.client.login("siwe", text, sign(key or self.owners[chain_id], text), bearer=bearer)

    async def session(self, answer: httpx.Response) -> WalletSession:
        """The session that a sign-in started."""
        assert answer.status_code == 200, answer.text
        found = await self.client.service.services.sessions.find(answer.json()["accessToken"])
        assert isinstance(found, WalletSession)
        return found


@pytest.fixture(scope="module")
def other_node() -> Iterator[Anvil]:
    with Anvil.start(chain_id=ARBITRUM) as node:
        yield node


@pytest.fixture
async def chains(
    claim_chain: ClaimChain, other_node: Anvil, serve: Serve, clock: ManualClock
) -> AsyncIterator[TwoChains]:
    path = claim_chain.chains_path
    path.write_text(path.read_text() + f'[chains.arbitrum]\nrpc_urls = ["{other_node.url}"]\n')
    owners = {BASE: claim_chain.wallet(), ARBITRUM: claim_chain.wallet()}
    codes = {}
    for chain_id, owner in owners.items():
        wallet = claim_chain.deploy(owner, "SignatureWallet", owner.address)
        codes[chain_id] = claim_chain.node.rpc("eth_getCode", wallet, "latest")
    async with serve(clock=clock, site_url=SITE, base_url=API, chains=path, session_cache_seconds=0) as service:
        yield TwoChains(claim_chain, other_node, SignInClient(service, clock), owners, codes)


async def test_a_contract_wallet_is_bound_to_the_chain_of_its_first_sign_in(chains: TwoChains) -> None:
    wallet = chains.contract()
    begun = await chains.sign_in(wallet, BASE)
    session = await chains.session(begun)
    assert (session.controls(wallet, BASE), session.controls(wallet, ARBITRUM)) == (True, False)
    assert not session.controls(chains.owners[BASE].address.lower(), BASE)

    refused = await chains.sign_in(wallet, ARBITRUM)
    assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")
    assert "contract on Base (chain 8453)" in refused.json()["error"]
    assert (await chains.sign_in(wallet, BASE)).json()["accountId"] == begun.json()["accountId"]

    # A linked contract stays bound to its chain, and the other chain's contract still cannot sign in.
    plain, second = new_wallet(), chains.contract()
    token = await chains.client.token(plain)
    assert (await chains.sign_in(wallet, ARBITRUM, bearer=token)).status_code == 401
    joined = await chains.session(await chains.sign_in(second, ARBITRUM, bearer=token))
    assert joined.wallets == (plain.address.lower(), second)
    assert [joined.controls(second, chain) for chain in (BASE, ARBITRUM)] == [False, True]
    assert [joined.controls(plain.address.lower(), chain) for chain in (BASE, ARBITRUM)] == [True, True]
    assert (await chains.sign_in(second, BASE)).status_code == 401
    account = await chains.client.service.anonymous.get("/api/v2/account", headers=authorized(token))
    assert [each["chainId"] for each in account.json()["wallets"]] == [None, ARBITRUM]


async def test_a_key_takes_precedence_over_a_contract_of_its_address(chains: TwoChains, store_url: str) -> None:
    """With EIP-7702 an address has both. Its key always signs in; a contract only where it was first."""
    plain = new_wallet()
    chains.contract(plain.address)
    assert (await chains.sign_in(plain.address, BASE, plain)).status_code == 200
    for chain in (BASE, ARBITRUM):
        refused = await chains.sign_in(plain.address, chain)
        assert refused.status_code == 401
        assert "signs in with its key" in refused.json()["error"]

    other = new_wallet()
    address = chains.contract(other.address)
    begun = await chains.sign_in(address, BASE)
    keyed = await chains.sign_in(address, ARBITRUM, other)
    assert keyed.json()["accountId"] == begun.json()["accountId"]
    by_contract, by_key = await chains.session(begun), await chains.session(keyed)
    assert (by_contract.controls(address, ARBITRUM), by_key.controls(address, ARBITRUM)) == (False, True)
    assert (await chains.sign_in(address, ARBITRUM)).status_code == 401
    # In one session a key's signature takes precedence over a contract's, in either order.
    token = begun.json()["accessToken"]
    assert (await chains.session(await chains.sign_in(address, BASE, other, token))).controls(address, ARBITRUM)
    assert (await chains.session(await chains.sign_in(address, BASE, None, token))).controls(address, ARBITRUM)

    # An operator made the account before any sign-in: the first signature decides between key and contract.
    named = chains.contract()
    Accounts(store_url).create_key(named, "pro")
    assert (await chains.sign_in(named, ARBITRUM)).json()["plan"] == "pro"
    assert (await chains.sign_in(named, BASE)).status_code == 401


async def test_concurrent_first_sign_ins_bind_a_contract_to_one_chain(chains: TwoChains) -> None:
    wallet = chains.contract()
    order = (BASE, ARBITRUM) * 4
    answers = await asyncio.gather(*(chains.sign_in(wallet, chain) for chain in order))
    by_chain = {chain: {answers[i].status_code for i in range(8) if order[i] == chain} for chain in order}
    assert sorted(by_chain.values(), key=min) == [{200}, {401}]
    assert len({answer.json()["accountId"] for answer in answers if answer.status_code == 200}) == 1
