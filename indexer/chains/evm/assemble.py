"""From chunks to the rows of one unit, in the order of the chain: decisions that depend on earlier blocks."""

import itertools
from collections.abc import Iterable, Sequence

import numpy as np

from indexer.chains.errors import ChainMoved
from indexer.chains.evm.creations import creation_columns
from indexer.chains.evm.decoders.frame import Frame
from indexer.chains.evm.fetch import Chunk
from indexer.chains.evm.headers import Headers, join_headers
from indexer.chains.evm.rpc import EvmClient
from indexer.chains.evm.tokens import TokenRow, collect_touches, judge_tokens, read_touched, token_columns
from indexer.chains.evm.tuned.distinct import distinct
from indexer.known import Known, Origin
from indexer.unit import AssembledUnit, Change, Rows
from warehouse.writer import take_rows

_POOL_TABLES = ("fact_pool", "fact_swap", "fact_pool_state", "fact_liquidity")


def require_linked(chunks: Sequence[Chunk]) -> None:
    """Check that each chunk's first block names the last block of the previous chunk as its parent."""
    for before, after in itertools.pairwise(chunks):
        if after.first != before.last + 1 or after.headers.parent[0].tobytes() != before.headers.hash[-1].tobytes():
            raise ChainMoved(f"block {after.first} does not follow block {before.last}")


def assemble_unit(chunks: Sequence[Chunk], known: Known, client: EvmClient) -> AssembledUnit:
    """The unit that these consecutive chunks make."""
    require_linked(chunks)
    headers = join_headers([chunk.headers for chunk in chunks])
    frames = [frame for chunk in chunks for frame in chunk.frames]
    known.begin_unit()
    learn_pools(frames, known)
    tables: dict[str, list[Rows]] = {}
    for frame in frames:
        kept = frame.columns if frame.protocol is None else keep_known_pools(frame, known)
        if len(kept["block_number"]):
            tables.setdefault(frame.table, []).append(kept)
    creations = [creation for chunk in chunks for creation in chunk.creations]
    if creations:
        tables["fact_contract_creation"] = [creation_columns(creations)]
    for creation in creations:
        block = creation.block_number
        known.learn_creation(creation.address, Origin(block, int(headers.time[block - headers.first])))

    movers = first_blocks(tables.get("fact_transfer", ()), "token")
    controlled = list(_pairs(tables.get("fact_control", ()), "address"))
    subjects = {*movers, *(address for address, _ in controlled), *(item.address for item in creations)}
    recalled = known.recall_tokens(subjects)
    touches = collect_touches(creations, movers, controlled, recalled)
    rows: list[TokenRow] = []
    if touches.causes:
        origins = _origins(
            headers,
            creations_first={c.address: c.block_number for c in reversed(creations)},
            movers=movers,
            wanted={address for address, _ in touches.causes},
            known=known,
        )
        readings = read_touched(client, touches, headers)
        rows = judge_tokens(touches, readings, origins, known)
        if rows:
            tables["fact_token"] = [token_columns(rows)]
    changes = _changes(headers, tables, movers, rows)
    return AssembledUnit(headers.blocks(), tables, changes, sum(chunk.event_count for chunk in chunks))


def learn_pools(frames: Iterable[Frame], known: Known) -> None:
    """Remember the pools created in these frames, before their own events are filtered."""
    for frame in frames:
        if frame.table == "fact_pool":
            for pool, protocol in zip(frame.columns["pool"], frame.columns["protocol"], strict=True):
                known.learn_pool(bytes(pool), protocol.decode())


def keep_known_pools(frame: Frame, known: Known) -> Rows:
    """The frame's rows whose pool was created by a configured DEX of the frame's protocol."""
    keys, codes, _ = distinct(frame.columns["pool"])
    protocols = known.protocols(keys)
    genuine = np.array([protocols[key] == frame.protocol for key in keys], np.bool_)
    if genuine.all():
        return frame.columns
    rows = np.flatnonzero(genuine[codes])
    return {name: take_rows(column, rows) for name, column in frame.columns.items()}


def first_blocks(parts: Sequence[Rows], name: str) -> dict[bytes, int]:
    """For each value of column ``name``, the lowest block it occurs in."""
    firsts: dict[bytes, int] = {}
    for part in parts:
        blocks = np.asarray(part["block_number"])
        if not len(blocks):
            continue
        keys, _, rows = distinct(part[name])  # type: ignore[arg-type]
        # Rows are in the order of the chain, so a key's first row has its lowest block.
        for key, block in zip(keys, blocks[rows].tolist(), strict=True):
            firsts[key] = min(block, firsts.get(key, block))
    return firsts


def _pairs(parts: Sequence[Rows], name: str) -> Iterable[tuple[bytes, int]]:
    for part in parts:
        for key, block in zip(part[name], np.asarray(part["block_number"]).tolist(), strict=True):  # type: ignore[arg-type]
            yield bytes(key), block


def _origins(
    headers: Headers, creations_first: dict[bytes, int], movers: dict[bytes, int], wanted: set[bytes], known: Known
) -> dict[bytes, Origin]:
    """Where each contract was first seen: its creation if we have it, else its first transfer."""
    origins = known.creations([address for address in wanted if address not in creations_first])
    for address in wanted - origins.keys():
        block = creations_first.get(address, movers.get(address, headers.last))
        origins[address] = Origin(block, int(headers.time[block - headers.first]))
    return origins


def _changes(
    headers: Headers, tables: dict[str, list[Rows]], movers: dict[bytes, int], rows: Sequence[TokenRow]
) -> list[Change]:
    touched: dict[tuple[str, bytes], int] = {("token", token): block for token, block in movers.items()}

    def touch(subject: str, key: bytes, block: int) -> None:
        touched[subject, key] = min(block, touched.get((subject, key), block))

    for table in _POOL_TABLES:
        for pool, block in first_blocks(tables.get(table, ()), "pool").items():
            touch("pool", pool, block)
    for address, block in first_blocks(tables.get("fact_control", ()), "address").items():
        touch("control", address, block)
    for part in tables.get("fact_registry_event", ()):
        touch("registry", b"", int(np.asarray(part["block_number"]).min()))
    for row in rows:
        touch("metadata", row.address, max(row.read_block, headers.first))
    return [
        Change(subject, key, block, int(headers.time[block - headers.first]))
        for (subject, key), block in sorted(touched.items())
    ]
