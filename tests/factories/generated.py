"""A made-up world of any size, to measure and to test with: tokens, their symbols, and who deployed them.

It is made, not observed: skewed symbols with thousands of copies of the popular ones, look-alike spellings, wallets
that deploy by the thousand, and figures missing as often as they are on real chains. The same seed gives the same
rows. Everything is made column by column: a million tokens take some seconds.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tests.factories.tokens import EPOCH, FORM_SCHEMA, SYMBOL_SCHEMA, TOKEN_TYPES, form_table
from warehouse.clickhouse import Warehouse
from warehouse.domain.symbols import deletion_edits, fold, symbol_key

CHAIN_SHARES = {8453: 0.34, 56: 0.22, 1: 0.2, 42161: 0.1, 137: 0.08, 43114: 0.04, 100: 0.02}
PROLIFIC_WALLET = bytes.fromhex("00000000000000000000000000000000000d0e00")
"""The wallet that deployed the most tokens."""
REGISTRY = b"\x0f" * 20
PROVENANCE_TYPES: dict[str, pa.DataType] = {
    "wallet": pa.binary(), "chain_id": pa.uint32(), "token": pa.binary(), "method": pa.string(),
    "version": pa.uint64(), "deleted": pa.uint8(), "symbol": pa.string(), "name": pa.string(),
    "is_copy": pa.uint8(), "as_of_block": pa.uint64(),
}  # fmt: skip
_DAY = 86_400
_REGISTRABLE = r"^[A-Z0-9]{1,12}$"
_SYLLABLES = np.array(
    ["PE", "DO", "GE", "CA", "TO", "MO", "ON", "INU", "SHI", "BA", "ZEN", "LU", "NA", "RA", "KO", "AI", "BO", "MEL"]
)
_LOOKALIKES = str.maketrans("OISEA", "015ЕА")


@dataclass(frozen=True, slots=True)
class World:
    """Tables ready to insert; ``popular`` holds symbols, those of the most tokens first; ``components`` the four parts
    of each token's heartbeat."""

    tokens: pa.Table
    symbols: pa.Table
    forms: pa.Table
    provenance: pa.Table
    components: dict[str, pa.Array]
    popular: tuple[str, ...]


