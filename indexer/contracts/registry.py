"""The registry contract: statements that the service's signer makes, calls and events.

Statements are EIP-712 typed data bound to one chain and one contract; ``docs/contracts.md`` lists their types.
"""

from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, ClassVar

from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount

from indexer.contracts.artifact import Artifact

DOMAIN_NAME = "Regalia Registry"
DOMAIN_VERSION = "1"
_FIELD_TYPES = {
    "claimer": "address", "token": "address", "symbol": "string", "fee": "uint256", "deadline": "uint256",
    "nonce": "uint256", "token_id": "uint256", "new_signer": "address",
}  # fmt: skip
_WIRE_NAMES = {"token_id": "tokenId", "new_signer": "newSigner"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What the signer states. Each kind of statement is a subclass."""

    TYPE: ClassVar[str]

    def values(self) -> tuple[Any, ...]:
        """Field values in the order of the contract's struct."""
        return tuple(asdict(self).values())

    def typed_data(self, chain_id: int, registry: str) -> dict[str, Any]:
        """The EIP-712 document, as wallets and ``eth_signTypedData_v4`` take it."""
        fields = asdict(self)
        return {
            "types": {
                "EIP712Domain": [
                    {"name": "name", "type": "string"},
                    {"name": "version", "type": "string"},
                    {"name": "chainId", "type": "uint256"},
                    {"name": "verifyingContract", "type": "address"},
                ],
                self.TYPE: [{"name": _WIRE_NAMES.get(name, name), "type": _FIELD_TYPES[name]} for name in fields],
            },
            "primaryType": self.TYPE,
            "domain": {
                "name": DOMAIN_NAME,
                "version": DOMAIN_VERSION,
                "chainId": chain_id,
                "verifyingContract": registry,
            },
            "message": {_WIRE_NAMES.get(name, name): value for name, value in fields.items()},
        }


@dataclass(frozen=True, slots=True)
class MintAuthorization(Statement):
    """Permission to register a symbol for a fee in wei, until ``deadline`` (seconds of chain time)."""

    TYPE: ClassVar[str] = "MintAuthorization"
    claimer: str
    token: str
    symbol: str
    fee: int
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class MintReceipt(Statement):
    """Permission to register a symbol free of charge."""

    TYPE: ClassVar[str] = "MintReceipt"
    claimer: str
    token: str
    symbol: str
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class ExpiryStatement(Statement):
    """The end of a registration."""

    TYPE: ClassVar[str] = "ExpiryStatement"
    token_id: int
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class SignerRotation(Statement):
    """The change to another signer, signed by the current and the next one."""

    TYPE: ClassVar[str] = "SignerRotation"
    new_signer: str
    deadline: int
    nonce: int


@cache
def contract() -> Artifact:
    """The registry's ABI and creation code, from the committed build output."""
    return Artifact.read("RegaliaRegistry", files(__package__).joinpath("build", "RegaliaRegistry.json").read_bytes())


def sign(signer: LocalAccount, chain_id: int, registry: str, statement: Statement) -> bytes:
    """The 65-byte signature of a statement for one chain's registry."""
    message = encode_typed_data(full_message=statement.typed_data(chain_id, registry))
    signature: bytes = signer.sign_message(message).signature
    return bytes(signature)


def sign_mint(signer: LocalAccount, chain_id: int, registry: str, authorization: MintAuthorization) -> bytes:
    """Sign a permission to mint for a fee."""
    return sign(signer, chain_id, registry, authorization)


def sign_receipt(signer: LocalAccount, chain_id: int, registry: str, receipt: MintReceipt) -> bytes:
    """Sign a permission to mint free of charge."""
    return sign(signer, chain_id, registry, receipt)


def sign_expiry(signer: LocalAccount, chain_id: int, registry: str, statement: ExpiryStatement) -> bytes:
    """Sign the end of a registration."""
    return sign(signer, chain_id, registry, statement)


def mint_calldata(authorization: MintAuthorization, signature: bytes) -> str:
    """Data of the transaction ``mint``; its value must be the authorization's fee."""
    return contract().call("mint", authorization.values(), signature)


def receipt_calldata(receipt: MintReceipt, signature: bytes) -> str:
    """Data of the transaction ``mintWithReceipt``."""
    return contract().call("mintWithReceipt", receipt.values(), signature)


def expiry_calldata(statement: ExpiryStatement, signature: bytes) -> str:
    """Data of the transaction ``expire``."""
    return contract().call("expire", statement.values(), signature)


def deployment_data(signer: str, treasury: str) -> str:
    """Data of the transaction that creates a registry."""
    return contract().deployment(signer, treasury)
