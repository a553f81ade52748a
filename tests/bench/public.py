"""Public reads, compared with an empty endpoint of the same application, and a token list of ten thousand tokens."""

import time
import urllib.error
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import Message
from pathlib import Path
from statistics import median

from api.accounts.service import Accounts
from api.tokenlists.signing import HEADER as SIGNATURE
from tests.bench import load
from tests.bench.directories import new_directory
from tests.bench.machine import Machine, compare, sampled
from tests.bench.result import Result
from tests.bench.serving import serve
from tests.bench.world import EMPTY
from tests.factories.registrations import address, scored
from tests.factories.token_lists import publish_list
from tests.factories.tokens import publish, token_row
from warehouse import engines, postgres
from warehouse.clickhouse import Warehouse
from warehouse.settings import EngineSettings

TOKENS = 10_000
COINS = 20
"""Coins that are asked for again and again."""
FRESH_COINS = 2_000
"""Coins of a round, each asked for once at most: more than are answered in its time."""
SECONDS = 2.0
ROUNDS = 3
CONNECTIONS = 8
WALLET = "0x00000000000000000000000000000000000ca11e"


def measure(directory: Path, progress: Callable[[str], None]) -> list[Result]:
    """Fill a store with ten thousand registrations and put load on each kind of read, in turns."""
    data_dir = new_directory(directory, "public")
    with engines.ensure(EngineSettings(data_dir=data_dir, clickhouse_url=None, database_url=None)) as urls:
        with postgres.connect(urls.database_url, autocommit=True) as store:
            _register(store)
            publish_list(store)
        with Warehouse.connect(urls.clickhouse_url) as warehouse:
            served = COINS + ROUNDS * FRESH_COINS
            rows = [token_row(f"REG{one}", address=0x70000 + one, registered=True) for one in range(served)]
            publish(warehouse, rows)
        accounts = Accounts(urls.database_url)
        key = {"X-API-Key": accounts.create_key(WALLET, "enterprise").key}
        chains_file = data_dir / "chains.toml"
        chains_file.write_text('[chains.base]\nrpc_urls = ["http://127.0.0.1:1"]\n')
        with serve(data_dir, chains_file, "tests.bench.search_app:create") as port:
            results = _rates(port, key, progress)
            with sampled() as machine:
                results += _token_list(port, key, machine)
    return results


def _rates(port: int, key: dict[str, str], progress: Callable[[str], None]) -> list[Result]:
    coins = [f"/api/v2/public/coins/base/REG{one}" for one in range(COINS + ROUNDS * FRESH_COINS)]
    one_coin = urllib.request.urlopen(f"http://127.0.0.1:{port}{coins[0]}", timeout=10)
    registrations = [f"/api/v2/registration/REG{one}" for one in range(1_000)]
    kinds: dict[str, tuple[list[str], dict[str, str], str | None]] = {
        "empty endpoint": ([EMPTY], {}, None),
        "coin, cached": (coins[:COINS], {}, ">= 0.7"),
        "coin, 304": (coins[:1], {"If-None-Match": one_coin.headers["ETag"]}, ">= 0.7"),
        "coin, uncached": (coins[COINS:], {}, None),
        "registration, one again and again": (registrations[:1], key, None),
        "registration, uncached": (registrations, key, ">= 0.2"),
    }
    rates: dict[str, list[float]] = {name: [] for name in kinds}
    for turn in range(ROUNDS):
        for name, (paths, headers, _mark) in kinds.items():
            # An answer is kept for a minute: every round asks for new coins.
            asked = paths[turn * FRESH_COINS :][:FRESH_COINS] if name == "coin, uncached" else paths
            figure = load.run(port=port, paths=asked, headers=headers, seconds=SECONDS, connections=CONNECTIONS)
            if name == "coin, uncached" and figure["rate"] * SECONDS > FRESH_COINS:
                raise SystemExit("some coins were asked for twice: more of them are needed")
            rates[name].append(float(figure["rate"]))
    for name, found in rates.items():
        progress(f"{name}: {median(found):,.0f} requests a second")
    empty = median(rates["empty endpoint"])
    return [
        Result(f"public: {name} / empty endpoint", median(rates[name]) / empty, "ratio", mark)
        for name, (_, _, mark) in kinds.items()
        if name != "empty endpoint"
    ]


def _token_list(port: int, key: dict[str, str], machine: Machine) -> list[Result]:
    """Milliseconds of single answers with the whole list: the first that the process gives, then those that it has at
    hand, compressed, plain, and to who has the list already."""
    address = f"http://127.0.0.1:{port}/api/v2/tokenlist"
    packed = urllib.request.Request(address, headers={**key, "Accept-Encoding": "gzip"})
    first, headers = _timed(packed)
    assert headers["Content-Encoding"] == "gzip"
    assert SIGNATURE in headers
    known = urllib.request.Request(address, headers={**key, "If-None-Match": headers["ETag"]})
    filtered = urllib.request.Request(f"{address}?chainId=8453", headers=dict(packed.headers))
    first_filtered, _ = _timed(filtered)
    ways = {
        "compressed": packed,
        "plain": urllib.request.Request(address, headers=key),
        "304": known,
        "of one chain, compressed": filtered,
    }
    taken: dict[str, float] = {}
    for name, one in ways.items():
        machine.sample()
        taken[name] = median(_timed(one)[0] for _ in range(21))
    taken["first answer of a process"] = first
    empty = median(machine.empty_ms)
    compared = (
        compare(f"public: token list of {TOKENS:,}, {name}", took, "ms", "<= 190", "a bare empty request", empty)
        for name, took in taken.items()
    )
    return [
        *(result for pair in compared for result in pair),
        *machine.results("public"),
        Result(f"public: token list of {TOKENS:,}, first answer of one chain", first_filtered, "ms"),
    ]


def _timed(request: urllib.request.Request) -> tuple[float, Message]:
    """Milliseconds until the whole answer was there, and its headers."""
    began = time.perf_counter()
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            body, headers = answer.read(), answer.headers
        assert len(body) > 100_000  # the whole list, whichever way it came
    except urllib.error.HTTPError as error:
        if error.code != 304:
            raise
        headers = error.headers
    return 1_000 * (time.perf_counter() - began), headers


def _register(store: postgres.Connection) -> None:
    minted = datetime.now(UTC) - timedelta(days=100)
    figures = scored("80")
    with store.cursor() as cursor:
        columns = (
            "chain_id, address, symbol_key, name, decimals, precedence, first_seen_at, is_copy, as_of_block, "
            + ", ".join(figures)
        )
        with cursor.copy(f"COPY indexed_token ({columns}) FROM STDIN".encode()) as rows:
            for one in range(TOKENS):
                place = address(0x70000 + one)
                rows.write_row((8453, place, f"REG{one}", f"Token {one}", 18, 0, minted, False, 5, *figures.values()))
        columns = (
            "chain_id, token_id, block_hash, log_index, block_number, transaction_hash, registry, symbol, owner,"
            " token_address, fee_wei, with_receipt, minted_at, is_final"
        )
        with cursor.copy(f"COPY registration ({columns}) FROM STDIN".encode()) as rows:
            for one in range(TOKENS):
                place, owner = address(0x70000 + one), address(0xA11CE)
                hashes = f"0x{one:064x}", one, 5, f"0x{one:064x}"
                rows.write_row(
                    (8453, one + 1, *hashes, address(0x5E91), f"REG{one}", owner, place, 0, False, minted, True)
                )
