"""The settlement of a buyout or a project sale: the holder's consent, the offerer's transaction. This is how it
goes on EVM chains; ``solana_settling.py`` says how on Solana.

    awaiting_consent    the holder signs a consent, which only the service keeps
    awaiting_dispatch   the offerer asks for the transaction; the service authorises it for two minutes of chain time
    settling            until a final block shows the settlement, or shows time beyond the authorisation without it

The registry pays the holder from the offerer who sends the transaction, and hands the registration over, in one call.
The service holds nothing and sends nothing.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from solders.signature import Signature

from api.chains import ChainReaders
from api.claims.errors import SigningUnavailable
from api.claims.signing import Signing
from api.claims.solana.inputs import signature_on
from api.clock import Clock
from api.deals import states
from api.deals.answers import Answers, holding, offer_of
from api.deals.errors import DealInvalidState, NotAParty, ProviderUnavailable
from api.deals.moves import Moves, permitted
from api.deals.repository import DealRecord, DealRepository
from api.deals.solana_settling import PartySigned, SolanaSettling
from api.deals.states import Move, Role
from api.deals.vaults.following import Vaults
from api.deals.vaults.terms import has_redemption, price_raw, vault_chain
from api.http.addresses import transaction_on
from api.http.errors import InvalidInput
from api.security.callers import WalletSession
from api.security.signatures import canonical, is_of_undeployed_wallet, is_signed_by, recover
from api.settings import ApiSettings
from indexer.chains.errors import RpcError
from indexer.chains.evm.reader import EvmReader, call_to, data_bytes, quantity
from indexer.contracts import registry
from indexer.contracts.statements import SettlementAuthorization, SettlementConsent, digest
from warehouse.domain.addresses import AddressFormat, checksum_address
from warehouse.domain.chains import ZERO_ADDRESS, Chain, Chains
from warehouse.domain.selectors import ALLOWANCE, APPROVE

AUTHORIZATION_SECONDS: Final = 120
MIN_CONSENT: Final = timedelta(hours=1)
MAX_CONSENT: Final = timedelta(days=90)
"""How long a consent may hold."""
_WORD: Final = 32


@dataclass(frozen=True, slots=True)
class Call:
    """A transaction for the offerer to sign and send."""

    to: str
    data: str
    value: int


@dataclass(frozen=True, slots=True)
class Authorized:
    """The transaction that settles a deal, what to approve before it if anything, and until when it is authorised."""

    settlement: Call
    approval: Call | None
    until: datetime


@dataclass(frozen=True, slots=True)
class Settling:
    """Takes accepted deals to their settlement."""

    repository: DealRepository
    answers: Answers
    moves: Moves
    vaults: Vaults
    signing: Signing
    readers: ChainReaders
    chains: Chains
    settings: ApiSettings
    clock: Clock
    on_solana: SolanaSettling

    async def consent_to_sign(self, session: WalletSession, id: UUID) -> SettlementConsent | PartySigned:
        """The consent that the holder would sign now, with a nonce of its own; on Solana the transaction.

        Raises:
            DealNotFound, NotAParty, WalletNotOnSession: it is not the caller's to consent.
            DealInvalidState: the deal does not wait for it, or is not settled by this service.
        """
        deal = await self.answers.find(id)
        holding(session, deal, None)
        chain = self._require_settleable(deal)
        if chain.address_format is AddressFormat.BASE58:
            return await self._to_sign_on_solana(deal, chain)
        permitted(deal, Move.CONSENT, Role.HOLDER)
        until = self.clock.now() + timedelta(days=self.settings.deal_settlement_days) + MIN_CONSENT
        return statement_of(deal, int(until.timestamp()), secrets.randbits(256))

    async def consent(
        self, session: WalletSession, id: UUID, *, nonce: int | None, deadline: int | None, signature: str | None
    ) -> DealRecord:
        """Keep the holder's signed consent. It is shown to nobody before the offerer asks for the transaction. On
        Solana the holder says without a signature that it is ready, and later signs the transaction.

        Raises:
            InvalidInput: it ends too soon or too late, or is not the holder's signature of this deal's consent.
            DealNotFound, NotAParty, WalletNotOnSession, DealInvalidState: as :meth:`consent_to_sign`.
            ProviderUnavailable: the chain or the signer cannot be asked now.
        """
        deal = await self.answers.find(id)
        actor = holding(session, deal, None)
        chain = self._require_settleable(deal)
        if chain.address_format is AddressFormat.BASE58:
            return await self._consent_on_solana(deal, actor, signature, chain)
        permitted(deal, Move.CONSENT, Role.HOLDER)
        if nonce is None or deadline is None or signature is None:
            missing = "nonce" if nonce is None else "deadline" if deadline is None else "signature"
            raise InvalidInput(missing, "is required")
        now, until = self.clock.now(), datetime.fromtimestamp(deadline, UTC)
        if nonce >= 2**256:
            raise InvalidInput("nonce", "must fit 256 bits")
        if not now + MIN_CONSENT <= until <= now + MAX_CONSENT:
            raise InvalidInput("deadline", f"must be {MIN_CONSENT} to {MAX_CONSENT.days} days from now")
        hash = digest(statement_of(deal, deadline, nonce), chain.chain_id, _registry_of(chain))
        accepted = await self._as_the_registry_takes(actor, hash, signature_on(chain, signature), chain)
        given = {"id": deal.id, "nonce": nonce, "deadline": until, "signature": "0x" + accepted.hex()}
        return await self._make_consent(deal, actor, given)

    async def _make_consent(self, deal: DealRecord, actor: str, given: Mapping[str, Any] | None) -> DealRecord:
        now = self.clock.now()
        signed = await self.moves.attest(deal.id, offer_of(deal), Move.CONSENT, actor, now)
        async with self.repository.store.transaction() as transaction:
            if await self.repository.lock_holder(transaction, deal) != actor:
                raise NotAParty("the registration changed hands or ended")
            await self.moves.make(transaction, deal, Move.CONSENT, Role.HOLDER, now, actor=actor, signed=signed)
            if given is not None:
                await transaction.execute("deals/save_consent", given)
        return await self.answers.find(deal.id)

    async def _to_sign_on_solana(self, deal: DealRecord, chain: Chain) -> PartySigned:
        if deal.state != states.SETTLING:
            raise DealInvalidState(
                f"the deal is {deal.state.name}: on {chain.name} the holder signs the transaction of the settlement,"
                " once the offerer has asked for it"
            )
        try:
            return await self.on_solana.current(deal, chain)
        except RpcError as error:
            raise ProviderUnavailable from error

    async def _consent_on_solana(self, deal: DealRecord, actor: str, signature: str | None, chain: Chain) -> DealRecord:
        if signature is None:
            permitted(deal, Move.CONSENT, Role.HOLDER)
            return await self._make_consent(deal, actor, None)
        if deal.state != states.SETTLING:
            raise DealInvalidState(f"the deal is {deal.state.name}: there is no transaction to sign")
        await self.on_solana.keep_signature(deal, Signature(signature_on(chain, signature)))
        return await self.answers.find(deal.id)

    async def authorize(self, session: WalletSession, id: UUID) -> Authorized | PartySigned:
        """The transaction that settles the deal, authorised for two minutes. Asked again meanwhile, the same.

        Raises:
            DealNotFound, NotAParty: it is not the caller's to settle.
            DealInvalidState: the deal does not wait for it, or its registration is about to end, or the consent was
                revoked or has ended.
            ProviderUnavailable: the chain or the signer cannot be asked now.
        """
        deal = await self.answers.find(id)
        if not session.controls(deal.offerer, deal.chain_id):
            raise NotAParty("only the wallet that made the offer may do so")
        chain = self._require_settleable(deal)
        settles = deal.state == states.SETTLING and deal.settlement_call is not None
        if not settles:
            permitted(deal, Move.DISPATCH, Role.OFFERER)
        try:
            if chain.address_format is AddressFormat.BASE58:
                return await (self.on_solana.current if settles else self.on_solana.authorize)(deal, chain)
            return await (self._again if settles else self._authorize)(deal, chain)
        except (RpcError, SigningUnavailable) as error:
            raise ProviderUnavailable from error

    async def confirm(self, session: WalletSession, id: UUID, transaction: str) -> DealRecord:
        """Note the transaction that settles the deal, once it is mined. The deal is complete when it is final.

        Raises:
            DealNotFound, NotAParty: it is not a deal of the caller's.
            InvalidInput: the transaction is not mined, or settles another deal.
            DealInvalidState: no settlement is authorised.
            ProviderUnavailable: the chain cannot be read now.
        """
        deal = await self.answers.find(id)
        if not any(party and session.controls(party, deal.chain_id) for party in (deal.offerer, deal.holder)):
            raise NotAParty
        if deal.state != states.SETTLING:
            raise DealInvalidState(f"the deal is {deal.state.name}: no settlement is authorised")
        chain = self._require_settleable(deal)
        hash = transaction_on("txHash", transaction, chain)
        try:
            if chain.address_format is AddressFormat.BASE58:
                is_mined = await self.on_solana.settles(deal, chain, hash)
            else:
                is_mined = _settles(
                    await self.readers.of(chain).request("eth_getTransactionReceipt", hash), deal, chain
                )
        except RpcError as error:
            raise ProviderUnavailable from error
        if not is_mined:
            raise InvalidInput("txHash", "is not a mined transaction that settles this deal")
        await self.repository.store.rows("deals/save_hash", {"id": deal.id, "hash": hash})
        return await self.answers.find(id)

    async def _as_the_registry_takes(self, holder: str, hash: bytes, signature: bytes, chain: Chain) -> bytes:
        """The holder's signature in a form that the registry accepts: of a key in 65 bytes, or by EIP-1271."""
        if is_of_undeployed_wallet(signature):
            raise InvalidInput(
                "signature",
                "is in the form of wallets that are not deployed yet (ERC-6492), which the registry does not take:"
                " deploy the wallet and hand in its own signature",
            )
        try:
            if not await is_signed_by(holder, hash, signature, self.readers.of(chain)):
                raise InvalidInput("signature", "is not the holder's signature of this deal's consent")
        except RpcError as error:
            raise ProviderUnavailable from error
        plain = canonical(signature) if recover(hash, signature) == holder else None
        return plain or signature

    async def _authorize(self, deal: DealRecord, chain: Chain) -> Authorized:
        assert deal.consent_nonce is not None  # noqa: S101 - a deal that awaits dispatch has a consent
        assert deal.consent_deadline is not None  # noqa: S101
        assert deal.consent_signature is not None  # noqa: S101
        reader, now = self.readers.of(chain), self.clock.now()
        consent = statement_of(deal, int(deal.consent_deadline.timestamp()), int(deal.consent_nonce))
        await self._require_no_obstacle(deal, chain, reader, consent)
        until = await _chain_time(reader) + AUTHORIZATION_SECONDS
        await self.vaults.require_deposit(deal, chain, datetime.fromtimestamp(until, UTC))
        authorization = SettlementAuthorization(consent.struct_hash, until, secrets.randbits(256))
        signature = await self.signing.sign(chain.chain_id, _registry_of(chain), authorization)
        given = bytes.fromhex(deal.consent_signature[2:])
        data = registry.settlement_calldata(consent, given, authorization, signature)
        amount = price_raw(deal)
        call = Call(_registry_of(chain), data, amount if deal.currency_address == ZERO_ADDRESS else 0)
        authorized_until = datetime.fromtimestamp(until, UTC)
        kept = {"to": call.to, "data": call.data, "value": str(call.value)}
        await self.moves.dispatch(deal, now, authorized_until, kept)
        return Authorized(call, await self._approval(deal, chain, reader), authorized_until)

    async def _again(self, deal: DealRecord, chain: Chain) -> Authorized:
        assert deal.settlement_call is not None  # noqa: S101 - the caller has seen to it
        assert deal.authorized_until is not None  # noqa: S101 - the store's constraint
        reader, kept = self.readers.of(chain), deal.settlement_call
        if await _chain_time(reader) >= deal.authorized_until.timestamp():
            raise DealInvalidState("the authorisation has ended; once that is final, ask for another")
        call = Call(kept["to"], kept["data"], int(kept["value"]))
        return Authorized(call, await self._approval(deal, chain, reader), deal.authorized_until)

    async def _require_no_obstacle(
        self, deal: DealRecord, chain: Chain, reader: EvmReader, consent: SettlementConsent
    ) -> None:
        """A settlement voids an announced end, so none is authorised while one is, or is about to be."""
        contract, address = registry.contract(), _registry_of(chain)
        end, used = await reader.settle(
            [
                call_to(address, contract.call("endOf", deal.token_id)),
                call_to(address, contract.call("consentUsed", checksum_address(str(deal.holder)), consent.nonce)),
            ]
        )
        if any(data_bytes(end)[:_WORD]) or not await self.repository.may_settle(deal):
            raise DealInvalidState("the end of the registration is announced: it cannot be settled before that is over")
        if any(data_bytes(used)):
            raise DealInvalidState("the holder revoked the consent")

    async def _approval(self, deal: DealRecord, chain: Chain, reader: EvmReader) -> Call | None:
        """What lets the registry take exactly the price from the sender; None where it may already."""
        if deal.currency_address in (None, ZERO_ADDRESS):
            return None
        token, spender, amount = str(deal.currency_address), _registry_of(chain), price_raw(deal)
        words = deal.offerer[2:].rjust(64, "0") + spender[2:].lower().rjust(64, "0")
        (answer,) = await reader.settle([call_to(token, f"{ALLOWANCE}{words}")])
        if int.from_bytes(data_bytes(answer)[:_WORD], "big") >= amount:
            return None
        return Call(checksum_address(token), f"{APPROVE}{spender[2:].lower().rjust(64, '0')}{amount:064x}", 0)

    def _require_settleable(self, deal: DealRecord) -> Chain:
        """The chain of a deal that this service settles.

        Raises:
            DealInvalidState: it is none of them.
        """
        chain = self.chains.by_id(deal.chain_id)
        if chain is None or not chain.takes_claims:
            raise DealInvalidState("deals on this chain are not settled by this version of the service")
        return vault_chain(self.chains, deal) if has_redemption(deal) else chain


