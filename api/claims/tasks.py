"""Watches claims that were built, so that registration reads show a mint even if no client polls its status. This also
works on chains whose events are not indexed."""

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

# A transaction sent in the last second of its authorisation must still be seen.
GRACE = timedelta(minutes=2)
_MIN_SECONDS, _MAX_SECONDS = 3, 15


class NotMinted(Exception):
    """The claim is not registered yet, but still can be."""


class WatchRetries(BaseRetryStrategy):
    """Retries after a few seconds, then a little less often. The task ends by itself at its deadline."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """When to retry."""
        if not isinstance(exception, NotMinted | RpcError | StoreUnavailable):
            return None
        return RetryDecision(retry_in={"seconds": min(_MIN_SECONDS + job.attempts, _MAX_SECONDS)})


@TASKS.task(name="claims.watch", retry=WatchRetries(), pass_context=True)
async def watch_claim(context: JobContext, *, chain_id: int, symbol: str, wallet: str, from_block: int) -> None:
    """Record the mint of a claim when it happens; end when its last authorisation has expired.

    Raises:
        NotMinted, RpcError, StoreUnavailable: the task is retried.
    """
    services = services_of_job(context)
    repository = ClaimRepository(services.store)
    chain = services.chains.by_id(chain_id)
    if chain is None or not chain.takes_claims:
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
    """The mint of a registration, read from its event and receipt; empty if it is older than the claim."""
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
        raise NodeUnavailable("a reorganisation just removed the mint's block")
    return read_mints(reader.chain, receipt, quantity(block["timestamp"]))
