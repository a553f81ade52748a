"""Statements for our contracts: EIP-712 typed data, bound to one chain and one contract.

The signer makes all of them but two: the holder of a registration signs ``SettlementConsent``, and the next signer
signs ``SignerAcceptance``. ``docs/contracts.md`` lists their types.
"""

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from eth_account.messages import SignableMessage, encode_typed_data
from eth_utils.crypto import keccak

from indexer.contracts.signer import Signer

DOMAIN_NAME = "Regalia Registry"
DOMAIN_VERSION = "1"
_FIELD_TYPES = {
    "claimer": "address", "token": "address", "symbol": "string", "fee": "uint256", "deadline": "uint256",
    "nonce": "uint256", "token_id": "uint256", "reason": "uint8", "creator": "address", "new_signer": "address",
    "deal": "bytes32", "offerer": "address", "currency": "address", "amount": "uint256", "chain_id": "uint256",
    "consent": "bytes32", "depositor": "address", "deposit": "uint256", "snapshot_block": "uint256",
    "root": "bytes32", "total": "uint256", "window": "uint64", "settle_by": "uint64",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody signs. Each kind of statement is a subclass. ``DOMAIN`` names the contract that reads it."""

    TYPE: ClassVar[str]
    DOMAIN: ClassVar[str] = DOMAIN_NAME

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
                self.TYPE: [{"name": _wire_name(name), "type": _FIELD_TYPES[name]} for name in fields],
            },
            "primaryType": self.TYPE,
            "domain": {
                "name": self.DOMAIN,
                "version": DOMAIN_VERSION,
                "chainId": chain_id,
                "verifyingContract": registry,
            },
            "message": {_wire_name(name): value for name, value in fields.items()},
        }

    def signable(self, chain_id: int, registry: str) -> SignableMessage:
        """The encoded document for one chain's registry."""
        return encode_typed_data(full_message=self.typed_data(chain_id, registry))


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
class FactoryAuthorization(Statement):
    """Permission for the chain's factory to register a symbol for the creator of the token that it makes."""

    TYPE: ClassVar[str] = "FactoryAuthorization"
    creator: str
    symbol: str
    fee: int
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class EndAnnouncement(Statement):
    """The announcement that a registration ends. ``reason`` is a ``Reason``."""

    TYPE: ClassVar[str] = "EndAnnouncement"
    token_id: int
    reason: int
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class EndWithdrawal(Statement):
    """The announced end does not take place."""

    TYPE: ClassVar[str] = "EndWithdrawal"
    token_id: int
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class SettlementConsent(Statement):
    """The holder agrees that ``offerer`` becomes the owner for ``amount`` base units of ``currency``.

    ``deal`` is 32 bytes, ``currency`` is the zero address for the native coin, ``chain_id`` is the registry's chain.
    """

    TYPE: ClassVar[str] = "SettlementConsent"
    deal: bytes
    token_id: int
    offerer: str
    currency: str
    amount: int
    chain_id: int
    deadline: int
    nonce: int

    @property
    def struct_hash(self) -> bytes:
        """What a ``SettlementAuthorization`` refers to: EIP-712's ``hashStruct`` of the consent."""
        # eth_account calls the hash of the struct the body; it does not depend on the domain.
        return bytes(self.signable(self.chain_id, "0x" + "00" * 20).body)


@dataclass(frozen=True, slots=True)
class SettlementAuthorization(Statement):
    """The service has seen what the consent with the hash ``consent`` asks for."""

    TYPE: ClassVar[str] = "SettlementAuthorization"
    consent: bytes
    deadline: int
    nonce: int


@dataclass(frozen=True, slots=True)
class SignerAcceptance(Statement):
    """The next signer's own statement, which shows that somebody holds its key."""

    TYPE: ClassVar[str] = "SignerAcceptance"
    new_signer: str


def sign(signer: Signer, chain_id: int, registry: str, statement: Statement) -> bytes:
    """The 65-byte signature of a statement for one chain's registry.

    Raises:
        SignerUnavailable: the remote signer did not sign.
    """
    return signer.sign_typed_data(statement.typed_data(chain_id, registry))


def digest(statement: Statement, chain_id: int, registry: str) -> bytes:
    """The 32 bytes that are signed, as a contract wallet gets them (EIP-1271)."""
    message = statement.signable(chain_id, registry)
    return keccak(b"\x19" + message.version + message.header + message.body)


def _wire_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)