def statement_of(deal: DealRecord, deadline: int, nonce: int) -> SettlementConsent:
    """What the holder of a deal's registration consents to."""
    return SettlementConsent(
        deal=deal.id.bytes.rjust(_WORD, b"\0"),
        token_id=deal.token_id,
        offerer=checksum_address(deal.offerer),
        currency=checksum_address(str(deal.currency_address)),
        amount=price_raw(deal),
        chain_id=deal.chain_id,
        deadline=deadline,
        nonce=nonce,
    )


async def _chain_time(reader: EvmReader) -> int:
    block = await reader.request("eth_getBlockByNumber", "latest", False)
    return quantity(block["timestamp"])


def _registry_of(chain: Chain) -> str:
    return checksum_address(chain.contracts["registry"])


def registry_of(chains: Chains, chain_id: int) -> str:
    """The registry of a chain that settles deals, checksummed."""
    chain = chains.by_id(chain_id)
    assert chain is not None  # noqa: S101 - the caller has a statement for it
    return _registry_of(chain)


def _settles(receipt: Any, deal: DealRecord, chain: Chain) -> bool:
    """Whether a receipt shows the settlement of a deal."""
    if not isinstance(receipt, dict) or receipt.get("status") != "0x1":
        return False
    topic, wanted = registry.contract().topic("Settled"), deal.id.bytes.rjust(_WORD, b"\0")
    return any(
        log["address"].lower() == chain.contracts["registry"]
        and log["topics"][0] == topic
        and quantity(log["topics"][1]) == deal.token_id
        and data_bytes(log["data"])[:_WORD] == wanted
        for log in receipt["logs"]
    )
