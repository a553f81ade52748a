"""A deployed registry and wallets to use it with, for the tests of the contract."""

from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_utils.address import to_checksum_address

from indexer.contracts import registry, vaults
from indexer.contracts.artifact import Artifact
from indexer.contracts.registry import Reason, Terms
from indexer.contracts.signer import KeySigner
from indexer.contracts.statements import (
    EndAnnouncement,
    EndWithdrawal,
    MintAuthorization,
    MintReceipt,
    Statement,
    sign,
)
from indexer.devchain.anvil import Anvil, AnvilError

TOKEN = "0x" + "70" * 20
FEE = 10**15
TERMS = Terms(end_delay=3_600, objection_delay=7_200, signer_delay=1_800, free_mints_per_day=1_000, paid_from=10**14)
GAS_PRICE = 2_000_000_000
_NONCES = count(1)
_BUILD = Path(__file__).parent / "build"


def artifact(name: str) -> Artifact:
    """A contract of the tests, from the folder ``solidity``."""
    return Artifact.read(name, (_BUILD / f"{name}.json").read_bytes())


class Reverted(AssertionError):
    """A call reverted with the contract's error ``name`` and its ``arguments``."""

    def __init__(self, name: str, arguments: tuple[Any, ...]) -> None:
        super().__init__(f"{name}{arguments}")
        self.name = name
        self.arguments = arguments


@dataclass(frozen=True)
class Registry:
    """The contract for tests: typed calls, errors by name."""

    anvil: Anvil
    address: str
    signer: LocalAccount
    guardian: LocalAccount
    treasury: str

    @classmethod
    def deploy(cls, anvil: Anvil, treasury: str | None = None, terms: Terms = TERMS) -> "Registry":
        signer, guardian, receiver = Account.create(), Account.create(), treasury or Account.create().address
        anvil.rpc("anvil_setBalance", guardian.address, hex(10**20))
        deployer = anvil.rpc("eth_accounts")[0]
        data = registry.deployment_data(signer.address, receiver, guardian.address, terms)
        sent = anvil.rpc("eth_sendTransaction", {"from": deployer, "data": data, "gas": hex(10_000_000)})
        return cls(anvil, anvil.receipt(sent)["contractAddress"], signer, guardian, receiver.lower())

    def wallet(self) -> LocalAccount:
        account: LocalAccount = Account.create()
        self.anvil.rpc("anvil_setBalance", account.address, hex(10**20))
        return account

    def now(self) -> int:
        return int(self.anvil.rpc("eth_getBlockByNumber", "latest", False)["timestamp"], 16)

    def authorization(self, claimer: str, symbol: str, **changes: Any) -> MintAuthorization:
        plain = MintAuthorization(claimer, TOKEN, symbol, FEE, self.now() + 900, next(_NONCES))
        return replace(plain, **changes)

    def receipt(self, claimer: str, symbol: str, **changes: Any) -> MintReceipt:
        return replace(MintReceipt(claimer, TOKEN, symbol, self.now() + 900, next(_NONCES)), **changes)

    @staticmethod
    def refuses(name: str) -> Any:
        """The block reverts with this error."""
        return pytest.raises(Reverted, match=rf"^{name}\(")

    def sign(self, statement: Statement, by: LocalAccount | None = None) -> bytes:
        return sign(KeySigner(by or self.signer), self.anvil.chain_id, self.address, statement)

    def wait(self, seconds: int) -> None:
        """Let time pass on the chain."""
        self.anvil.rpc("evm_increaseTime", seconds)
        self.anvil.rpc("evm_mine")

    def announce_data(self, token_id: int, reason: int = Reason.INACTIVE, **changes: Any) -> str:
        plain = EndAnnouncement(token_id, reason, self.now() + 900, next(_NONCES))
        statement = replace(plain, **changes)
        return registry.announcement_calldata(statement, self.sign(statement))

    def announce(self, token_id: int, reason: int = Reason.INACTIVE) -> dict[str, Any]:
        return self.send(self.guardian, self.announce_data(token_id, reason))

    def withdraw_data(self, token_id: int, **changes: Any) -> str:
        statement = replace(EndWithdrawal(token_id, self.now() + 900, next(_NONCES)), **changes)
        return registry.withdrawal_calldata(statement, self.sign(statement))

    def end(self, token_id: int) -> tuple[int, int, bool, bool]:
        """Reason, due time, objected, confirmed."""
        found: tuple[int, int, bool, bool] = self.read("endOf", token_id)
        return found

    def mint_data(self, authorization: MintAuthorization) -> str:
        return registry.mint_calldata(authorization, self.sign(authorization))

    def mint(self, wallet: LocalAccount, symbol: str, **changes: Any) -> int:
        authorization = self.authorization(wallet.address, symbol, **changes)
        self.send(wallet, self.mint_data(authorization), value=authorization.fee)
        return self.token_id(symbol)

    def call(self, wallet: LocalAccount, function: str, *arguments: Any) -> dict[str, Any]:
        return self.send(wallet, registry.contract().call(function, *arguments))

    def send(self, wallet: LocalAccount, data: str, value: int = 0, to: str | None = None) -> dict[str, Any]:
        """Call first, to get the revert reason; then send, signed by the wallet."""
        target = to or self.address
        self.ask(data, wallet.address, value, target)
        sent = self.anvil.rpc("eth_sendRawTransaction", self.signed(wallet, data, value, target))
        mined = self.anvil.receipt(sent)
        assert mined["status"] == "0x1"
        return mined

    def signed(
        self, wallet: LocalAccount, data: str, value: int = 0, to: str | None = None, nonce: int | None = None
    ) -> str:
        found = (
            int(self.anvil.rpc("eth_getTransactionCount", wallet.address, "pending"), 16) if nonce is None else nonce
        )
        signed = wallet.sign_transaction(
            {
                "to": to_checksum_address(to or self.address), "data": data, "value": value, "gas": 2_000_000,
                "gasPrice": GAS_PRICE, "nonce": found, "chainId": self.anvil.chain_id,
            }
        )  # fmt: skip
        return "0x" + bytes(signed.raw_transaction).hex()

    def ask(self, data: str, sender: str | None = None, value: int = 0, to: str | None = None) -> str:
        """What a call returns, without sending it."""
        return self._ask({"to": to or self.address, "data": data, "value": hex(value)}, sender)

    def ask_creation(self, data: str) -> str:
        """The code that a creation would store."""
        return self._ask({"data": data}, None)

    def _ask(self, call: dict[str, str], sender: str | None) -> str:
        call["gas"] = hex(8_000_000)
        if sender:
            call["from"] = sender
        try:
            return str(self.anvil.rpc("eth_call", call, "latest"))
        except AnvilError as error:
            raise _refusal(error) from error

    def read(self, function: str, *arguments: Any) -> Any:
        contract = registry.contract()
        values = contract.returns(function, self.ask(contract.call(function, *arguments)))
        return values[0] if len(values) == 1 else values

    def token_id(self, symbol: str) -> int:
        return int(self.read("tokenIdOf", symbol))

    def balance(self, address: str) -> int:
        return int(self.anvil.rpc("eth_getBalance", address, "latest"), 16)

    def events(self, receipt: dict[str, Any], name: str) -> list[dict[str, Any]]:
        topic = registry.contract().topic(name)
        return [log for log in receipt["logs"] if log["topics"][0] == topic and log["address"] == self.address.lower()]


def _refusal(error: AnvilError) -> Exception:
    data = error.data if isinstance(error.data, str) else ""
    found = registry.contract().error(data) or vaults.contract().error(data)
    return Reverted(*found) if found else Reverted("unknown", (str(error),))