def generate_world(
    count: int, seed: int = 1, *, version: int = 1, registrations: int | None = None, prolific: int = 5_000
) -> World:
    """``count`` tokens, a tenth of them registered unless told otherwise; at most ``prolific`` of them (and no more
    than a fifth) deployed by one wallet."""
    rng = np.random.default_rng(seed)
    names = _symbols(max(8, count * 2 // 5), rng)
    keys = np.array([symbol_key(name) for name in names], dtype=object)
    folds = np.array([fold(key) for key in keys], dtype=object)
    weights = 1.0 / np.arange(1, len(names) + 1) ** 0.75
    chosen = rng.choice(len(names), size=count, p=weights / weights.sum())
    chains = rng.choice(list(CHAIN_SHARES), size=count, p=list(CHAIN_SHARES.values())).astype(np.uint32)
    market = _Market(count, rng)
    original = _originals(np.unique(folds, return_inverse=True)[1][chosen], chains, market.score)
    is_copy = (original != np.arange(count)) & (~market.known | (rng.random(count) < 0.2))
    registrable = pc.match_substring_regex(pa.array(keys), _REGISTRABLE).to_numpy(zero_copy_only=False)[chosen]
    registered = np.zeros(count, dtype=bool)
    free = np.flatnonzero((original == np.arange(count)) & registrable)
    registered[rng.permutation(free)[: count // 10 if registrations is None else registrations]] = True
    symbol = pa.array(np.array(names, dtype=object)[chosen])
    components = _components(rng, registered)
    columns: dict[str, Any] = {
        "symbol_key": pa.array(keys[chosen]),
        "symbol": symbol,
        "symbol_folded": pa.array(folds[chosen]),
        "name": pc.binary_join_element_wise(
            pc.utf8_title(symbol), pc.cast(pa.array(rng.integers(0, 10_000, count)), pa.string()), " "
        ),
        "chain_id": pa.array(chains),
        "address": random_bytes(rng, count),
        "deployer": _deployers(rng, np.flatnonzero(registrable & ~is_copy), count, min(prolific, count // 5)),
    }
    columns |= _copies(columns["address"], chains, original, is_copy, registered)
    columns |= _market_columns(rng, market) | _identity_columns(rng, count, version)
    columns |= _registration_columns(rng, registered, chains, columns["deployed_at"])
    columns["heartbeat_score"] = _composite(components)
    columns["sources"] = _sources(registered, market.known)
    table = pa.table({name: columns[name].cast(kind) for name, kind in TOKEN_TYPES.items()})
    symbols, popular = _symbol_rows(keys, folds, chosen, market.score, version)
    provenance = pa.table(
        {
            "wallet": table["deployer"], "chain_id": table["chain_id"], "token": table["address"],
            "method": _everywhere("deployer", count, pa.string()), "version": table["version"],
            "deleted": table["deleted"], "symbol": table["symbol"], "name": table["name"],
            "is_copy": table["is_copy"], "as_of_block": table["as_of_block"],
        },
        schema=pa.schema(list(PROVENANCE_TYPES.items())),
    )  # fmt: skip
    return World(table, symbols, _forms(symbols), provenance, components, popular)


def insert_world(warehouse: Warehouse, world: World, *, version: int = 1, rows_per_insert: int = 250_000) -> None:
    """Write the world under its version and make the version public."""
    tables = {
        "serve_token": world.tokens, "serve_symbol": world.symbols, "serve_symbol_form": world.forms,
        "serve_provenance": world.provenance,
    }  # fmt: skip
    for name, table in tables.items():
        for offset in range(0, table.num_rows, rows_per_insert):
            warehouse.insert_arrow(name, table.slice(offset, rows_per_insert))
    warehouse.command(
        "INSERT INTO serve_publication SELECT {version:UInt64}, now64(3), mapFromArrays({chains:Array(UInt32)}, "
        "arrayMap(chain -> toUInt64(1000000), {chains:Array(UInt32)}))",
        {"version": version, "chains": list(CHAIN_SHARES)},
    )


def random_bytes(rng: np.random.Generator, count: int, width: int = 20) -> pa.Array:
    """Byte strings of one width, as addresses and hashes are."""
    content = pa.py_buffer(rng.bytes(count * width))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), count, [None, content]).cast(pa.binary())


def scaled(values: Any, scale: int) -> pa.Array:
    """Floats as exact decimals of this scale."""
    whole = pa.array(np.round(values * 10**scale).clip(-(2**62), 2**62).astype(np.int64))
    raw = whole.cast(pa.decimal128(19, 0))
    return pa.Array.from_buffers(pa.decimal128(19, scale), len(raw), raw.buffers())


def _symbols(count: int, rng: np.random.Generator) -> list[str]:
    """Made-up symbols, each once; every fifteenth is another one in look-alike characters."""
    names: dict[str, None] = {}
    while len(names) < count:
        size = count * 2
        picks = _SYLLABLES[rng.integers(0, len(_SYLLABLES), size=(4, size))]
        lengths, suffixes = rng.integers(1, 5, size), rng.integers(0, 400, size)
        made = picks[0]
        for place in (1, 2, 3):
            made = np.strings.add(made, np.where(lengths > place, picks[place], ""))
        made = np.strings.add(made, np.where(suffixes < 240, suffixes.astype("U3"), ""))
        names |= dict.fromkeys(made.tolist())
    spelled = list(names)[:count]
    for place in range(14, count, 15):
        lookalike = spelled[int(rng.integers(0, place))].translate(_LOOKALIKES)
        if lookalike not in names:
            names[lookalike] = None
            spelled[place] = lookalike
    return spelled


class _Market:
    """Market figures: two of five tokens have none."""

    def __init__(self, count: int, rng: np.random.Generator) -> None:
        self.known = rng.random(count) < 0.6
        self.liquidity = np.round(rng.lognormal(8.5, 2.2, count), 6)
        self.volume = np.round(self.liquidity * rng.lognormal(-1.5, 1.2, count), 6)
        self.cap = np.round(self.liquidity * rng.lognormal(2.0, 1.0, count), 6)
        self.price = np.round(rng.lognormal(-6, 3, count), 12)
        parts = ((0.4, self.cap, 1e4, 1e11), (0.3, self.volume, 1e2, 1e9), (0.3, self.liquidity, 1e3, 1e8))
        score = sum(
            part * np.clip(np.log10(amount / low) / np.log10(high / low), 0, 1) for part, amount, low, high in parts
        )
        self.score = np.round(np.where(self.known, score, 0), 9)


def _originals(folded: Any, chains: Any, scores: Any) -> Any:
    """For each token the index of the foremost token of the same folded symbol on its chain."""
    groups = np.unique(folded.astype(np.int64) * 2**32 + chains, return_inverse=True)[1]
    order = np.lexsort((-scores, groups))
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return order[first][groups]


def _deployers(rng: np.random.Generator, preferred: Any, count: int, prolific: int) -> pa.Array:
    """Wallets, two tokens each on average; one of them deployed ``prolific`` of the preferred tokens."""
    wallets = random_bytes(rng, max(1, count // 2)).take(pa.array(rng.integers(0, max(1, count // 2), count)))
    theirs = np.zeros(count, dtype=bool)
    theirs[rng.permutation(preferred)[:prolific]] = True
    return pc.if_else(pa.array(theirs), pa.scalar(PROLIFIC_WALLET), wallets)


def _copies(addresses: pa.Array, chains: Any, original: Any, is_copy: Any, registered: Any) -> dict[str, pa.Array]:
    copied = np.where(is_copy, original, 0)
    rules = np.where(registered[copied], "registered", "older_and_larger")
    return {
        "is_copy": pa.array(is_copy.astype(np.uint8)),
        "copy_of_chain_id": pa.array(np.where(is_copy, chains[copied], 0).astype(np.uint32)),
        "copy_of_address": pc.if_else(pa.array(is_copy), addresses.take(pa.array(copied)), b""),
        "copy_rule": pa.array(np.where(is_copy, rules, "")),
    }


def _market_columns(rng: np.random.Generator, market: _Market) -> dict[str, pa.Array]:
    count, absent = len(market.known), ~market.known
    ranks = np.empty(count, dtype=np.uint64)
    ranks[np.argsort(-market.score, kind="stable")] = np.arange(1, count + 1)
    return {
        "price_usd": _some(scaled(market.price, 12), absent),
        "price_confidence": _some(scaled(rng.uniform(0.3, 1, count), 3), absent),
        "price_source": pa.array(np.where(market.known, "pools", "")),
        "market_cap_usd": _some(scaled(market.cap, 6), absent | (rng.random(count) < 0.02)),
        "fdv_usd": _some(scaled(market.cap, 6), absent),
        "volume_24h_usd": _some(scaled(market.volume, 6), absent),
        "liquidity_usd": _some(scaled(market.liquidity, 6), absent),
        **{
            f"price_change_{hours}h": _some(scaled(rng.normal(0, hours, count), 6), absent | (rng.random(count) < 0.3))
            for hours in (1, 6, 24)
        },
        "transactions_24h": _some(pa.array(rng.integers(0, 50_000, count)), absent),
        "market_score": scaled(market.score, 9),
        "token_rank": _some(pa.array(ranks), absent),
    }


def _identity_columns(rng: np.random.Generator, count: int, version: int) -> dict[str, pa.Array]:
    epoch = int(EPOCH.timestamp())
    deployed = epoch - rng.integers(3_600, 4 * 365 * _DAY, count)
    unseen = rng.random(count) < 0.05
    wide = np.zeros((count, 32), dtype=np.uint8)
    wide[:, 8:16] = rng.integers(10**6, 10**12, count).astype("<u8").view(np.uint8).reshape(count, 8)
    supply = pa.FixedSizeBinaryArray.from_buffers(pa.binary(32), count, [None, pa.py_buffer(wide.tobytes())])
    return {
        "version": _everywhere(version, count, pa.uint64()),
        "deleted": _everywhere(0, count, pa.uint8()),
        "name_source": _everywhere("indexer", count, pa.string()),
        "decimals": _some(pa.array(rng.choice([18, 18, 18, 18, 9, 8, 6], count)), rng.random(count) < 0.01),
        "total_supply_raw": _some(supply, rng.random(count) < 0.01),
        "holders": pa.array(rng.zipf(1.6, count).clip(1, 5_000_000)),
        "top10_share": _some(scaled(rng.uniform(0.05, 1, count), 9), rng.random(count) < 0.05),
        "deployed_at": _some(pa.array(deployed), unseen),
        "deployed_block": _some(pa.array(deployed - epoch + 4 * 365 * _DAY), unseen),
        "first_seen_at": pa.array(deployed),
        "made_by_factory": pa.array((rng.random(count) < 0.01).astype(np.uint8)),
        "as_of_block": _everywhere(1_000_000, count, pa.uint64()),
        "as_of_time": _everywhere(epoch, count, pa.int64()),
    }


def _registration_columns(
    rng: np.random.Generator, registered: Any, chains: Any, deployed: pa.Array
) -> dict[str, pa.Array]:
    count, epoch = len(registered), int(EPOCH.timestamp())
    begun = deployed.fill_null(epoch - 365 * _DAY).to_numpy(zero_copy_only=False)
    minted = np.minimum(epoch, begun + rng.integers(3_600, 400 * _DAY, count))
    numbers = np.zeros(count, dtype=np.uint64)
    for chain in CHAIN_SHARES:
        minted_there = np.flatnonzero(registered & (chains == chain))
        order = minted_there[np.argsort(minted[minted_there], kind="stable")]
        numbers[order] = np.arange(1, len(order) + 1)

    def of_registered(values: Any, share: float = 1.0) -> pa.Array:
        given = registered & (rng.random(count) < share)
        return pc.if_else(pa.array(given), values, b"" if not isinstance(values, str) else "")

    links = {"logo_url": 0.6, "website": 0.5, "twitter": 0.4, "telegram": 0.3, "discord": 0.1}
    return {
        "registration_token_id": _some(pa.array(numbers), ~registered),
        "registration_owner": of_registered(random_bytes(rng, count)),
        "registration_manager": of_registered(random_bytes(rng, count), 0.2),
        "registry_address": of_registered(pa.scalar(REGISTRY)),
        "registered_at": _some(pa.array(minted), ~registered),
        "registration_expired": pa.array((registered & (rng.random(count) < 0.03)).astype(np.uint8)),
        "verification_method": pa.array(np.where(registered, "deployer", "")),
        "verified_at": _some(pa.array(minted), ~registered),
        **{name: of_registered(f"https://{name}.example/page", share) for name, share in links.items()},
    }


def _components(rng: np.random.Generator, registered: Any) -> dict[str, pa.Array]:
    """The four parts of each heartbeat in hundredths; a tenth of the tokens that are not registered has none yet."""
    count = len(registered)
    unscored = ~registered & (rng.random(count) < 0.1)
    names = ("timestamp_score", "volume_score", "holders_score", "confidence_score")
    return {name: _some(scaled(rng.beta(4, 1.8, count) * 100, 2), unscored) for name in names}


def _composite(components: dict[str, pa.Array]) -> pa.Array:
    """A weighted mean of the parts, rounded to hundredths."""
    weights = (0.35, 0.25, 0.2, 0.2)
    parts = [pc.cast(part, pa.float64()) for part in components.values()]
    total = sum(weight * part.to_numpy(zero_copy_only=False) for weight, part in zip(weights, parts, strict=True))
    missing = parts[0].is_null().to_numpy(zero_copy_only=False)
    return _some(scaled(np.where(missing, 0, total), 2), missing)


def _sources(registered: Any, priced: Any) -> pa.Array:
    kinds = [["indexer"], ["indexer", "market"], ["registry", "indexer"], ["registry", "indexer", "market"]]
    return pa.array(kinds, pa.list_(pa.string())).take(pa.array(registered * 2 + priced))


def _symbol_rows(keys: Any, folds: Any, chosen: Any, scores: Any, version: int) -> tuple[pa.Table, tuple[str, ...]]:
    distinct, place = np.unique(keys, return_inverse=True)
    counts = np.bincount(place[chosen], minlength=len(distinct))
    best = np.zeros(len(distinct))
    np.maximum.at(best, place[chosen], scores)
    folded = np.empty(len(distinct), dtype=object)
    folded[place] = folds
    used = np.flatnonzero(counts)
    columns = {
        "symbol_key": pa.array(distinct[used]), "version": _everywhere(version, len(used), pa.uint64()),
        "deleted": _everywhere(0, len(used), pa.uint8()), "symbol_folded": pa.array(folded[used]),
        "token_count": pa.array(counts[used].astype(np.uint32)), "best_market_score": scaled(best[used], 9),
    }  # fmt: skip
    table = pa.table({field.name: columns[field.name].cast(field.type) for field in SYMBOL_SCHEMA})
    return table, tuple(distinct[np.argsort(-counts, kind="stable")][:200].tolist())


def _forms(symbols: pa.Table) -> pa.Table:
    """``serve_symbol_form`` of the symbols; those of plain characters by the column, without looking for repeats."""
    folded, keys = symbols["symbol_folded"].to_pylist(), symbols["symbol_key"]
    lengths = np.array([len(text) if text.isascii() else 0 for text in folded])
    parts = [form_table(keys.take(pa.array(np.flatnonzero(lengths == 0))).to_pylist())]
    for length in np.unique(lengths[lengths > 0]):
        places = np.flatnonzero(lengths == length)
        texts = np.array([folded[place] for place in places], dtype=f"S{length}")
        letters = texts.view(np.uint8).reshape(len(places), length)
        for kept in _kept_letters(int(length)):
            content = np.ascontiguousarray(letters[:, kept])
            offsets = np.arange(0, content.size + 1, len(kept), dtype=np.int32)
            forms = pa.StringArray.from_buffers(len(places), pa.py_buffer(offsets), pa.py_buffer(content))
            owners = keys.take(pa.array(places)).combine_chunks()
            parts.append(pa.table([forms, owners], schema=FORM_SCHEMA))
    return pa.concat_tables(parts)


def _kept_letters(length: int) -> list[list[int]]:
    """Which letters stay in each form of a symbol of this length."""
    edits = min(deletion_edits("x" * length), length - 1)
    whole = range(length)
    return [
        [place for place in whole if place not in removed]
        for removed in [
            (),
            *(((first,) for first in whole) if edits >= 1 else ()),
            *(((first, second) for first in whole for second in range(first)) if edits >= 2 else ()),
        ]
    ]


def _some(values: pa.Array, missing: Any) -> pa.Array:
    """The values, null where they are missing."""
    return pc.if_else(pa.array(missing), pa.scalar(None, values.type), values)


def _everywhere(value: Any, count: int, kind: pa.DataType) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind), count)
