"""Events about holders of a registered token: significant holders, concentration, milestones of their number.

Each final block is judged at its end. Balances are running sums as of the published block; those of a final block are
computed back from there by the transfers since. So the events do not depend on when runs happen.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from pipelines import frames
from pipelines.documents.inputs import SupplyInputs
from pipelines.events.crowns import Crown, Crowns, read_crowns
from pipelines.events.recording import SourceProgress, iso, read_progress, recording, registration, skip_history
from pipelines.events.rules import RULES, EventRules
from pipelines.refresh_run import RefreshRun
from pipelines.rules import NOBODY, ZERO_WALLET
from pipelines.windows import Window
from warehouse.domain.addresses import address_text, digits_of, stored_from_digits
from warehouse.domain.authorities import has_key
from warehouse.domain.chains import Chain
from warehouse.domain.events.event import Occurrence
from warehouse.domain.events.holders import ConcentrationAlert, HolderNew, MilestoneReached
from warehouse.domain.events.registrations import of_registration
from warehouse.postgres import Jsonb

SOURCE = "holdings"
_BLOCKS_AT_ONCE, _BLOCKS_AT_ONCE_THOROUGH = 2_000, 10_000
_REST_SECONDS = 10.0
"""How often a follower looks: the chain's writer waits meanwhile."""
_BEYOND = (1 << 64) - 1
_DIGITS = Decimal("0.01")
_DAY_SECONDS = 86_400


@dataclass(frozen=True, slots=True)
class Gain:
    """A wallet that held more at the end of a block than at its start."""

    wallet: str
    after_raw: int
    before_raw: int


@dataclass(frozen=True, slots=True)
class BlockMoves:
    """What one block did to a token's holders."""

    block_number: int
    block_time: int
    entering: int
    minted_raw: int
    gains: Sequence[Gain]


@dataclass(frozen=True, slots=True)
class Holding:
    """A token as of the published block, and the changes of its final blocks, in order; ``later`` are the changes of
    all blocks after them. Amounts are base units; ``readings`` are the supplies that the token reported, by block."""

    token: str
    holders: int
    supply_raw: int
    created_block: int | None
    last_supply_block: int
    readings: Sequence[tuple[int, int]]
    blocks: Sequence[BlockMoves]
    later: BlockMoves | None


@dataclass(frozen=True, slots=True)
class HolderEvent:
    """An event, and the wallet it is about: no event if that wallet turns out to be a pool."""

    event: Occurrence
    token_id: int
    block_number: int
    wallet: str | None = None


def derive(run: RefreshRun, window: Window, final: int) -> int:
    """Record the events about holders of registered tokens up to the final block; how many.

    Only while the chain's writer waits: balances are running sums. A run takes a limited number of blocks; the next
    runs take the rest.
    """
    progress = read_progress(run, window.chain, SOURCE)
    if not run.full and progress.stored is not None and progress.rested_seconds < _REST_SECONDS:
        return 0
    progress = skip_history(run, progress, final)
    if progress.first > final:
        if progress.position != progress.stored:
            with recording(run, window, progress, progress.position, ()):
                pass
        return 0
    at_once = _BLOCKS_AT_ONCE_THOROUGH if run.full else _BLOCKS_AT_ONCE
    final = min(final, progress.first + at_once - 1)
    holder_events, milestones = _find_events(run, window, progress, final)
    events = [one.event for one in holder_events]
    with recording(run, window, progress, final, events):
        if milestones:
            run.store_rows(
                "events/save_milestones", {"chain_id": window.chain.chain_id, "milestones": Jsonb(milestones)}
            )
    return len(events)


