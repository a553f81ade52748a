"""Watches claims on Solana that were built, so that registration reads show them even if no client asks."""

from procrastinate import JobContext

from api.claims.repository import ClaimRepository
from api.claims.solana.mints import find_registration
from api.claims.tasks import GRACE, NotMinted, WatchRetries
from api.store.jobs import TASKS, services_of_job
from indexer.contracts.solana.registry_state import read_registry


@TASKS.task(name="claims.watch_solana", retry=WatchRetries(), pass_context=True)
async def watch_solana_claim(context: JobContext, *, chain_id: int, symbol: str, wallet: str) -> None:
    """Record the registration of a claim when it happens; end when its last authorisation has expired.

    Raises:
        NotMinted, RpcError, StoreUnavailable: the task is retried.
    """
    services = services_of_job(context)
    repository = ClaimRepository(services.store)
    chain = services.chains.by_id(chain_id)
    if chain is None or not chain.takes_claims:
        return
    reader = services.readers.solana(chain)
    registry = await read_registry(reader, chain.contracts["registry"], symbol)
    crown = registry.symbol.crown
    if crown is not None:
        found = await find_registration(reader, registry.symbol.address, crown)
        if found is not None:
            async with services.store.transaction() as transaction:
                await repository.record_mint(transaction, found)
            return
        if await repository.registration(chain_id, crown.token_id) is not None:
            return  # the pipelines wrote it
    deadline = await repository.last_deadline(chain_id, symbol, wallet)
    if deadline is not None and registry.now <= (deadline + GRACE).timestamp():
        raise NotMinted(f"{symbol} on {chain.key}")
