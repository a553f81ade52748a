"""Reads the heads of chains' nodes, with short timeouts, for ``status`` and ``doctor``."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from indexer.chains.errors import RpcError, WrongChain
from indexer.chains.kinds import read_head
from indexer.chains.nodes import redact_url
from warehouse.domain.chains import Chain

TIMEOUT_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class Reading:
    """The head of one node, or the problem with it."""

    chain: Chain
    node: str
    head: int | None = None
    head_time: int | None = None
    problem: str | None = None
    wrong_chain: bool = False


def read(chains: tuple[Chain, ...]) -> list[Reading]:
    """Head and its time of every node of every chain that is indexed, read in parallel."""
    asked = [(chain, url) for chain in chains if chain.can_index for url in chain.rpc_urls]
    if not asked:
        return []
    with ThreadPoolExecutor(max_workers=min(16, len(asked))) as pool:
        return list(pool.map(lambda item: _read_one(*item), asked))


def _read_one(chain: Chain, url: str) -> Reading:
    node = redact_url(url)
    try:
        head, head_time = read_head(replace(chain, rpc_urls=(url,)), TIMEOUT_SECONDS)
        return Reading(chain, node, head=head, head_time=head_time)
    except WrongChain as error:
        return Reading(chain, node, problem=str(error), wrong_chain=True)
    except (RpcError, ValueError) as error:
        return Reading(chain, node, problem=str(error) or type(error).__name__)
