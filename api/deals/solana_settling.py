"""The settlement of a deal on Solana: one transaction, which the holder signs first, then the offerer, who sends it.

    awaiting_consent    the holder says that it is ready to sign
    awaiting_dispatch   the offerer asks for the transaction; the service authorises it for two minutes of chain time
    settling            the holder signs the transaction, which is the consent; the offerer gets it with that signature

A transaction takes a recent blockhash, which runs out after about a minute. While the authorisation lives the service
puts a new one in, and the holder signs again. The service keeps the holder's signature, and sends nothing.
"""

import base64
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from solders.hash import Hash
from solders.message import MessageV0, to_bytes_versioned
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction
from spl.token.instructions import create_idempotent_associated_token_account, get_associated_token_address

from api.chains import ChainReaders
from api.claims.signing import SolanaSigning
from api.claims.solana.mints import read_events
from api.claims.solana.transaction import Lifetime, Unsigned, custom_error, read_lifetime, simulate
from api.clock import Clock
from api.deals.errors import DealInvalidState, ProviderUnavailable
from api.deals.moves import Moves
from api.deals.repository import DealRecord, DealRepository
from api.http.errors import InvalidInput
from indexer.chains.solana.reader import SolanaReader
from indexer.contracts.solana import idl
from indexer.contracts.solana.registry_state import RegistryState, read_registry
from indexer.contracts.solana.statements import Settlement, next_nonce, signed
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
AUTHORIZATION_SECONDS: Final = 120
_SETTLE_AT: Final = 2
"""Where the registry's instruction is: after the holder's token account and the service's authorisation."""
_TOO_FEW_TOKENS: Final = {"InstructionError": [_SETTLE_AT, {"Custom": 1}]}
"""The token program's error, as nodes write it."""


@dataclass(frozen=True, slots=True)
class PartySigned:
    """The transaction of a settlement, in base64, as far as it is signed. ``until``: of the authorisation."""

    transaction: str
    holder_signed: bool
    lifetime: Lifetime
    until: datetime


@dataclass(frozen=True, slots=True)
class SolanaSettling:
    """Makes the transactions of settlements. ``signing`` is opened when one is due."""

    repository: DealRepository
    moves: Moves
    signing: Callable[[], SolanaSigning]
    readers: ChainReaders
    clock: Clock

    async def authorize(self, deal: DealRecord, chain: Chain) -> PartySigned:
        """The transaction that settles a deal, authorised for two minutes.

        Raises:
            DealInvalidState: the registration changed hands or is about to end, or the chain would refuse it.
            SigningUnavailable, RpcError: the signer or the chain cannot be asked now.
        """
        reader = self.readers.solana(chain)
        registry = await read_registry(reader, chain.contracts["registry"], deal.symbol)
        crown = registry.registration(deal.token_id)
        if crown is None or str(crown.owner) != deal.holder:
            raise DealInvalidState("the registration changed hands or ended")
        if registry.end(deal.token_id) is not None or not await self.repository.may_settle(deal):
            raise DealInvalidState("the end of the registration is announced: it cannot be settled before that is over")
        signing = self.signing()
        if registry.config.suspended or registry.config.signer != signing.address:
            LOG.error("the signer of the registry on %s is not in force: no deal can be settled", chain.key)
            raise ProviderUnavailable
        until = registry.now + AUTHORIZATION_SECONDS
        authorized = {"deadline": until, "nonce": next_nonce(registry.symbol.last_nonce, registry.now)}
        statement = registry.domain.settlement(_terms(deal), **authorized)
        check = signed(statement, signing.address, await signing.sign(statement))
        lifetime = await read_lifetime(reader)  # as late as can be: it runs out
        unsigned = _transaction(deal, registry, check, authorized, lifetime.blockhash)
        await _require_accepted(reader, unsigned)
        authorized_until = datetime.fromtimestamp(until, UTC)
        await self.moves.dispatch(deal, self.clock.now(), authorized_until, _kept(unsigned, lifetime))
        return PartySigned(unsigned.base64, False, lifetime, authorized_until)

    async def current(self, deal: DealRecord, chain: Chain) -> PartySigned:
        """The authorised transaction of a deal that settles, with the holder's signature where it was handed in. Where
        its blockhash has run out it gets a new one, which nobody has signed yet.

        Raises:
            DealInvalidState: the authorisation has ended.
            RpcError: the chain cannot be read now.
        """
        assert deal.settlement_call is not None  # noqa: S101 - the caller has seen to it
        assert deal.authorized_until is not None  # noqa: S101 - the store's constraint
        reader = self.readers.solana(chain)
        now = (await read_registry(reader, chain.contracts["registry"])).now
        if now > deal.authorized_until.timestamp():
            raise DealInvalidState("the authorisation has ended; once that is final, ask for another")
        message, last_valid = _message(deal), int(deal.settlement_call["lastValidBlockHeight"])
        fresh = await read_lifetime(reader)
        if fresh.block_height <= last_valid:
            lifetime = Lifetime(str(message.recent_blockhash), last_valid, fresh.block_height)
            consent = _consent(deal, message)
            whole = Unsigned(message).base64 if consent is None else _with_signature(message, deal, consent)
            return PartySigned(whole, consent is not None, lifetime, deal.authorized_until)
        renewed = Unsigned(
            MessageV0(message.header, message.account_keys, Hash.from_string(fresh.blockhash), message.instructions, [])
        )
        if not await self.repository.renew_call(deal, _kept(renewed, fresh)):
            raise DealInvalidState("the deal has moved: read it again")
        return PartySigned(renewed.base64, False, fresh, deal.authorized_until)

    async def keep_signature(self, deal: DealRecord, signature: Signature) -> None:
        """Keep the holder's signature of the transaction, for the offerer.

        Raises:
            InvalidInput: it is not the holder's signature of the present transaction.
            DealInvalidState: the deal has moved, or has another transaction by now.
        """
        if not signature.verify(Pubkey.from_string(str(deal.holder)), to_bytes_versioned(_message(deal))):
            raise InvalidInput("signature", "is not the holder's signature of the settlement's present transaction")
        if not await self.repository.keep_signature(deal, str(signature)):
            raise DealInvalidState("the settlement has another transaction by now: read the consent again")

    async def settles(self, deal: DealRecord, chain: Chain, transaction: str) -> bool:
        """Whether a confirmed transaction (its signature, in base58) settles the deal.

        Raises:
            RpcError: the chain cannot be read now.
        """
        events = await read_events(self.readers.solana(chain), transaction)
        return any(
            kind == "settled" and event.token_id == deal.token_id and event.deal == _terms(deal).deal
            for kind, event in events
        )

    async def is_registered_after(self, deal: DealRecord, chain: Chain, moment: datetime) -> bool:
        """Whether the deal's registration is there as of a time of the chain after a moment.

        Raises:
            RpcError: the chain cannot be read now.
        """
        registry = await read_registry(self.readers.solana(chain), chain.contracts["registry"], deal.symbol)
        return registry.now > moment.timestamp() and registry.registration(deal.token_id) is not None


