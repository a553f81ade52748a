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
        """The wallets it may act for."""
        return (self.wallet,)


@dataclass(frozen=True, slots=True)
class WalletSession:
    """Who signed in. ``wallets`` are those that did, the first one first; addresses are lower-case on EVM chains.
    ``contract_chains`` names, of those for which a contract answered, the chain that it is on."""

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
        """Whether the session may act for an address on a chain: as its owner, its manager, or however else the chain
        names it. Ask this, not whether the address is in ``wallets``: the contracts that stand at one address of two
        chains can be two people's, and who signed with one of them is nobody on the other's chain. A key is the same
        everywhere."""
        return wallet in self.wallets and self.contract_chains.get(wallet, chain_id) == chain_id


Principal = Caller | WalletSession


def satisfies(plan: str, least: str) -> bool:
    """Whether a plan is ``least`` or a higher one."""
    return PLANS.index(plan) >= PLANS.index(least)