def _find_events(
    run: RefreshRun, window: Window, progress: SourceProgress, final: int
) -> tuple[list[HolderEvent], dict[int, int]]:
    chain = window.chain
    holdings = _read(run, window, progress.first, final)
    crowns = read_crowns(run, chain, [holding.token for holding in holdings])
    ids = sorted({one.token_id for held in crowns.of_token.values() for one in held})
    states = run.store_rows("events/list_states", {"chain_id": chain.chain_id, "token_ids": ids}) if ids else []
    known = {row["token_id"]: row["holder_milestone"] for row in states if row["holder_milestone"] is not None}
    holder_events: list[HolderEvent] = []
    milestones: dict[int, int] = {}
    for holding in holdings:
        found, reached = holding_events(chain, holding, crowns, known)
        holder_events += found
        milestones |= reached
    holder_events.sort(key=lambda one: (one.block_number, one.token_id))
    return _without_pools(run, chain, holder_events, final), milestones


def _read(run: RefreshRun, window: Window, first: int, final: int) -> list[Holding]:
    chain_id = window.chain.chain_id
    units = run.store_rows("ingestion/units_of_blocks", {"chain_id": chain_id, "after": first - 1, "through": final})[0]
    if units["first_unit"] is None:
        return []
    bounds = {"chain_id": chain_id, "first": first, "final": final, "through": window.through, "zero": ZERO_WALLET}
    tokens = run.read("events/held_tokens", {**bounds, **units})
    if not tokens:
        return []
    run.clear(window.chain, "work_token", "work_move")
    run.fill(window.chain, "work_token", frames.table({"token": frames.HEX}, tokens))
    run.transform("events/moves", bounds)
    supplies = {row["token_hex"]: row for row in run.read("events/supplies", bounds)}
    moved = groupby(run.read("events/holdings", bounds), key=lambda row: row["token_hex"])
    return [_holding(supplies[token], rows) for token, rows in moved if token in supplies]


