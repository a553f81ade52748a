"""Instructions of declared programs that concern pools, with what the pools' vaults gained.

A successful transaction consists of successful instructions, and a program's instruction is recorded by the runtime:
so what a declared program did is certain. A transfer counts for an instruction if the instruction itself made it. Rows
follow when the unit is assembled (``pools/settle.py``): they depend on earlier blocks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_PROGRAMS
from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import Call, DecodedBlock, DecodedTransaction
from indexer.chains.solana.decoders.frame import Columns, Scope
from indexer.chains.solana.pools.event import PoolEvent
from indexer.chains.solana.pools.programs import PoolProgram
from indexer.chains.solana.pools.vaults import (
    Transfer,
    VaultBalance,
    hop_transfers,
    read_transfer,
    vault_balances,
    withheld,
)
from warehouse.domain.pool_programs import PoolAction, PoolInstruction, PoolProtocol

POOL_EVENTS = "pool_events"
"""The name under which the events are with the tables; they are no table."""


@dataclass(slots=True)
class _Ran:
    """A call of a declared program: what it does, and the transfers that it made itself."""

    call: Call
    program: PoolProgram
    instructions: list[PoolInstruction]
    transfers: list[Transfer] = field(default_factory=list)


def decode(block: DecodedBlock, scope: Scope) -> Mapping[str, Columns]:
    """The events of a block's transactions, in order of execution."""
    programs = scope.pool_programs
    events: list[PoolEvent] = []
    for transaction in block.transactions:
        if not programs.keys().isdisjoint(transaction.accounts):
            events += pool_events(block.slot, transaction, programs)
    return {POOL_EVENTS: {"event": events}} if events else {}


def pool_events(slot: int, transaction: DecodedTransaction, programs: Mapping[str, PoolProgram]) -> list[PoolEvent]:
    """The events of one transaction."""
    ran, transfers = _run(transaction, programs)
    if not ran:
        return []
    vaults = {vault for one in ran for item in one.instructions for vault in _at(one.call, item.vaults)}
    balances = vault_balances(transaction, vaults)
    short = withheld(balances, transfers)
    sender, signature = key_bytes(transaction.fee_payer), transaction.signature
    events: list[PoolEvent] = []
    for one in ran:
        for item, own in _parts(one, balances):
            pool = _at(one.call, (item.pool,))
            if not pool:
                continue
            event = PoolEvent(item.action, one.program, key_bytes(pool[0]), slot, transaction.index, signature, sender)
            _read_data(event, item, one.call)
            _read_sides(event, item, replace(one, transfers=own), balances, short)
            events.append(event)
    later: set[bytes] = set()
    for event in reversed(events):
        event.is_last = event.pool not in later
        later.add(event.pool)
    return events


def _parts(ran: _Ran, balances: Mapping[str, VaultBalance]) -> Iterator[tuple[PoolInstruction, list[Transfer]]]:
    """What the call does to each pool, with its transfers. A route's accounts are its sender's choice, and those that
    the program does not use may be anything: a hop is one if the pool owns the vaults, and its next transfers use them.
    """
    start = 0
    for item in ran.instructions:
        if not item.anywhere:
            yield item, ran.transfers
            continue
        pool, *vaults = _at(ran.call, (item.pool, *item.vaults)) or ("",)
        if len(vaults) == 2 and all(one in balances and balances[one].owner == pool for one in vaults):
            place = hop_transfers(ran.transfers, vaults[0], vaults[1], start)
            if place is not None:
                yield item, ran.transfers[place : place + 2]
                start = place + 2


def _run(transaction: DecodedTransaction, programs: Mapping[str, PoolProgram]) -> tuple[list[_Ran], list[Transfer]]:
    """The calls of declared programs, each with its own transfers; and all transfers of tokens."""
    ran: list[_Ran] = []
    running: list[_Ran] = []
    transfers: list[Transfer] = []
    certain = _tells_depths(transaction)
    for call in transaction.calls:
        while running and (running[-1].call.outer != call.outer or running[-1].call.depth >= call.depth):
            running.pop()
        program = programs.get(call.program)
        if program is not None:
            instructions = list(_concerned(program, call, certain or call.depth == 1))
            if instructions:
                ran.append(_Ran(call, program, instructions))
                running.append(ran[-1])
        elif call.program in TOKEN_PROGRAMS or call.program == SYSTEM_PROGRAM:
            transfer = read_transfer(call)
            if transfer is None:
                continue
            if call.program != SYSTEM_PROGRAM:
                transfers.append(transfer)
            if running and running[-1].call.depth + 1 == call.depth:
                running[-1].transfers.append(transfer)
    return ran, transfers


