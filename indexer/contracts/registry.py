"""The registry contract: its ABI, the terms it is deployed with, and calls. ``statements.py`` has what is signed."""

from dataclasses import astuple, dataclass
from enum import IntEnum
from functools import cache
from importlib.resources import files
from typing import Final

from indexer.contracts.artifact import Artifact
from indexer.contracts.statements import (
    EndAnnouncement,
    EndWithdrawal,
    FactoryAuthorization,
    MintAuthorization,
    MintReceipt,
    SettlementAuthorization,
    SettlementConsent,
)

_HOUR = 3600
_DAY = 24 * _HOUR


class Reason(IntEnum):
    """Why the service ends a registration."""

    INACTIVE = 1
    CHALLENGE = 2


@dataclass(frozen=True, slots=True)
class Terms:
    """What is fixed when a registry is deployed. Delays are in seconds; the guardian can change the last two.

    Attributes:
        end_delay: from the announcement of an end to its effect.
        objection_delay: how much longer an end takes after the owner's objection.
        signer_delay: from the announcement of a signer or guardian to its activation.
        free_mints_per_day: mints in a day of UTC that may cost less than ``paid_from``.
        paid_from: the lowest fee in wei of a mint that does not count as free.
    """

    end_delay: int
    objection_delay: int
    signer_delay: int
    free_mints_per_day: int
    paid_from: int


PUBLIC_TERMS: Final = Terms(
    end_delay=3 * _DAY, objection_delay=7 * _DAY, signer_delay=2 * _DAY, free_mints_per_day=100, paid_from=10**14
)
"""For chains that people use."""

LOCAL_TERMS: Final = Terms(
    end_delay=10, objection_delay=20, signer_delay=10, free_mints_per_day=10_000, paid_from=10**14
)
"""For development nodes, where nobody wants to wait."""


@cache
def contract() -> Artifact:
    """The registry's ABI and creation code, from the committed build output."""
    return Artifact.read("RegaliaRegistry", files(__package__).joinpath("build", "RegaliaRegistry.json").read_bytes())


def mint_calldata(authorization: MintAuthorization, signature: bytes) -> str:
    """Data of the transaction ``mint``; its value must be the authorization's fee."""
    return contract().call("mint", authorization.values(), signature)


def receipt_calldata(receipt: MintReceipt, signature: bytes) -> str:
    """Data of the transaction ``mintWithReceipt``."""
    return contract().call("mintWithReceipt", receipt.values(), signature)


def factory_calldata(authorization: FactoryAuthorization, token: str, signature: bytes) -> str:
    """Data of the call ``mintFor``, which the factory makes; its value must be the authorization's fee."""
    return contract().call("mintFor", authorization.values(), token, signature)


def announcement_calldata(statement: EndAnnouncement, signature: bytes) -> str:
    """Data of the transaction ``announceEnd``."""
    return contract().call("announceEnd", statement.values(), signature)


def withdrawal_calldata(statement: EndWithdrawal, signature: bytes) -> str:
    """Data of the transaction ``withdrawEnd``."""
    return contract().call("withdrawEnd", statement.values(), signature)


def settlement_calldata(
    consent: SettlementConsent, consent_signature: bytes, authorization: SettlementAuthorization, signature: bytes
) -> str:
    """Data of the transaction ``settle``."""
    return contract().call("settle", consent.values(), consent_signature, authorization.values(), signature)


def deployment_data(signer: str, treasury: str, guardian: str, terms: Terms) -> str:
    """Data of the transaction that creates a registry."""
    return contract().deployment(signer, treasury, guardian, astuple(terms))
