"""Sign-in: a nonce, a message signed by a wallet, a session."""

import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from solders.pubkey import Pubkey
from solders.signature import Signature

from api.auth import actions, rules, siwe, siws
from api.auth.errors import NonceInvalid, SignatureInvalid, TooManyWallets, WalletOfAnotherAccount
from api.auth.grammar import Malformed
from api.auth.messages import SignIn
from api.auth.repository import AuthRepository, SessionRecord
from api.auth.rules import FIELD, ServiceUrls
from api.auth.schemas import LoginResponse
from api.chains import ChainReaders
from api.clock import Clock
from api.http.errors import InvalidInput
from api.outbound.destinations import Address
from api.security.access import require_scope
from api.security.callers import WalletSession
from api.security.errors import SessionEnded
from api.security.jwt import Tokens
from api.security.sessions import Sessions
from api.security.signatures import is_signed_by, recover, signed_digest
from api.store import audit
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain, Chains
from warehouse.store import Transaction

NONCE_LIFE = timedelta(minutes=10)
MAX_WALLETS = 20
"""Wallets of one session; its token names them all."""
_NONCE_LENGTH = 22
_ALPHABET = string.ascii_letters + string.digits
_KEPT_AFTER_END = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Signer:
    """The signer of a message: a wallet with its key, or a contract wallet on ``chain``."""

    wallet: str
    chain: Chain | None = None

    @property
    def chain_id(self) -> int | None:
        """The id of the contract's chain; None for a key."""
        return None if self.chain is None else self.chain.chain_id


