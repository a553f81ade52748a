"""The parts of the deal routes, made from the shared parts of a process."""

from dataclasses import dataclass

from api.deals.answers import Answers
from api.deals.currencies import Currencies
from api.deals.following import Following
from api.deals.funds import Funds
from api.deals.moves import Moves
from api.deals.offers import Offers
from api.deals.repository import DealRepository
from api.deals.settling import Settling
from api.deals.solana_settling import SolanaSettling
from api.deals.vaults.following import Vaults
from api.deals.vaults.opening import Opening
from api.deals.vaults.repository import VaultRepository
from api.deals.vaults.snapshots import Snapshots
from api.deals.vaults.using import Using
from api.services import Services


@dataclass(frozen=True, slots=True)
class Deals:
    """Everything that deal routes, the worker and the commands need."""

    repository: DealRepository
    currencies: Currencies
    funds: Funds
    offers: Offers
    answers: Answers
    settling: Settling
    opening: Opening
    using: Using
    vaults: Vaults
    following: Following


def deals_of(services: Services) -> Deals:
    """The parts for a process."""
    repository = DealRepository(services.store)
    currencies = Currencies(services.store, services.search, services.chains, services.clock)
    funds = Funds(repository, services.readers, services.signing)
    moves = Moves(repository, services.signing, services.settings)
    answers = Answers(repository, moves, services.clock)
    # Opened by the first settlement on Solana, so that other services need no key of its kind.
    on_solana = SolanaSettling(repository, moves, lambda: services.solana_signing, services.readers, services.clock)
    kept = VaultRepository(services.store, services.warehouse)
    vaults = Vaults(kept, moves, services.readers, services.chains, services.clock)
    return Deals(
        repository=repository,
        currencies=currencies,
        funds=funds,
        offers=Offers(repository, currencies, funds, moves, services.settings, services.clock),
        answers=answers,
        settling=Settling(
            repository=repository,
            answers=answers,
            moves=moves,
            vaults=vaults,
            signing=services.signing,
            readers=services.readers,
            chains=services.chains,
            settings=services.settings,
            clock=services.clock,
            on_solana=on_solana,
        ),
        opening=Opening(
            repository=kept,
            answers=answers,
            snapshots=Snapshots(services.warehouse, services.readers),
            signing=services.signing,
            readers=services.readers,
            chains=services.chains,
            clock=services.clock,
        ),
        using=Using(kept, answers, services.readers, services.chains),
        vaults=vaults,
        following=Following(repository, moves, services.readers, services.chains, services.clock, on_solana),
    )
