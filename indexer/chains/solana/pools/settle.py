"""From the events of a unit to rows, in the order of the chain: prices follow from earlier blocks (decision 42).

A node's blocks do not hold the accounts of pools. The price of a concentrated pool or a curve is computed from its
first price, its liquidity and what it paid. Wherever the amounts contradict the computation, and after an instruction
that is not declared, the price is unknown from there on: such a pool keeps its trades and has no depth.
"""

from collections.abc import Sequence

from indexer.chains.solana.decoders.frame import Tables
from indexer.chains.solana.pools.book import PoolBook, PoolState, Position
from indexer.chains.solana.pools.curve import CurvePrice
from indexer.chains.solana.pools.event import PoolEvent
from indexer.chains.solana.pools.ranges import Range, least_amounts, liquidity_of, most_amounts
from indexer.chains.solana.pools.rows import PoolRows
from indexer.known import Known
from warehouse.domain.amm import MAX_TICK, MIN_TICK, sqrt_ratio_at_tick
from warehouse.domain.pool_programs import PoolAction, PoolProtocol

_ROUNDING = 2
"""Base units by which a program's rounding may differ."""
_PRECISION = 10_000
"""What was paid may differ from what was needed by one in so many, where no fee is taken."""
_LARGEST_FEE = 10
"""A fee is at most one in so many."""
_CURVE_PRECISION = 1_000
"""A curve rounds each trade up; over its life that adds up to less than one in so many."""


def settle_pools(events: Sequence[PoolEvent], known: Known) -> Tables:
    """Rows of fact_pool, fact_swap, fact_pool_state, fact_liquidity and fact_pool_position. Call it once for each unit,
    in the order of the chain: what the unit teaches is remembered with ``known``.
    """
    book = known.kept(PoolBook)
    book.begin_unit({event.pool for event in events}, {event.position for event in events if event.position})
    rows = PoolRows()
    for event in events:
        state = book.pools.get(event.pool)
        if state is None:
            if event.action is PoolAction.CREATE:
                _create(event, book, rows)
        elif state.protocol is not event.program.protocol:
            continue
        elif state.protocol is PoolProtocol.CONSTANT_PRODUCT:
            _constant_product(event, state, rows)
        elif state.protocol is PoolProtocol.BONDING_CURVE:
            _curve(event, state, rows)
        else:
            _concentrated(event, state, book, rows)
    return rows.tables


def _create(event: PoolEvent, book: PoolBook, rows: PoolRows) -> None:
    program = event.program
    state = book.pools[event.pool] = PoolState(program.protocol, event.token0, event.token1)
    rows.pool(event)
    if program.protocol is PoolProtocol.CONSTANT_PRODUCT:
        if event.is_last:
            rows.reserves(event)
    elif program.protocol is PoolProtocol.CONCENTRATED:
        root = event.sqrt_price_x64 << 32
        state.sqrt_price_x96 = root if sqrt_ratio_at_tick(MIN_TICK) < root < sqrt_ratio_at_tick(MAX_TICK) else 0
        rows.price(event, state.sqrt_price_x96)
    else:
        curve = _price_of(event, state)
        state.sqrt_price_x96 = curve.first_root
        rows.price(event, curve.first_root)
        rows.liquidity(event, curve.ticks(), curve.liquidity)


def _constant_product(event: PoolEvent, state: PoolState, rows: PoolRows) -> None:
    """Reserves count when the program has used the pool: what is sent to a vault by hand changes nothing until then.
    Only the program can take anything out; where it is not known whether it did, the next use tells."""
    if event.action is PoolAction.UNKNOWN:
        if event.is_last:
            rows.price(event, 0)
        return
    if (event.token0, event.token1) != (state.token0, state.token1):
        return
    if event.action is PoolAction.SWAP:
        rows.swap(event)
    if event.is_last:
        rows.reserves(event)


