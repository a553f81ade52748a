"""Opening challenges. Nothing is visible to others before a challenge is upheld.

A challenge is checked when it is opened, by the figures of the last complete hour: one that must fail is refused, and
leaves no trace. The worker decides the others by the figures of the hour in which they were opened (``tasks.py``).
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from api.challenges.errors import (
    ChallengeClosed,
    ChallengeDuplicate,
    ChallengePending,
    ChallengeRefused,
    ChallengeUnauthorized,
)
from api.challenges.messages import Challenge, challenge_text
from api.challenges.repository import SETTLED, ChallengeRecord, ChallengeRepository
from api.challenges.rules import HOUR, Check, Evidence, decide, hour_of, is_open_to_challenges
from api.challenges.standings import Standings
from api.claims.controllers import Controllers
from api.claims.errors import Undecided, unverified_if_unanswered
from api.claims.evm_eligibility import EvmEligibility
from api.claims.freshness import require_fresh
from api.claims.messages import Claim, Messages, require_recent
from api.claims.solana.eligibility import SolanaEligibility
from api.clock import Clock
from api.consents.migration import Migrations
from api.registrations.errors import RegistrationEnded, RegistrationRemoved
from api.registrations.repository import Ending
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.symbols import fold


@dataclass(frozen=True, slots=True)
class ChallengeService:
    """Checks and opens challenges."""

    repository: ChallengeRepository
    eligibility: EvmEligibility
    on_solana: SolanaEligibility
    standings: Standings
    migrations: Migrations
    messages: Messages
    clock: Clock
    max_verdict_age: timedelta

    def message(self, challenge: Challenge) -> tuple[str, int]:
        """The message to sign, and its timestamp."""
        timestamp = int(self.clock.now().timestamp())
        return challenge_text(self.messages, challenge, timestamp), timestamp

    async def open(self, challenge: Challenge, signature: bytes, timestamp: int, account_id: UUID) -> ChallengeRecord:
        """Open the challenge. The same challenge sent again returns the first.

        Raises:
            InvalidInput: the timestamp is too old, or in the future.
            ChallengeUnauthorized: the signature is wrong, or the wallet is not the token's deployer, owner or admin.
            ChallengeRefused: the token has no better right to the symbol.
            ChallengeClosed, ChallengeDuplicate, ChallengePending: the registration cannot be challenged (again) now.
            RegistrationEnded, RegistrationRemoved: since the request came.
            TokenUnverified: the chain, the index or the warehouse cannot answer now.
        """
        _require_another_party(challenge)
        require_recent(timestamp, self.clock.now())
        row = challenge.registration
        if await self.repository.is_sold_by(row.chain_id, row.token_id, challenge.wallet):
            raise _refused(Check.SOLD, "walletAddress: this wallet sold the registration in a deal")
        with unverified_if_unanswered():
            method = await self._control(challenge, signature, timestamp)
            now = await self._chain_time(challenge.control)
            known = await self._known(challenge, account_id)
            if known is not None:
                return known
            if not is_open_to_challenges(challenge.registration.minted_at, now):
                raise ChallengeClosed
            await self._require_better_right(challenge, now)
        return await self._save(challenge, method, account_id, now)

    async def _control(self, challenge: Challenge, signature: bytes, timestamp: int) -> str:
        """How the wallet controls the challenger's token, whose symbol reads like the registered one."""
        claim = challenge.control
        text = challenge_text(self.messages, challenge, timestamp)
        controllers = Controllers(self.eligibility, self.on_solana)
        if not await controllers.is_signed(claim, text, signature):
            raise ChallengeUnauthorized("signature: is not the wallet's signature of this challenge's message")
        symbol, control = await controllers.control(claim)
        if control.method is None:
            raise ChallengeUnauthorized
        if symbol is None or fold(symbol) != fold(challenge.registration.symbol):
            raise _refused(Check.OTHER_SYMBOL, "tokenAddress: the token's symbol does not read like the registered one")
        return control.method

    async def _chain_time(self, claim: Claim) -> datetime:
        if claim.chain.address_format is AddressFormat.BASE58:
            return await self.on_solana.chain_time(claim)
        _, head = await self.eligibility.head(claim)
        return datetime.fromtimestamp(head, UTC)

    async def _known(self, challenge: Challenge, account_id: UUID) -> ChallengeRecord | None:
        """The same challenge, if the account sent it before and it is at work."""
        row = challenge.registration
        known = await self.repository.by_token(row.chain_id, row.token_id, row.transaction_hash, challenge.token)
        if known is None:
            return None
        if (known.account_id, known.challenger_wallet) == (account_id, challenge.wallet) and known.state not in SETTLED:
            return known
        raise ChallengeDuplicate

    async def _require_better_right(self, challenge: Challenge, now: datetime) -> None:
        """Refuse a challenge that the figures of the last complete hour reject. Those that rules cannot decide pass:
        an operator decides them."""
        chain_id = challenge.chain.chain_id
        progress = require_fresh(await self.standings.progress(chain_id), now, self.max_verdict_age)
        if progress.weighed_through is None:
            raise Undecided("no hour of the chain is complete")
        evidence = await self._evidence(challenge, progress.weighed_through - HOUR)
        decision = decide(evidence, self.standings.rules)
        if decision.upheld is False:
            assert decision.check is not None  # noqa: S101 - whatever fails has a name
            reason = f"{decision.reason[:1].lower()}{decision.reason[1:].removesuffix('.')}"
            raise _refused(decision.check, f"tokenAddress: {reason}", evidence)

    async def _evidence(self, challenge: Challenge, hour: datetime) -> Evidence:
        row = challenge.registration
        evidence = await self.standings.evidence(
            row.chain_id,
            challenge.token,
            row.token_address,
            folded=fold(row.symbol),
            minted_at=row.minted_at,
            hour=hour,
        )
        is_migration = await self.migrations.is_migration(
            challenge.chain,
            self.eligibility.readers,
            senior=challenge.token,
            address=row.token_address,
        )
        return replace(evidence, is_migration=is_migration)

    async def _save(self, challenge: Challenge, method: str, account_id: UUID, now: datetime) -> ChallengeRecord:
        row = challenge.registration
        key = {"chain_id": row.chain_id, "token_id": row.token_id}
        async with self.repository.store.transaction() as transaction:
            # Held until the end, so that the registration does not end meanwhile.
            held = await transaction.row("registrations/lock_managed", key)
            if held is None or held["transaction_hash"] != row.transaction_hash:
                raise RegistrationRemoved
            ending = Ending.of(held["released_at"], held["expired_at"], held["end_reason"])
            if ending is not None:
                raise RegistrationEnded(row.symbol, ending)
            opened = await self.repository.open(
                transaction,
                {
                    **key,
                    "mint_transaction": row.transaction_hash,
                    "symbol": row.symbol,
                    "symbol_folded": fold(row.symbol),
                    "registered_token": row.token_address,
                    "minted_at": row.minted_at,
                    "challenger_token": challenge.token,
                    "challenger_wallet": challenge.wallet,
                    "verification_method": method,
                    "account_id": account_id,
                    "opened_at": now,
                    "decide_at": hour_of(now) + HOUR,
                },
            )
        if opened is not None:
            return opened
        known = await self._known(challenge, account_id)
        if known is not None:
            return known
        raise ChallengePending


def _require_another_party(challenge: Challenge) -> None:
    registration = challenge.registration
    if challenge.token == registration.token_address:
        raise _refused(Check.SAME_TOKEN, "tokenAddress: this token holds the registration")
    if challenge.wallet == registration.owner:
        raise _refused(Check.OWN_REGISTRATION, "walletAddress: this wallet owns the registration and can release it")


def _refused(check: Check, message: str, evidence: Evidence | None = None) -> ChallengeRefused:
    figures = {} if evidence is None else {"evidence": evidence.as_json()}
    return ChallengeRefused(message, details={"check": check.value, **figures})