@dataclass(frozen=True, slots=True)
class SignInService:
    """The sign-in. Nothing is written before the whole message is checked; then one transaction spends the nonce and
    begins the session, so a nonce gives one session or none."""

    repository: AuthRepository
    sessions: Sessions
    tokens: Tokens
    readers: ChainReaders
    chains: Chains
    clock: Clock
    urls: ServiceUrls
    session_life: timedelta
    sessions_per_wallet: int
    address: Address | None

    async def nonce(self) -> str:
        """A new nonce for one sign-in within ten minutes: 22 letters and digits, 130 random bits."""
        nonce = "".join(secrets.choice(_ALPHABET) for _ in range(_NONCE_LENGTH))
        now = self.clock.now()
        await self.repository.add_nonce(nonce, now, now + NONCE_LIFE)
        return nonce

    async def sign_in_ethereum(
        self, text: str, signature: bytes, scopes: frozenset[str], session: WalletSession | None
    ) -> LoginResponse:
        """Sign in with an EVM wallet: a plain one, a contract (EIP-1271), or a contract not deployed yet (ERC-6492).

        Raises:
            InvalidInput: the message is malformed, or not for this service or time.
            NonceInvalid, SignatureInvalid: the nonce or the signature is not valid, or the wallet's account belongs to
                another signer.
            WalletOfAnotherAccount, TooManyWallets: the wallet cannot join the session.
            RpcError: the contract wallet's chain does not answer.
        """
        message = _read(siwe.read, text)
        now = self.clock.now()
        rules.check(message, self.urls, now)
        rules.require_issued(message, now)
        chain = rules.evm_chain(message, self.chains)
        await self._require_nonce(message, now)
        wallet, digest = message.address.lower(), signed_digest(text)
        signer = Signer(wallet)
        if recover(digest, signature) != wallet:
            if not chain.enabled:
                raise SignatureInvalid(
                    f"{SignatureInvalid.text}; contract wallets on {chain.name} cannot be verified here"
                )
            if not await is_signed_by(wallet, digest, signature, self.readers.of(chain)):
                raise SignatureInvalid
            signer = Signer(wallet, chain)
        return await self._begin(signer, message, scopes, session)

    async def sign_in_solana(
        self, text: str, signatures: list[bytes], scopes: frozenset[str], session: WalletSession | None
    ) -> LoginResponse:
        """Sign in with a Solana wallet. One of ``signatures``, the possible decodings of the sent text, must be valid.

        Raises:
            InvalidInput: the message is malformed, or not for this service or time.
            NonceInvalid, SignatureInvalid: the nonce or the signature is not valid.
            WalletOfAnotherAccount, TooManyWallets: the wallet cannot join the session.
        """
        message = _read(siws.read, text)
        now = self.clock.now()
        rules.check(message, self.urls, now)
        rules.require_issued(message, now)
        rules.require_solana_chain(message, self.chains)
        await self._require_nonce(message, now)
        # Strict verification, as validators do: refuses keys of small order, for which anyone could sign.
        key, signed = Pubkey.from_string(message.address), text.encode()
        if not any(Signature.from_bytes(signature).verify(key, signed) for signature in signatures):
            raise SignatureInvalid
        return await self._begin(Signer(message.address), message, scopes, session)

    async def revoke(self, session: WalletSession, session_id: UUID) -> datetime | None:
        """End a session of the caller's account: at once here, within the cache's seconds in other processes. None if
        the account has no such session."""
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            row = await self.repository.revoke(transaction, session.account_id, session_id, now)
            if row is not None and row.ended:
                await audit.record(transaction, *actions.revoked(session, [session_id], self.address, now))
        self.sessions.forget(session_id)
        return None if row is None else row.revoked_at

    async def revoke_others(self, session: WalletSession) -> int:
        """End all sessions of the caller's account except the caller's, and return how many."""
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            ended = await self.repository.revoke_others(transaction, session.account_id, session.session_id, now)
            await audit.record(transaction, *actions.revoked(session, ended, self.address, now))
        for session_id in ended:
            self.sessions.forget(session_id)
        return len(ended)

    async def _require_nonce(self, message: SignIn, now: datetime) -> None:
        """Refuse an invalid nonce before checking a signature or asking a chain."""
        if message.nonce is None:
            raise InvalidInput(FIELD, "Nonce is missing")
        if not await self.repository.knows_nonce(message.nonce, now):
            raise NonceInvalid

    async def _begin(
        self, signer: Signer, message: SignIn, scopes: frozenset[str], session: WalletSession | None
    ) -> LoginResponse:
        now = self.clock.now()
        ended: list[UUID] = []
        async with self.repository.store.transaction() as transaction:
            if not await self.repository.spend_nonce(transaction, message.nonce or "", now):
                raise NonceInvalid
            if session is None:
                row = await self._new_session(transaction, signer, scopes, now)
                most = self.sessions_per_wallet
                ended = await self.repository.end_oldest_sessions(transaction, row, signer.wallet, most=most, now=now)
                await audit.record(transaction, *actions.started(row, signer.wallet, ended, self.address, now))
            else:
                row = await self._joined_session(transaction, signer, session, now)
        for session_id in (row.id, *ended):
            self.sessions.forget(session_id)
        wallets, granted = tuple(row.wallets), frozenset(row.scopes)
        return LoginResponse(
            access_token=self.tokens.issue_wallet_session(row.id, wallets, granted, now=now, expires_at=row.expires_at),
            token_type="Bearer",  # noqa: S106 - the kind of token
            expires_in=int(row.expires_at.timestamp()) - int(now.timestamp()),
            expires_at=row.expires_at,
            session_id=row.id,
            account_id=row.account_id,
            wallet=checksum_address(signer.wallet),
            wallets=[checksum_address(each) for each in wallets],
            scopes=sorted(granted),
            plan=row.plan,
        )

    async def _new_session(
        self, transaction: Transaction, signer: Signer, scopes: frozenset[str], now: datetime
    ) -> SessionRecord:
        if await self.repository.account_of(transaction, signer.wallet) is None:
            await self.repository.add_account(transaction, signer.wallet)
        account_id = await self._require_signer(transaction, signer, now)
        return await self.repository.add_session(
            transaction,
            {
                "account_id": account_id,
                "wallet": signer.wallet,
                "chain_id": signer.chain_id,
                "scopes": sorted(scopes),
                "now": now,
                "expires_at": (now + self.session_life).replace(microsecond=0),
                "forget_before": now - _KEPT_AFTER_END,
            },
        )

    async def _joined_session(
        self, transaction: Transaction, signer: Signer, session: WalletSession, now: datetime
    ) -> SessionRecord:
        """The caller's session with the wallet added, and the wallet linked to its account."""
        wallet = signer.wallet
        account_id = await self.repository.account_of(transaction, wallet)
        kept = await self.repository.lock_session(transaction, session.session_id, now)
        if kept is None:
            raise SessionEnded
        if wallet not in kept.wallets and len(kept.wallets) >= MAX_WALLETS:
            raise TooManyWallets(MAX_WALLETS)
        if account_id is None:
            # A linked wallet can sign in with all rights of the account, so a read-only session must not link one.
            require_scope(session, "api:write")
            await self.repository.link_wallet(transaction, wallet, kept.account_id)
        if await self._require_signer(transaction, signer, now) != kept.account_id:
            raise WalletOfAnotherAccount(wallet)
        linked = account_id is None
        await audit.record(transaction, *actions.joined(session, wallet, self.address, now, linked=linked))
        return await self.repository.add_to_session(transaction, session.session_id, wallet, signer.chain_id)

    async def _require_signer(self, transaction: Transaction, signer: Signer, now: datetime) -> UUID:
        """The account of the wallet, after checking that it is this signer's. Accounts know only addresses, but
        contracts at one address of two chains can belong to two people."""
        account_id = await self.repository.require_signer(transaction, signer.wallet, signer.chain_id, now)
        if account_id is not None:
            return account_id
        bound = await self.repository.chain_of(transaction, signer.wallet)
        here = "" if signer.chain is None else signer.chain.name
        if bound is None:
            raise SignatureInvalid(f"signature: this wallet signs in with its key, not as a contract on {here}")
        chain = self.chains.by_id(bound)
        there = f"chain {bound}" if chain is None else f"{chain.name} (chain {bound})"
        raise SignatureInvalid(
            f"signature: this wallet signs in as a contract on {there}; the one on {here} may have another owner"
        )


def _read(read: Callable[[str], SignIn], text: str) -> SignIn:
    try:
        return read(text)
    except Malformed as error:
        raise InvalidInput(FIELD, str(error)) from error
