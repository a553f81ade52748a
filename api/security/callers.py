"""Who sent a request: the account behind an API key, or a wallet session."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from warehouse.domain.plans import PLANS


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a request's API key."""

    key_id: UUID
    account_id: UUID
    wallet: str
    plan: str

    @property
    def wallets(self) -> tuple[str, ...]:
        """The wallets that it may act for."""
        return (self.wallet,)


@dataclass(frozen=True, slots=True)
class WalletSession:
    """A signed-in account.

    Args:
        wallets: the wallets that signed in, in that order; EVM addresses are lower-case.
        contract_chains: the chain id of each wallet that signed in as a contract.
    """

    session_id: UUID
    account_id: UUID
    wallets: tuple[str, ...]
    contract_chains: Mapping[str, int]
    scopes: frozenset[str]
    plan: str
    expires_at: datetime

    @property
    def wallet(self) -> str:
        """The wallet that signed in first."""
        return self.wallets[0]

    def controls(self, wallet: str, chain_id: int) -> bool:
        """Whether the session may act for an address on a chain, such as the owner or a manager of a registration.

        Do not test ``wallet in session.wallets`` instead: contracts at one address of two chains can belong to two
        people, so a contract wallet counts only on the chain that it signed in on. A key is the same on all chains."""
        return wallet in self.wallets and self.contract_chains.get(wallet, chain_id) == chain_id


Principal = Caller | WalletSession


def satisfies(plan: str, least: str) -> bool:
    """Whether a plan is ``least`` or higher."""
    return PLANS.index(plan) >= PLANS.index(least)
