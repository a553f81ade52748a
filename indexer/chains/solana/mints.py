"""Rows of fact_token, from what happened to mints and what is known of each.

A mint whose beginning is indexed is known exactly at every block. One that was there before is ``unread`` when it is
first seen: its row says what balances tell, and the node is asked for the rest. What the node says counts from the
block as of which it was said, never earlier: finalized state, which no fork takes back, of a slot at or after the last
thing that happened to the mint. That waits until the index has reached that slot, so an index that is far behind the
head asks for nothing.

Metadata count in one place: the mint itself where its pointer names it, Metaplex's account where the pointer names that
or there is none. Where a pointer names another account, no metadata count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from indexer.chains.solana.decoders.control_rows import ControlRow, control_columns
from indexer.chains.solana.decoders.frame import Columns, Tables, add_rows
from indexer.chains.solana.decoders.mint_events import (
    EVENTS,
    Authorised,
    Closed,
    Governed,
    Happening,
    Initialised,
    MetadataSource,
    MintEvent,
    Named,
    OfAccount,
    Opened,
    Pointed,
    Seen,
    TraitSet,
    Unclear,
)
from indexer.chains.solana.mint_accounts import metaplex_address
from indexer.chains.solana.mint_readings import FINALIZED, AccountReader, MintReading, mints_of_accounts, read_mints
from indexer.chains.solana.token_rows import token_columns
from indexer.chains.text import NAME_CHARACTERS, SYMBOL_CHARACTERS, clean_text
from indexer.known import Identity, Known, Origin
from indexer.unit import Blocks
from warehouse.domain.mints import MintControl, TokenProgram

READINGS_AT_ONCE = 500
"""Mints that one unit reads at most, so that reading never holds up indexing for long."""
_OF_READINGS = 1 << 31
"""First ``log_index`` of rows that come from a reading: beyond those of any transaction."""


def add_token_rows(known: Known, blocks: Blocks, tables: Tables, read: AccountReader, final: int) -> None:
    """Add rows of fact_token and fact_control to the unit's tables, and take the events of mints out of them.

    Args:
        final: the newest slot that the node called finalized before the unit was assembled; negative for none.
    """
    happened: Sequence[Happening] = tables.pop(EVENTS, {"event": []})["event"]
    fold = _Fold(known, blocks, tables.get("fact_control", {}))
    fold.follow(_resolve(happened, known, read))
    fold.read_unread(read, final)
    if fold.rows:
        add_rows(tables, {"fact_token": token_columns(list(fold.rows.items()))})
    if fold.controls:
        add_rows(tables, {"fact_control": control_columns(fold.controls)})
    for (mint, _), identity in fold.rows.items():
        known.learn_identity(mint, identity)


def _resolve(happened: Sequence[Happening], known: Known, read: AccountReader) -> list[MintEvent]:
    """The events, with the mint of those that name only Metaplex's account. Events of accounts since closed are
    left out: they hold metadata no more."""
    named = [item for item in happened if isinstance(item, OfAccount)]
    missing = sorted({item.account for item in named} - known.owners.keys())
    if missing:
        known.owners.update(mints_of_accounts(read, missing, max(item.event.slot for item in named)))
    events: list[MintEvent] = []
    for item in happened:
        if not isinstance(item, OfAccount):
            events.append(item)
        elif item.account in known.owners:
            events.append(msgspec.structs.replace(item.event, mint=known.owners[item.account]))
    return events


@dataclass(slots=True)
class _Fold:
    """Applies events and readings to what is known of mints."""

    known: Known
    blocks: Blocks
    decoded: Columns
    """The rows of fact_control that the unit has already."""
    rows: dict[tuple[bytes, int], Identity] = field(default_factory=dict)
    """By mint and block, in order."""
    controls: list[tuple[int, ControlRow]] = field(default_factory=list)
    """Each with its block."""
    _states: dict[bytes, Identity] = field(default_factory=dict)
    _tokens: set[bytes] = field(default_factory=set)
    """Mints that are known as tokens, and to which nothing happened but that tokens moved."""

    def follow(self, events: Sequence[MintEvent]) -> None:
        """Apply the events, which come in the order of the chain, and make a row at each block that changed a mint."""
        self._recall(events)
        for event in events:
            before = self._states.get(event.mint)
            after = self._applied(before, event)
            # What happens to an unread mint is worth a row in any case: its reading must not be from before.
            missed = after is not None and after.unread and not isinstance(event, Seen)
            if after is None or (after == before and not missed):
                continue
            after = replace(after, read_block=event.slot)
            self._states[event.mint] = after
            self.rows[event.mint, event.slot] = after

    def read_unread(self, read: AccountReader, final: int) -> None:
        """Read mints from the node, once the index is as far as the node's finalized state."""
        if final < 0 or self.blocks.last < final:
            return
        waiting = self.known.unread()
        waiting |= {mint: state.read_block for mint, state in self._states.items() if state.unread}
        due = [mint for mint, block in waiting.items() if block <= final and self._still_unread(mint)]
        found = read_mints(read, due[:READINGS_AT_ONCE], FINALIZED, final)
        usable = {mint: item for mint, item in found.items() if waiting[mint] <= item[0] <= self.blocks.last}
        self._states |= self.known.recall_identities(mint for mint in usable if mint not in self._states)
        controls = self._controls(list(usable))
        for mint, (slot, reading) in usable.items():
            self._learn(mint, slot, reading, controls)

    def _still_unread(self, mint: bytes) -> bool:
        return mint not in self._states or self._states[mint].unread

    def _recall(self, events: Iterable[MintEvent]) -> None:
        """Find out what is known of the mints. Of most nothing has to be known but that they are tokens."""
        changed = {event.mint for event in events if not isinstance(event, Seen)}
        moved = {event.mint for event in events} - changed
        new = moved - self.known.recall_tokens(moved).keys()
        self._states |= self.known.recall_identities([*changed, *new])
        self._tokens = moved - new

    def _applied(self, state: Identity | None, event: MintEvent) -> Identity | None:
        """What is known after an event; None where nothing is."""
        match event:
            case Seen():
                if state is not None or event.mint in self._tokens:
                    return state
                return replace(self._new(event.slot), decimals=event.decimals, program=event.program, unread=True)
            case Closed():
                if state is not None:
                    self._give_up(event)
                return state and replace(self._new(event.slot), origin=state.origin, program=state.program)
            case Opened():
                return self._new(event.slot)
            case Initialised():
                base = state if event.whole and state is not None else self._new(event.slot)
                return replace(base, program=event.program, decimals=event.decimals, unread=not event.whole)
            case TraitSet() | Pointed() | Named() | Authorised() | Governed() | Unclear():
                if state is None:
                    state = replace(self._new(event.slot), unread=True)
                return self._changed(state, event)

    def _changed(self, state: Identity, event: MintEvent) -> Identity:
        match event:
            case TraitSet():
                traits = state.traits | {event.trait} if event.holds else state.traits - {event.trait}
                return replace(state, traits=traits)
            case Pointed():
                # The mint is not initialised while it gets its first pointer: nothing counted before.
                began = state.decimals is None
                cleared = state if began else replace(state, name="", symbol="", unread=True)
                return replace(cleared, pointer=event.target)
            case Named():
                if not self._counts(state, event.mint, event.source):
                    return state
                name = state.name if event.name is None else clean_text(event.name, NAME_CHARACTERS)
                symbol = state.symbol if event.symbol is None else clean_text(event.symbol, SYMBOL_CHARACTERS)
                return replace(state, name=name, symbol=symbol)
            case Authorised():
                if self._counts(state, event.mint, event.source):
                    kind = MintControl.UPDATE_AUTHORITY
                    change = (event.mint, kind, event.previous, event.account, event.signed)
                    self.controls.append((event.slot, (event.log_index, event.transaction_hash, *change)))
                return state
            case Unclear():
                return replace(state, unread=True)
            case _:
                return state

    @staticmethod
    def _counts(state: Identity, mint: bytes, source: MetadataSource) -> bool:
        """Whether metadata of this source are the mint's."""
        if source is MetadataSource.EXTENSION:
            return state.pointer == mint
        if state.unread and state.program != TokenProgram.SPL_TOKEN:
            return False  # its pointer is not known
        return state.pointer in (b"", metaplex_address(mint))

    def _controls(self, mints: Sequence[bytes]) -> dict[tuple[bytes, str], bytes]:
        """Who is in charge of these mints, by mint and kind."""
        found, wanted = self.known.controls(mints), set(mints)
        if self.decoded:
            columns = (self.decoded[name] for name in ("address", "kind", "account"))
            for mint, kind, account in zip(*columns, strict=True):
                if mint in wanted:
                    found[mint, kind.decode()] = account
        for _, (_, _, mint, kind, _, account, _) in self.controls:
            found[mint, kind] = account
        return found

    def _give_up(self, event: Closed) -> None:
        """Nobody is in charge of a mint that was closed."""
        held = [(kind, account) for (_, kind), account in self._controls([event.mint]).items() if account]
        for place, (kind, account) in enumerate(sorted(held)):
            row = (event.log_index + place, event.transaction_hash, event.mint, kind, account, b"", False)
            self.controls.append((event.slot, row))

    def _learn(
        self, mint: bytes, slot: int, reading: MintReading | None, controls: dict[tuple[bytes, str], bytes]
    ) -> None:
        """Make the rows of a reading, at the first block of the unit that is not before it. What instructions have
        said of who is in charge is not repeated."""
        number = self.blocks.number
        block = int(number[np.searchsorted(number, np.uint64(max(slot, self.blocks.first)))])
        state = self._states[mint]
        if reading is None:
            state = replace(state, name="", symbol="", unread=False, read_block=block)
        else:
            state = Identity(
                state.origin,
                clean_text(reading.name, NAME_CHARACTERS),
                clean_text(reading.symbol, SYMBOL_CHARACTERS),
                reading.decimals,
                reading.supply_raw,
                reading.program,
                reading.traits,
                reading.pointer,
                unread=False,
                read_block=block,
            )
            for kind, account in reading.controls:
                previous = controls.get((mint, kind), b"")
                if account != previous:
                    place = _OF_READINGS + len(self.controls)
                    self.controls.append((block, (place, b"", mint, kind, previous, account, False)))
        self._states[mint] = state
        self.rows[mint, block] = state

    def _new(self, slot: int) -> Identity:
        time = int(self.blocks.times_of(np.array([slot], np.uint64))[0])
        return Identity(Origin(slot, time), "", "", None, None, "", frozenset(), b"", unread=False, read_block=slot)
