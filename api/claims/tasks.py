"""Watching claims that were built: a mint reaches registration reads even when nobody asks for its status, on chains
too whose events are not indexed."""

from datetime import UTC, datetime, timedelta

from procrastinate import JobContext, RetryDecision
from procrastinate.jobs import Job
from procrastinate.retry import BaseRetryStrategy

from api.claims.mints import read_mints
from api.claims.repository import ClaimRepository
from api.store.jobs import TASKS, services_of_job
from indexer.chains.errors import NodeUnavailable, RpcError
from indexer.chains.evm.reader import EvmReader, call_to, quantity, returned, uint_word
from indexer.contracts.registry import contract
from warehouse.domain.registrations import REGISTERED, Registration
from warehouse.errors import StoreUnavailable

# A transaction sent in the last second of its authorisation still has to be seen.
GRACE = timedelta(minutes=2)
_FIRST_SECONDS, _LONGEST_SECONDS = 3, 15


class NotMinted(Exception):
    """The claim is not registered yet, and still may be."""


class Patience(BaseRetryStrategy):
    """Looks again after a few seconds, then a little less often; a task ends by itself at its deadline."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to look again."""
        if not isinstance(exception, NotMinted | RpcError | StoreUnavailable):
            return None
        return RetryDecision(retry_in={"seconds": min(_FIRST_SECONDS + job.attempts, _LONGEST_SECONDS)})


@TASKS.task(name="claims.watch", retry=Patience(), pass_context=True)
async def watch_claim(context: JobContext, *, chain_id: int, symbol: str, wallet: str, from_block: int) -> None:
    """Record the mint of a claim when it happens; give up when its last authorisation has run out.

    Raises:
        NotMinted, RpcError, StoreUnavailable: to be asked again.
    """
    services = services_of_job(context)
    repository = ClaimRepository(services.store)
    chain = services.chains.by_id(chain_id)
    if chain is None or not chain.enabled or "registry" not in chain.contracts:
        return
    reader = services.readers.of(chain)
    token_id, now = await _registered(reader, symbol)
    if token_id:
        for minted in await _mints(reader, token_id, from_block):
            async with services.store.transaction() as transaction:
                await repository.record_mint(transaction, minted)
        return
    deadline = await repository.last_deadline(chain_id, symbol, wallet)
    if deadline is not None and now <= deadline + GRACE:
        raise NotMinted(f"{symbol} on {chain.key}")


async def _registered(reader: EvmReader, symbol: str) -> tuple[int, datetime]:
    registry = reader.chain.contracts["registry"]
    answer, block = await reader.settle(
        [
            call_to(registry, contract().call("tokenIdOf", symbol)),
            ("eth_getBlockByNumber", ("latest", False)),
        ]
    )
    token_id = uint_word(returned(answer))
    if token_id is None or isinstance(block, RpcError) or block is None:
        raise NodeUnavailable("the registry does not answer")
    return token_id, datetime.fromtimestamp(quantity(block["timestamp"]), UTC)


async def _mints(reader: EvmReader, token_id: int, from_block: int) -> list[Registration]:
    """The mint of a registration, by its event and the receipt that holds it; none where it is older than the claim."""
    wanted = {
        "address": reader.chain.contracts["registry"],
        "topics": ["0x" + REGISTERED.topic.hex(), f"0x{token_id:064x}"],
        "fromBlock": hex(from_block),
        "toBlock": "latest",
    }
    logs = await reader.request("eth_getLogs", wanted)
    if not logs:
        return []
    receipt, block = await reader.settle(
        [
            ("eth_getTransactionReceipt", (logs[0]["transactionHash"],)),
            ("eth_getBlockByNumber", (logs[0]["blockNumber"], False)),
        ]
    )
    for answer in (receipt, block):
        if isinstance(answer, RpcError):
            raise answer
    if receipt is None or block is None or block["hash"] != receipt["blockHash"]:
        raise NodeUnavailable("the mint's block has just changed")
    return read_mints(reader.chain, receipt, quantity(block["timestamp"]))
