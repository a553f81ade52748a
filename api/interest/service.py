"""Recording a wallet's interest in a token: once for each of both, with its event."""

from dataclasses import dataclass
from typing import Any, Final

from api.alerts.repository import AlertRuleRepository, WatchedToken
from api.alerts.rules import find_chain
from api.http.addresses import chain_address, wallet_address
from api.http.errors import InvalidInput
from api.interest.errors import NoSuchToken, NotYourWallet, TokenIsRegistered, TooMuchInterest
from api.interest.schemas import Interest, InterestRequest
from api.security.callers import WalletSession
from api.store import events
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.events.communities import InterestExpressed
from warehouse.domain.events.event import Occurrence, unique_key
from warehouse.store import Store, Transaction

MOST_A_DAY: Final = 20
_DAY_SECONDS: Final = 86_400


@dataclass(frozen=True, slots=True)
class InterestService:
    """See the module."""

    store: Store
    chains: Chains

    async def express(self, session: WalletSession, body: InterestRequest) -> Interest:
        """Record the interest of a signed-in wallet. Safe to repeat.

        Raises:
            InvalidInput: a member is malformed, or the chain is not indexed.
            NotYourWallet: the session does not control the wallet on that chain.
            NoSuchToken, TokenIsRegistered: there is no such token, or it has a registration.
            TooMuchInterest: the account expressed interest in as many tokens as it may within a day.
        """
        chain = self._chain(body.chain_id)
        token = WatchedToken(chain, chain_address("tokenAddress", body.token_address, chain))
        wallet = session.wallet if body.wallet_address is None else wallet_address("walletAddress", body.wallet_address)
        if not session.controls(wallet, chain.chain_id):
            raise NotYourWallet
        standing = await AlertRuleRepository(self.store).standing(token)
        if standing.registered_symbol is not None:
            raise TokenIsRegistered
        if standing.symbol is None:
            raise NoSuchToken
        key = {"chain_id": chain.chain_id, "token_address": token.address, "wallet": wallet}
        async with self.store.transaction() as transaction:
            is_new = await self._record(transaction, session, key, standing.symbol)
        return Interest(
            chain_id=chain.caip2,
            token_address=checksum_address(token.address),
            symbol=standing.symbol,
            wallet_address=checksum_address(wallet),
            is_new=is_new,
        )

    async def _record(self, transaction: Transaction, session: WalletSession, key: dict[str, Any], symbol: str) -> bool:
        # Held until the end, so that simultaneous requests cannot exceed the number.
        await transaction.rows("webhooks/lock_account", {"account_id": session.account_id})
        added = await transaction.row("interest/add", {**key, "account_id": session.account_id})
        if added is None:
            return False
        counted = await transaction.row("interest/count", {"account_id": session.account_id})
        if counted is not None and counted["expressed"] > MOST_A_DAY:
            raise TooMuchInterest(wait_seconds=_DAY_SECONDS)
        event = InterestExpressed(
            chain_id=key["chain_id"],
            token_address=checksum_address(key["token_address"]),
            symbol=symbol,
            wallet_address=checksum_address(key["wallet"]),
            has_email=False,
            timestamp=added["expressed_at"].strftime("%Y-%m-%dT%H:%M:%SZ"),
        )
        await events.record(transaction, Occurrence(event, unique_key(event), symbol, chain_id=key["chain_id"]))
        return True

    def _chain(self, caip2: str) -> Chain:
        chain = find_chain(self.chains, caip2)
        if chain is None or not chain.can_index or chain.claim_only:
            raise InvalidInput("chainId", f"tokens of {caip2[:64]!a} are not indexed here")
        return chain
