"""From the events of a unit to rows, in the order of the chain: prices follow from earlier blocks (decision 42).

A node's blocks do not hold the accounts of pools. The price of a concentrated pool or a curve is computed from its
first price, its liquidity and what it paid. Wherever the amounts contradict the computation, and after an instruction
that is not declared, the price is unknown from there on: such a pool keeps its trades and has no depth.
"""

from collections.abc import Callable, Sequence

from indexer.chains.solana.decoders.frame import Tables
from indexer.chains.solana.pools.book import PoolBook, PoolState, Position
from indexer.chains.solana.pools.curve import CurvePrice
from indexer.chains.solana.pools.event import PoolEvent
from indexer.chains.solana.pools.ranges import Move, Range, least_amounts, liquidity_of, most_amounts
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
    gains = (tokens, gained) if curve.token_is_0 else (gained, tokens)
    rows.swap(event, gains, state.sqrt_price_x96, curve.liquidity)


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
    pays0 = event.paid0 > 0 or (not event.paid1 and bool(event.received1))
    pay = state.ladder.pay0 if pays0 else state.ladder.pay1
    out, payments = (event.paid0, event.received1) if pays0 else (event.paid1, event.received0)
    paid = sum(payments)
    move = pay(state.sqrt_price_x96, out) if state.sqrt_price_x96 and payments else None
    if move is None or not _covers(paid, move) or not _explains((paid, *payments), move, pay, state, out):
        rows.swap(event)
        return _lose(event, state, rows)
    state.sqrt_price_x96 = move.sqrt_price_x96
    gains = (-out, paid) if pays0 else (paid, -out)
    rows.swap(event, gains, move.sqrt_price_x96, move.liquidity)


def _covers(paid: int, move: Move) -> bool:
    return move.needed <= paid + paid // _PRECISION + _ROUNDING


def _explains(
    payments: Sequence[int], move: Move, pay: Callable[[int, int], Move | None], state: PoolState, out: int
) -> bool:
    """Whether one of the payments is not more than the cost and a fee. An instruction that trades in several pools may
    send something to a vault besides: its sender chooses the accounts that receive."""

    def fits(found: Move) -> bool:
        return any(found.needed + _ROUNDING >= paid - paid // _LARGEST_FEE and _covers(paid, move) for paid in payments)

    if fits(move):
        return True
    # A payout is rounded down: with one unit more, it would have cost more than this.
    ahead = pay(state.sqrt_price_x96, out + 1)
    return ahead is None or fits(ahead)


def _provide(event: PoolEvent, state: PoolState, book: PoolBook, rows: PoolRows) -> None:
    """Liquidity counts as far as the tokens that it stands for were paid to the vaults.

    A program opens a position only where there is none or an empty one: what is left of it is rounding. Positions that
    are not known do not count.
    """
    opens, moves = event.action is PoolAction.OPEN, event.action is PoolAction.REPOSITION
    position = book.positions.get(event.position)
    if position is None and opens and event.ticks is not None:
        position = Position(event.pool, event.ticks, 0)
    if position is None or position.pool != event.pool:
        return
    root, before, old = state.sqrt_price_x96, position.ticks, position.liquidity
    ticks = event.ticks if opens or moves else before
    if ticks is None or not MIN_TICK <= ticks[0] < ticks[1] <= MAX_TICK:
        return
    held = most_amounts(root, before, old) if moves else (0, 0)
    given = max(event.gain0 + held[0], 0), max(event.gain1 + held[1], 0)
    standing = 0 if opens or moves else old
    if event.action is PoolAction.WITHDRAW:
        new = max(old - (event.liquidity or 0), 0)
    else:
        new = standing + _paid_for(event, root, ticks, given)
    if ticks == before:
        rows.liquidity(event, ticks, new - old)
    else:
        rows.moved(event, before, old, ticks, new)
    state.add(before, -old)
    state.add(ticks, new)
    book.positions[event.position] = Position(event.pool, ticks, new)
    rows.position(event, ticks, new)


def _paid_for(event: PoolEvent, root: int, ticks: Range, given: tuple[int, int]) -> int:
    """The liquidity that the event says, at most what was paid for; what was paid for where it says none."""
    needed = least_amounts(root, ticks, event.liquidity or 0)
    if event.liquidity and needed[0] <= given[0] + _ROUNDING and needed[1] <= given[1] + _ROUNDING:
        return event.liquidity
    paid_for = liquidity_of(root, ticks, *given)
    return min(paid_for, event.liquidity) if event.liquidity else paid_for


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