def _curve(event: PoolEvent, state: PoolState, rows: PoolRows) -> None:
    if event.action is not PoolAction.SWAP or (event.token0, event.token1) != (state.token0, state.token1):
        return _lose(event, state, rows)
    curve = _price_of(event, state)
    tokens, paid = (event.gain0, event.gain1) if curve.token_is_0 else (event.gain1, event.gain0)
    traded = curve.trade(state.sqrt_price_x96, tokens) if state.sqrt_price_x96 else None
    # What it pays out for tokens moves without an instruction. A curve that sold for another price is not this curve.
    if traded is None or (tokens < 0 and abs(paid - traded[1]) > _ROUNDING + traded[1] // _CURVE_PRECISION):
        rows.swap(event)
        return _lose(event, state, rows)
    state.sqrt_price_x96, gained = traded
    event.gain0, event.gain1 = (tokens, gained) if curve.token_is_0 else (gained, tokens)
    rows.swap(event, state.sqrt_price_x96, curve.liquidity)


def _concentrated(event: PoolEvent, state: PoolState, book: PoolBook, rows: PoolRows) -> None:
    same_tokens = (event.token0, event.token1) in ((state.token0, state.token1), (b"", b""))
    if event.action is PoolAction.SWAP and same_tokens:
        _swap(event, state, rows)
    elif not state.sqrt_price_x96:
        return
    elif not same_tokens or event.action in (PoolAction.UNKNOWN, PoolAction.CREATE):
        _lose(event, state, rows)
    else:
        _provide(event, state, book, rows)


def _swap(event: PoolEvent, state: PoolState, rows: PoolRows) -> None:
    """The payout moves the price. What was paid for it must be what it costs, and a fee."""
    pay = state.ladder.pay0 if event.gain1 > event.gain0 else state.ladder.pay1
    out = -min(event.gain0, event.gain1, 0)
    paid = max(event.gain0, event.gain1)
    move = pay(state.sqrt_price_x96, out) if state.sqrt_price_x96 else None
    fits = move is not None and move.needed <= paid + paid // _PRECISION + _ROUNDING
    if fits and move is not None and move.needed + _ROUNDING < paid - paid // _LARGEST_FEE:
        # A payout is rounded down: with one unit more, it would have cost more than this.
        ahead = pay(state.sqrt_price_x96, out + 1)
        fits = ahead is None or ahead.needed + _ROUNDING >= paid - paid // _LARGEST_FEE
    if move is None or not fits:
        rows.swap(event)
        return _lose(event, state, rows)
    state.sqrt_price_x96 = move.sqrt_price_x96
    rows.swap(event, move.sqrt_price_x96, move.liquidity)


def _provide(event: PoolEvent, state: PoolState, book: PoolBook, rows: PoolRows) -> None:
    """Liquidity counts only if the tokens that it stands for were paid to the vaults.

    A program opens a position only where there is none or an empty one: what is left of it is rounding.
    """
    opens, moves = event.action is PoolAction.OPEN, event.action is PoolAction.REPOSITION
    position = book.positions.get(event.position)
    if position is None and opens and event.ticks is not None:
        position = Position(event.pool, event.ticks, 0)
    if position is None or position.pool != event.pool:
        return _lose(event, state, rows)
    root, before, old = state.sqrt_price_x96, position.ticks, position.liquidity
    ticks = event.ticks if opens or moves else before
    if ticks is None or not MIN_TICK <= ticks[0] < ticks[1] <= MAX_TICK:
        return _lose(event, state, rows)
    new = _liquidity_after(event, root, ticks, old)
    added = new if opens or moves else max(new - old, 0)
    held = most_amounts(root, before, old) if moves else (0, 0)
    given = event.gain0 + held[0], event.gain1 + held[1]
    needed = least_amounts(root, ticks, added)
    if added and (needed[0] > given[0] + _ROUNDING or needed[1] > given[1] + _ROUNDING):
        return _lose(event, state, rows)
    if ticks == before:
        rows.liquidity(event, ticks, new - old)
    else:
        rows.moved(event, before, old, ticks, new)
    state.add(before, -old)
    state.add(ticks, new)
    book.positions[event.position] = Position(event.pool, ticks, new)
    rows.position(event, ticks, new)


def _liquidity_after(event: PoolEvent, root: int, ticks: Range, old: int) -> int:
    """The position's liquidity after the event."""
    if event.action is PoolAction.WITHDRAW:
        return max(old - (event.liquidity or 0), 0)
    if event.action is PoolAction.REPOSITION:
        return event.liquidity or 0
    standing = 0 if event.action is PoolAction.OPEN else old
    return standing + (event.liquidity or liquidity_of(root, ticks, max(event.gain0, 0), max(event.gain1, 0)))


def _lose(event: PoolEvent, state: PoolState, rows: PoolRows) -> None:
    """Nothing is known of the pool's price and liquidity any more."""
    if state.sqrt_price_x96:
        state.sqrt_price_x96 = 0
        rows.price(event, 0)


def _price_of(event: PoolEvent, state: PoolState) -> CurvePrice:
    curve = event.program.dex.curve
    if curve is None:
        raise ValueError(f"{event.program.dex.name} has no curve")
    return CurvePrice(curve, state.token0 != event.program.native)
