"""The periodic task that decides and executes challenges, and tells operators of those that wait for them."""

import asyncio
from collections.abc import Sequence

from procrastinate import JobContext

from api.challenges.ends import Ends
from api.challenges.outcomes import Outcomes
from api.challenges.registries import EvmRegistry, Registry
from api.challenges.repository import ChallengeRepository
from api.challenges.standings import Standings
from api.challenges.work import ChallengeWork, Problem
from api.consents.migration import Migrations
from api.services import Services
from api.store.jobs import TASKS, services_of_job
from warehouse import postgres
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition

KIND = "challenge_waits"


def challenge_work(services: Services) -> ChallengeWork:
    """The work on challenges with the parts of a process."""
    repository = ChallengeRepository(services.store)
    outcomes = Outcomes(repository)
    return ChallengeWork(
        repository=repository,
        standings=Standings(services.warehouse, services.store, services.settings.copy_rules),
        migrations=Migrations(services.store, services.warehouse),
        chains=services.chains,
        readers=services.readers,
        outcomes=outcomes,
        ends=Ends(outcomes, lambda chain: _registry(services, chain)),
        clock=services.clock,
    )


def _registry(services: Services, chain: Chain) -> Registry:
    if chain.address_format is AddressFormat.HEX:
        return EvmRegistry(chain, lambda: services.signer, lambda: services.payer)
    from api.challenges.solana_registry import SolanaRegistry  # loads solders

    address, reader = chain.contracts["registry"], services.readers.solana(chain)
    return SolanaRegistry(reader, address, lambda: services.solana_signer, lambda: services.solana_payer)


# The lock keeps a slow run from working beside the next one.
@TASKS.periodic(cron="* * * * *")
@TASKS.task(name="upkeep.challenges", pass_context=True, queueing_lock="upkeep.challenges", lock="upkeep.challenges")
async def settle_challenges(context: JobContext, timestamp: int) -> None:
    """Once a minute; see ``work.py``."""
    services = services_of_job(context)
    problems = await challenge_work(services).run()
    await asyncio.to_thread(_tell_operators, services.urls.database_url, problems)


def _tell_operators(database_url: str, problems: Sequence[Problem]) -> None:
    conditions = [
        Condition(
            KIND,
            str(one.challenge.id),
            "warning",
            f"challenge {one.challenge.id} of {one.challenge.symbol}: {one.summary}",
            {
                "challengeId": str(one.challenge.id),
                "chainId": one.challenge.chain_id,
                "tokenId": one.challenge.token_id,
                "state": one.challenge.state,
                "problem": one.summary,
            },
        )
        for one in problems
    ]
    with postgres.connect(database_url, autocommit=True) as store:
        ledger.settle(store, KIND, conditions)
