"""Deployed vaults of deals beside a registry, with tokens and terms, for the tests of the contract."""

import secrets
from dataclasses import dataclass, replace
from typing import Any

from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from indexer.contracts import registry, vaults
from indexer.contracts.artifact import Artifact
from indexer.contracts.statements import SettlementAuthorization, SettlementConsent
from indexer.contracts.vaults import RedemptionTerms, SwapTerms
from tests.indexer.contracts.deployed_registry import Registry, artifact
from warehouse.domain.merkle import MerkleTree, build_tree

DEAL = b"\xde" * 32
COIN = "0x" + "00" * 20
SUPPLY = 10**24
WINDOW = 30 * 86_400


@dataclass(frozen=True)
class Token:
    """A token of the tests, all of it its issuer's at first."""

    timed: Registry
    address: str
    contract: Artifact
    issuer: LocalAccount

    def send(self, wallet: LocalAccount, function: str, *arguments: Any) -> None:
        """Call the token."""
        self.timed.send(wallet, self.contract.call(function, *arguments), to=self.address)

    def balance(self, account: str) -> int:
        return int(self.timed.ask(self.contract.call("balanceOf", account), to=self.address), 16)


@dataclass(frozen=True)
class Vaults:
    """The contract for tests."""

    timed: Registry
    address: str

    @classmethod
    def deploy(cls, timed: Registry) -> "Vaults":
        sender = timed.anvil.rpc("eth_accounts")[0]
        data = vaults.deployment_data(timed.address)
        sent = timed.anvil.rpc("eth_sendTransaction", {"from": sender, "data": data, "gas": hex(10_000_000)})
        return cls(timed, timed.anvil.receipt(sent)["contractAddress"])

    def token(self, kind: str = "IssuedToken", supply: int = SUPPLY) -> Token:
        """A token, of which its issuer lets the vaults take any amount."""
        issuer, contract = self.timed.wallet(), artifact(kind)
        raw = issuer.sign_transaction(
            {
                "data": contract.deployment(issuer.address, supply), "value": 0, "gas": 3_000_000,
                "gasPrice": 2 * 10**9, "nonce": 0, "chainId": self.timed.anvil.chain_id,
            }
        ).raw_transaction.to_0x_hex()  # fmt: skip
        mined = self.timed.anvil.receipt(self.timed.anvil.rpc("eth_sendRawTransaction", raw))
        token = Token(self.timed, to_checksum_address(mined["contractAddress"]), contract, issuer)
        token.send(issuer, "approve", self.address, 2**256 - 1)
        return token

    def send(self, wallet: LocalAccount, data: str, value: int = 0) -> dict[str, Any]:
        return self.timed.send(wallet, data, value, self.address)

    def ask(self, wallet: LocalAccount, data: str, value: int = 0) -> str:
        """Call without sending."""
        return self.timed.ask(data, wallet.address, value, self.address)

    # Swaps

    def swap_terms(self, old: Token, new: Token, **changes: Any) -> SwapTerms:
        """Two new for three old."""
        closes_at = self.timed.now() + WINDOW
        return replace(SwapTerms(DEAL, new.issuer.address, old.address, new.address, 2, 3, closes_at), **changes)

    def opened_swap(self, old: Token, new: Token, **changes: Any) -> SwapTerms:
        terms = self.swap_terms(old, new, **changes)
        self.send(new.issuer, vaults.open_swap_calldata(terms, 2**256 - 1))
        return terms

    def swap_state(self, terms: SwapTerms) -> dict[str, Any]:
        return vaults.swap_of(self.timed.ask(vaults.contract().call("swapOf", terms.id), to=self.address))

    def swap(self, terms: SwapTerms, wallet: LocalAccount, amount: int, least: int = 0) -> dict[str, Any]:
        return self.send(wallet, vaults.swap_calldata(terms.id, amount, least))

    def give(self, token: Token, wallet: LocalAccount, amount: int) -> LocalAccount:
        """Give a wallet tokens, which it lets the vaults take."""
        token.send(token.issuer, "transfer", wallet.address, amount)
        token.send(wallet, "approve", self.address, 2**256 - 1)
        return wallet

    # Redemptions

    def tree(self, held: dict[str, int]) -> MerkleTree:
        return build_tree(list(held.items()))

    def redemption_terms(self, depositor: str, held: dict[str, int], currency: str, **changes: Any) -> RedemptionTerms:
        plain = RedemptionTerms(
            deal=DEAL,
            depositor=depositor,
            currency=currency,
            deposit=10**18,
            token="0x" + "70" * 20,
            snapshot_block=7,
            root=self.tree(held).root,
            total=sum(held.values()),
            window=WINDOW,
            settle_by=self.timed.now() + 86_400,
        )
        return replace(plain, **changes)

    def redemption_data(self, terms: RedemptionTerms, by: LocalAccount | None = None) -> str:
        at = Registry(self.timed.anvil, self.address, self.timed.signer, self.timed.guardian, self.timed.treasury)
        return vaults.open_redemption_calldata(terms, at.sign(terms, by))

    def redemption_state(self, terms: RedemptionTerms) -> dict[str, Any]:
        call = vaults.contract().call("redemptionOf", terms.id)
        return vaults.redemption_of(self.timed.ask(call, to=self.address))

    def redeem_data(self, terms: RedemptionTerms, held: dict[str, int], account: str) -> str:
        tree, accounts = self.tree(held), list(held)
        proof = tree.proof(tree.places[accounts.index(account)])
        return vaults.redeem_calldata(terms.id, account, held[account], proof)

    def settle(self, holder: LocalAccount, offerer: LocalAccount, deal: bytes = DEAL) -> None:
        """Settle the deal in the registry, for nothing."""
        timed = self.timed
        token_id, until = timed.mint(holder, "S" + secrets.token_hex(4).upper()), timed.now() + 900
        consent = SettlementConsent(
            deal, token_id, offerer.address, COIN, 0, timed.anvil.chain_id, until, secrets.randbits(256)
        )
        authorization = SettlementAuthorization(consent.struct_hash, until, secrets.randbits(256))
        signed = timed.sign(consent, by=holder), timed.sign(authorization)
        timed.send(offerer, registry.settlement_calldata(consent, signed[0], authorization, signed[1]))
