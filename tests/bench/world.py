"""The generated world of the search and read benchmarks: filled once, kept between runs, and served by the API."""

import contextlib
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import orjson

from api.accounts.service import Accounts
from api.registrations.claimable import SCANNED
from tests.bench.serving import ROOT, serve
from tests.factories.generated import World, generate_world, insert_world
from tests.factories.registrations import copy_world
from warehouse import engines, postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.engines import EngineUrls
from warehouse.settings import EngineSettings

SEED = 1
WALLET = "0x00000000000000000000000000000000000ca11e"
CHAINS = "".join(
    f'[chains.{key}]\nrpc_urls = ["http://127.0.0.1:1"]\n[chains.{key}.contracts]\nregistry = "0x{0x5E91:040x}"\n'
    for key in SCANNED
)
EMPTY = "/api/v2/bench/empty"
_READY = "world.json"


@dataclass(frozen=True, slots=True)
class Served:
    """The world behind a running API: symbols to ask for, tokens that are registered, and a valid key."""

    urls: EngineUrls
    port: int
    headers: dict[str, str]
    popular: list[str]
    symbols: list[str]
    registered: list[tuple[str, int, int]]
    """Symbol, chain id and id of some standing registrations."""


@contextlib.contextmanager
def serve_world(directory: Path, tokens: int, progress: Callable[[str], None]) -> Iterator[Served]:
    """The world of so many tokens, a tenth of them registered, and the API in one process over it."""
    data_dir = directory / "world"
    made_of = _fingerprint(tokens)
    if not (data_dir / _READY).exists() or orjson.loads((data_dir / _READY).read_bytes())["made_of"] != made_of:
        shutil.rmtree(data_dir, ignore_errors=True)
    settings = EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)
    with engines.ensure(settings) as urls:
        if not (data_dir / _READY).exists():
            began = time.perf_counter()
            facts = {"made_of": made_of, **_fill(urls, tokens)}
            (data_dir / _READY).write_bytes(orjson.dumps(facts))
            progress(f"made and filled in {tokens:,} tokens, in {time.perf_counter() - began:.0f} s")
        facts = orjson.loads((data_dir / _READY).read_bytes())
        accounts = Accounts(urls.database_url)
        headers = {"X-API-Key": accounts.create_key(WALLET, "enterprise").key}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text(CHAINS)
        # What other parts of the benchmark wrote reaches the disk first, or their pages are written out under the load.
        os.sync()
        with serve(data_dir, chains_file, "tests.bench.search_app:create") as port:
            yield Served(
                urls, port, headers, facts["popular"], facts["symbols"], [tuple(row) for row in facts["registered"]]
            )


def _fill(urls: EngineUrls, tokens: int) -> dict[str, object]:
    world = generate_world(tokens, SEED)
    with (
        contextlib.closing(Warehouse.connect(urls.clickhouse_url)) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        ThreadPoolExecutor(1) as copier,
    ):
        copied = copier.submit(copy_world, store, world)
        insert_world(warehouse, world, rows_per_insert=max(tokens // 2, 1_000))
        copied.result()
    return {
        "popular": world.popular,
        "symbols": world.symbols["symbol_key"].to_pylist(),
        "registered": _registered(world),
    }


def _registered(world: World, most: int = 2_000) -> list[tuple[str, int, int]]:
    names = ("symbol_key", "chain_id", "registration_token_id", "registration_expired")
    rows = zip(*(world.tokens[name].to_pylist() for name in names), strict=True)
    standing = [(symbol, chain, number) for symbol, chain, number, ended in rows if number is not None and not ended]
    return standing[:: max(1, len(standing) // most)]


def _fingerprint(tokens: int) -> str:
    """What the filled data depend on: the size, the generator, the tables."""
    digest = hashlib.sha256(f"{tokens} {SEED}".encode())
    made_by = [*(ROOT / "tests" / "factories").glob("*.py"), Path(__file__)]
    tables = [*(sql.directory() / "warehouse").glob("*.sql"), *(sql.directory() / "store").rglob("*.py")]
    for path in sorted([*made_by, *tables]):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
