"""Who sent a request: the account behind an API key, or a wallet session."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from api.outbound.destinations import Address, Network, is_within
from api.security.scopes import UNRESTRICTED, KeyScope
from warehouse.domain.plans import PLANS


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a request's API key, and what the key may do.

    Args:
        quota_id: what requests are counted for: the key, or the first of those that it replaces.
        allowed_addresses: the networks that it may be used from; None: anywhere.
        expires_at: None: never.
    """

    key_id: UUID
    account_id: UUID
    wallet: str
    plan: str
    quota_id: UUID
    scopes: frozenset[KeyScope] = UNRESTRICTED
    allowed_addresses: Sequence[Network] | None = None
    expires_at: datetime | None = None

    @property
    def wallets(self) -> tuple[str, ...]:
        """The wallets that it may act for."""
        return (self.wallet,)

    def is_allowed_from(self, address: Address | None) -> bool:
        """Whether the key may be used from a client's address; None is an address that is not known."""
        if self.allowed_addresses is None:
            return True
        return address is not None and is_within(address, self.allowed_addresses)


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
