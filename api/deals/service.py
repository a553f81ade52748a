"""The parts of the deal routes, made from the shared parts of a process."""

from dataclasses import dataclass

from api.deals.answers import Answers
from api.deals.currencies import Currencies
from api.deals.funds import Funds
from api.deals.moves import Moves
from api.deals.offers import Offers
from api.deals.repository import DealRepository
from api.services import Services


@dataclass(frozen=True, slots=True)
class Deals:
    """Everything that deal routes, the worker and the commands need."""

    repository: DealRepository
    currencies: Currencies
    funds: Funds
    offers: Offers
    answers: Answers


def deals_of(services: Services) -> Deals:
    """The parts for a process."""
    repository = DealRepository(services.store)
    currencies = Currencies(services.store, services.search, services.chains, services.clock)
    funds = Funds(repository, services.readers, services.signing)
    moves = Moves(repository, services.signing, services.settings)
    return Deals(
        repository=repository,
        currencies=currencies,
        funds=funds,
        offers=Offers(repository, currencies, funds, moves, services.settings, services.clock),
        answers=Answers(repository, moves, services.clock),
    )