def _holding(supply: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Holding:
    blocks = [
        BlockMoves(
            row["block"],
            row["block_time"],
            int(row["entering"]),
            int(row["minted_raw"]),
            [
                Gain(wallet, int(after), int(before))
                for wallet, after, before in zip(row["wallets"], row["after_raws"], row["before_raws"], strict=True)
            ],
        )
        for row in rows
    ]
    return Holding(
        token=supply["token_hex"],
        holders=int(supply["holders"]),
        supply_raw=int(supply["supply_raw"]),
        created_block=supply["created_block"],
        last_supply_block=supply["last_supply_block"],
        readings=list(zip(supply["read_blocks"], map(int, supply["readings_raw"]), strict=True)),
        blocks=[block for block in blocks if block.block_number != _BEYOND],
        later=next((block for block in blocks if block.block_number == _BEYOND), None),
    )


def holding_events(
    chain: Chain, holding: Holding, crowns: Crowns, known: Mapping[int, int], rules: EventRules = RULES
) -> tuple[list[HolderEvent], dict[int, int]]:
    """The events of a token's final blocks, and the highest milestone of holders by registration.

    ``known`` are the milestones before. A registration without one starts with the holders its token had then, which
    are no event.
    """
    moves = [*holding.blocks, *([holding.later] if holding.later else [])]
    holders = holding.holders - sum(block.entering for block in moves)
    held_raw = holding.supply_raw - sum(block.minted_raw for block in moves)
    holder_events: list[HolderEvent] = []
    reached: dict[int, int] = {}
    for block in holding.blocks:
        before, holders, held_raw = holders, holders + block.entering, held_raw + block.minted_raw
        crowned = crowns.at(holding.token, block.block_number, block.block_time)
        if crowned is None:
            continue
        stood = reached.get(crowned.token_id, known.get(crowned.token_id))
        if stood is None:
            stood = max((value for value in rules.milestones if value <= before), default=0)
        reached[crowned.token_id] = stood
        for value in rules.milestones:
            if stood < value <= holders:
                holder_events.append(_milestone(chain, crowned, block, value, before))
                reached[crowned.token_id] = value
        supply = _supply(holding, block.block_number, held_raw)
        if supply is not None and supply > 0:
            holder_events += _share_events(chain, holding.token, crowned, block, supply, rules)
    return holder_events, reached


def _supply(holding: Holding, block_number: int, held_raw: int) -> int | None:
    """The supply at the end of a block, as search documents show it."""
    readings = [reading for reading in holding.readings if reading[0] <= block_number]
    read_block, read_raw = readings[-1] if readings else (0, None)
    return SupplyInputs(
        reading_supply_raw=read_raw,
        read_block=read_block,
        supply_raw=held_raw,
        last_supply_block=holding.last_supply_block,
        created_block=holding.created_block,
    ).total_supply_raw()


def _milestone(chain: Chain, crowned: Crown, block: BlockMoves, value: int, before: int) -> HolderEvent:
    about = registration(chain, crowned.token_id, crowned.symbol)
    event = MilestoneReached(
        **about.members,
        milestone_type="holder_count",
        milestone_value=value,
        previous_value=before,
        timestamp=iso(block.block_time),
    )
    return HolderEvent(of_registration(event, about, block.block_time), about.token_id, block.block_number)


def _share_events(
    chain: Chain, token: str, crowned: Crown, block: BlockMoves, supply: int, rules: EventRules
) -> Iterator[HolderEvent]:
    """Wallets that crossed a share by what they gained. Both balances are compared with the supply after the block, so
    a shrinking supply is nobody's gain."""
    least, most = rules.significant_percent * supply, rules.concentration_percent * supply
    about = registration(chain, crowned.token_id, crowned.symbol)
    time = iso(block.block_time)
    not_holders = _not_holders(chain, token)
    for gain in block.gains:
        if gain.wallet in not_holders or not _is_somebody(chain, gain.wallet):
            continue
        wallet, after, before = stored_from_digits(gain.wallet), gain.after_raw * 100, gain.before_raw * 100
        if before < least <= after:
            new = HolderNew(**about.members, holder_address=address_text(gain.wallet), timestamp=time)
            found = of_registration(new, about, block.block_time, wallet=wallet)
            yield HolderEvent(found, about.token_id, block.block_number, gain.wallet)
        if before <= most < after:
            concentrated = ConcentrationAlert(
                **about.members,
                concentration_percent=_percent(after, supply),
                previous_concentration=_percent(before, supply),
                threshold=Decimal(rules.concentration_percent),
                timestamp=time,
            )
            day = block.block_time // _DAY_SECONDS
            found = of_registration(concentrated, about, block.block_time, wallet=wallet, day=day)
            yield HolderEvent(found, about.token_id, block.block_number, gain.wallet)


def _percent(hundredfold_raw: int, supply: int) -> Decimal:
    return min(Decimal(100), Decimal(hundredfold_raw) / Decimal(supply)).quantize(_DIGITS)


def _not_holders(chain: Chain, token: str) -> set[str]:
    """Addresses that do not count as holders of a token."""
    ours = {*chain.contracts.values(), *(dex.factory for dex in chain.dexes)}
    return {token, *NOBODY, *map(digits_of, ours)}


def _is_somebody(chain: Chain, wallet: str) -> bool:
    """Whether an account can be somebody's. On Solana pools and vaults hold tokens at addresses without a key."""
    return not chain.has_authorities or has_key(bytes.fromhex(wallet))


def _without_pools(
    run: RefreshRun, chain: Chain, holder_events: Sequence[HolderEvent], final: int
) -> list[HolderEvent]:
    """The events that are not about pools, whose tokens are for sale to everybody."""
    wallets = sorted({one.wallet for one in holder_events if one.wallet is not None})
    if not wallets:
        return list(holder_events)
    found = run.read("events/pools_among", {"chain_id": chain.chain_id, "final": final, "addresses": wallets})
    since = {row["address"]: row["since"] for row in found}
    return [one for one in holder_events if one.wallet is None or one.block_number < since.get(one.wallet, _BEYOND)]
