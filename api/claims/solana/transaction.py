"""The transaction of a claim: the check of the service's authorisation, then the registry's instruction, and nothing
else. It is simulated before anybody signs it."""

import base64
import logging
from dataclasses import dataclass
from typing import Any

from solders.hash import Hash
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

from api.claims.errors import FreeClaimsUsedUp, SigningUnavailable, SymbolTaken
from api.claims.messages import Claim
from api.http.errors import ApiError
from indexer.chains.errors import CallFailed, NodeLied, NodeUnavailable, RpcError
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import CONFIRMED, with_slot
from indexer.chains.solana.base58 import key_bytes, key_text
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import idl
from indexer.contracts.solana.registry_state import RegistryState
from indexer.contracts.solana.statements import signed

LOG = logging.getLogger(__name__)
_AT = {"commitment": CONFIRMED}
_REGISTER_AT = 1
"""Where the registry's instruction is: after the service's authorisation."""
_SIGNATURES, _SIGNATURE_LAMPORTS = 2, 5_000
"""The claimer's signature and the one in the Ed25519 instruction: the network charges for both, and some nodes forget
the second."""


@dataclass(frozen=True, slots=True)
class Authorization:
    """What the service signs for: a fee in lamports, until ``deadline`` (Unix seconds of chain time)."""

    fee: int
    deadline: int
    nonce: int

    def statement(self, claim: Claim, registry: RegistryState) -> bytes:
        """The statement to be signed."""
        wallet, mint = Pubkey.from_string(claim.wallet), Pubkey.from_string(claim.token)
        terms = {"fee": self.fee, "deadline": self.deadline, "nonce": self.nonce}
        return registry.domain.claim(wallet, mint, claim.symbol, **terms)


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A blockhash, the last block height that takes it, and the height now."""

    blockhash: str
    last_valid_block_height: int
    block_height: int


@dataclass(frozen=True, slots=True)
class Unsigned:
    """A transaction without signatures."""

    message: MessageV0

    @property
    def base64(self) -> str:
        """The whole transaction, with zeros in the place of each signature."""
        blank = [Signature.default()] * self.message.header.num_required_signatures
        return base64.b64encode(bytes(VersionedTransaction.populate(self.message, blank))).decode()

    @property
    def message_base64(self) -> str:
        """What is signed."""
        return base64.b64encode(to_bytes_versioned(self.message)).decode()


async def read_lifetime(reader: SolanaReader) -> Lifetime:
    """A fresh blockhash.

    Raises:
        RpcError: the chain does not answer.
    """
    latest, height = await reader.settle([("getLatestBlockhash", (_AT,)), ("getBlockHeight", (_AT,))])
    _, value = with_slot(latest)
    if isinstance(height, RpcError):
        raise height
    try:
        blockhash = key_text(key_bytes(value["blockhash"]))
        return Lifetime(blockhash, int(value["lastValidBlockHeight"]), int(height))
    except (TypeError, KeyError, ValueError) as error:
        raise NodeLied(f"not a blockhash: {str(value)[:80]}") from error


def claim_transaction(
    claim: Claim,
    registry: RegistryState,
    authorization: Authorization,
    signature: bytes,
    blockhash: str,
) -> Unsigned:
    """The transaction that the claimer signs, pays and sends."""
    claimer = Pubkey.from_string(claim.wallet)
    check = signed(authorization.statement(claim, registry), registry.config.signer, signature)
    accounts = {
        "claimer": claimer,
        "config": registry.config_address,
        "crown": Pubkey.from_string(registry.symbol.address),
        "treasury": registry.config.treasury,
        "mint": Pubkey.from_string(claim.token),
    }
    arguments = {
        "fee": authorization.fee,
        "deadline": authorization.deadline,
        "nonce": authorization.nonce,
        "symbol": claim.symbol,
    }
    register = idl.instruction(registry.program, "claim", accounts, arguments)
    return Unsigned(MessageV0.try_compile(claimer, [check, register], [], Hash.from_string(blockhash)))


@dataclass(frozen=True, slots=True)
class Simulation:
    """What came of a run that was not sent: the network's fee in lamports, and the error as nodes write it."""

    network_fee: int
    error: Any

    @property
    def lacks_rent(self) -> bool:
        """Whether the run would leave the payer less than an account must hold."""
        return isinstance(self.error, dict) and "InsufficientFundsForRent" in self.error


async def read_network_fee(reader: SolanaReader, transaction: Unsigned) -> int:
    """What the network charges for the transaction's signatures, in lamports.

    Raises:
        RpcError: the chain does not answer.
    """
    call: Call = ("getFeeForMessage", (transaction.message_base64, _AT))
    return _lamports((await reader.settle([call]))[0])


async def simulate(reader: SolanaReader, transaction: Unsigned) -> Simulation:
    """Run the transaction without sending it.

    Raises:
        RpcError: the chain does not answer.
    """
    options = {"encoding": "base64", "sigVerify": False, "replaceRecentBlockhash": False, "commitment": CONFIRMED}
    run, fee = await reader.settle(
        [
            ("simulateTransaction", (transaction.base64, options)),
            ("getFeeForMessage", (transaction.message_base64, _AT)),
        ]
    )
    _, outcome = with_slot(run)
    if not isinstance(outcome, dict) or "err" not in outcome:
        raise NodeLied(f"not a simulation: {str(outcome)[:80]}")
    return Simulation(_lamports(fee), outcome["err"])


def _lamports(fee: Any) -> int:
    _, lamports = with_slot(fee)
    if not isinstance(lamports, int):
        raise NodeUnavailable("the node does not know the blockhash")
    return max(lamports, _SIGNATURES * _SIGNATURE_LAMPORTS)


def refusal_of(error: Any, claim: Claim, registry: RegistryState) -> ApiError | RpcError:
    """What the error of a simulation means."""
    name = custom_error(error, _REGISTER_AT)
    if name == "SymbolTaken":
        return SymbolTaken(f"symbol: {claim.symbol} is already registered on {claim.chain.name}")
    if name == "TooManyFree":
        return used_up(claim, registry)
    if name in ("NotAuthorized", "SignerSuspended", "TreasuryBelowRent"):
        LOG.error("the registry on %s refuses claims: %s", claim.chain.key, name)
        return SigningUnavailable()
    return CallFailed(f"the simulation of a claim failed: {name or error}")


def used_up(claim: Claim, registry: RegistryState) -> FreeClaimsUsedUp:
    """The error of a free claim when there are none left today."""
    return FreeClaimsUsedUp(
        f"the free registrations of today are used up on {claim.chain.name}, try again after midnight UTC",
        retry_after_seconds=registry.seconds_to_midnight,
    )


def custom_error(error: Any, place: int) -> str | None:
    """The registry's name of an error of its instruction, which is at ``place``; None where something else failed."""
    try:
        failed, failure = error["InstructionError"]
        return idl.error_name(int(failure["Custom"])) if failed == place else None
    except (TypeError, KeyError, ValueError):
        return None