def _tells_depths(transaction: DecodedTransaction) -> bool:
    """Whether the node tells which call made which."""
    inner = transaction.meta.inner_instructions or ()
    return all(one.stack_height is not None for group in inner for one in group.instructions)


def _concerned(program: PoolProgram, call: Call, certain: bool) -> Iterator[PoolInstruction]:
    """What the call does, for each place where it may name a pool. If it is not certain which transfers are its own,
    what the pool holds is unknown."""
    for item in program.named(call.data):
        if not certain:
            item = replace(item, action=PoolAction.UNKNOWN, vaults=())
        if not item.anywhere:
            yield item
            continue
        for place in range(item.pool, len(call.accounts)):
            behind = tuple(vault - item.pool + place for vault in item.vaults)
            yield replace(item, pool=place, vaults=behind, anywhere=item.action is not PoolAction.UNKNOWN)


def _at(call: Call, places: tuple[int, ...]) -> list[str]:
    """The accounts at these places, none if one is missing."""
    found = [call.accounts[place] for place in places if place < len(call.accounts)]
    return found if len(found) == len(places) else []


def _read_data(event: PoolEvent, item: PoolInstruction, call: Call) -> None:
    data = call.data
    if item.position is not None and (position := _at(call, (item.position,))):
        event.position = key_bytes(position[0])
    if item.ticks is not None and len(data) >= item.ticks + 8:
        lower, upper = (data[at : at + 4] for at in (item.ticks, item.ticks + 4))
        event.ticks = int.from_bytes(lower, "little", signed=True), int.from_bytes(upper, "little", signed=True)
    if item.liquidity is not None and len(data) >= item.liquidity + 16:
        event.liquidity = int.from_bytes(data[item.liquidity : item.liquidity + 16], "little")
    if item.sqrt_price is not None and len(data) >= item.sqrt_price + 16:
        event.sqrt_price_x64 = int.from_bytes(data[item.sqrt_price : item.sqrt_price + 16], "little")


def _read_sides(
    event: PoolEvent,
    item: PoolInstruction,
    ran: _Ran,
    balances: Mapping[str, VaultBalance],
    short: Mapping[str, tuple[int, int]],
) -> None:
    """The pool's tokens and amounts. An event whose vaults cannot be read tells nothing of its pool."""
    sides = [
        (balances[one].mint, _paid(one, ran.transfers), _received(one, ran.transfers, short), balances[one].after)
        for one in _at(ran.call, item.vaults)
        if one in balances
    ]
    if item.mints and not sides:
        sides = [(key_bytes(mint), 0, (), 0) for mint in _at(ran.call, item.mints)]
    if ran.program.protocol is PoolProtocol.BONDING_CURVE and sides:
        curve = ran.call.accounts[item.pool]
        sides.append((ran.program.native, 0, _received(curve, ran.transfers, {}), 0))
    if len(sides) == 2 and sides[0][0] != sides[1][0]:
        first, second = sorted(sides)
        event.token0, event.paid0, event.received0, event.reserve0 = first
        event.token1, event.paid1, event.received1, event.reserve1 = second
    elif item.vaults:
        event.action = PoolAction.UNKNOWN


def _paid(vault: str, transfers: list[Transfer]) -> int:
    """What a vault paid. It may pay to itself: whoever trades chooses the account that receives."""
    return sum(one.amount for one in transfers if one.source == vault)


def _received(vault: str, transfers: list[Transfer], short: Mapping[str, tuple[int, int]]) -> tuple[int, ...]:
    """What a vault received by each transfer, without the part of it that was withheld."""
    taken, whole = short.get(vault, (0, 1))
    sent = [one.amount for one in transfers if one.destination == vault and one.source != vault]
    return tuple(amount * (whole - taken) // whole for amount in sent)