def _terms(deal: DealRecord) -> Settlement:
    return Settlement(
        deal=deal.id.bytes.rjust(32, b"\0"),
        token_id=deal.token_id,
        offerer=Pubkey.from_string(deal.offerer),
        currency=Pubkey.from_string(str(deal.currency_address)),
        amount=int(deal.amount_raw or 0),
    )


def _transaction(
    deal: DealRecord, registry: RegistryState, check: Any, authorized: dict[str, int], blockhash: str
) -> Unsigned:
    """The offerer pays the fee, and opens the holder's token account where there is none."""
    terms, holder = _terms(deal), Pubkey.from_string(str(deal.holder))
    accounts = {
        "holder": holder,
        "offerer": terms.offerer,
        "config": registry.config_address,
        "crown": Pubkey.from_string(registry.symbol.address),
        "source": get_associated_token_address(terms.offerer, terms.currency),
        "currency": terms.currency,
        "destination": get_associated_token_address(holder, terms.currency),
    }
    arguments = {"deal": terms.deal, "token_id": terms.token_id, "amount": terms.amount, **authorized}
    opening = create_idempotent_associated_token_account(terms.offerer, holder, terms.currency)
    settle = idl.instruction(registry.program, "settle", accounts, arguments)
    return Unsigned(MessageV0.try_compile(terms.offerer, [opening, check, settle], [], Hash.from_string(blockhash)))


async def _require_accepted(reader: SolanaReader, unsigned: Unsigned) -> None:
    error = (await simulate(reader, unsigned)).error
    if error is None:
        return
    if error == _TOO_FEW_TOKENS:
        raise DealInvalidState("the offerer's token account does not hold the price")
    raise DealInvalidState(f"the chain would refuse the settlement now: {custom_error(error, _SETTLE_AT) or error}")


def _kept(unsigned: Unsigned, lifetime: Lifetime) -> dict[str, Any]:
    return {"transaction": unsigned.base64, "lastValidBlockHeight": lifetime.last_valid_block_height}


def _message(deal: DealRecord) -> MessageV0:
    assert deal.settlement_call is not None  # noqa: S101 - the caller has seen to it
    message = VersionedTransaction.from_bytes(base64.b64decode(deal.settlement_call["transaction"])).message
    assert isinstance(message, MessageV0)  # noqa: S101 - this service made it
    return message


def _consent(deal: DealRecord, message: MessageV0) -> Signature | None:
    """The holder's signature of this message; what it signed with another blockhash counts no more."""
    if deal.consent_signature is None:
        return None
    given = Signature.from_string(deal.consent_signature)
    return given if given.verify(Pubkey.from_string(str(deal.holder)), to_bytes_versioned(message)) else None


def _with_signature(message: MessageV0, deal: DealRecord, signature: Signature) -> str:
    signatures = [Signature.default()] * message.header.num_required_signatures
    signatures[message.account_keys.index(Pubkey.from_string(str(deal.holder)))] = signature
    return base64.b64encode(bytes(VersionedTransaction.populate(message, signatures))).decode()
