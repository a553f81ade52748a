"""Mints: how they began, who controls them, what they are called, and every change of it.

Rows of fact_contract_creation and fact_control are complete here. Names become rows of fact_token later, where what is
known of a mint decides which source of metadata counts (``mint_events``, ``indexer/chains/solana/mints.py``).
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.base58 import key_bytes
from indexer.chains.solana.blocks import DecodedBlock, DecodedTransaction
from indexer.chains.solana.decoders import extensions, metaplex
from indexer.chains.solana.decoders.borsh import Borsh
from indexer.chains.solana.decoders.control_rows import ControlRow, ControlRows, control_columns
from indexer.chains.solana.decoders.frame import Columns, Scope
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
    TraitSet,
    Unclear,
)
from indexer.chains.solana.decoders.token_instructions import (
    CLOSE_ACCOUNT,
    INITIALIZE_MINT,
    INITIALIZE_MINT_2,
    SET_AUTHORITY,
    Step,
    steps,
    touches_mints,
)
from indexer.chains.solana.mint_accounts import METAPLEX_PROGRAM
from warehouse.domain.authorities import has_key
from warehouse.domain.mints import MintControl, MintTrait, TokenProgram

_PROGRAMS = frozenset({TOKEN_PROGRAM, TOKEN_2022_PROGRAM, METAPLEX_PROGRAM, SYSTEM_PROGRAM})
# Instructions of the System Program that give an account to another program: place of that account.
_ASSIGNING = {0: 1, 1: 0, 3: 1, 10: 0, 13: 0}


def decode(block: DecodedBlock, scope: Scope) -> Mapping[str, Columns]:
    """Rows of fact_contract_creation and fact_control, and events of mints."""
    found = _Found(block.slot)
    for transaction in block.transactions:
        if METAPLEX_PROGRAM in transaction.accounts or touches_mints(transaction):
            _Reader(transaction, found, scope.chain.creator_programs).read()
    return found.tables()


@dataclass(slots=True)
class _Found:
    """What the block's transactions add up to."""

    slot: int
    creations: list[tuple[bytes, bytes, bytes, bytes, bytes]] = field(default_factory=list)
    """(transaction, mint, creator, factory, what the transaction called)"""
    controls: list[ControlRow] = field(default_factory=list)
    events: list[Happening] = field(default_factory=list)

    def tables(self) -> dict[str, Columns]:
        """The rows by column."""
        tables: dict[str, Columns] = {}
        if self.creations:
            names = ("transaction_hash", "address", "creator", "factory", "transaction_to")
            tables["fact_contract_creation"] = {
                "block_number": [self.slot] * len(self.creations),
                "creation_index": list(range(len(self.creations))),
                **{name: list(column) for name, column in zip(names, zip(*self.creations, strict=True), strict=True)},
            }
        if self.controls:
            tables["fact_control"] = control_columns([(self.slot, row) for row in self.controls])
        if self.events:
            tables[EVENTS] = {"event": list(self.events)}
        return tables


@dataclass(slots=True)
class _Reader:
    """Reads one transaction into ``found``."""

    transaction: DecodedTransaction
    found: _Found
    creator_programs: Collection[str]
    controls: ControlRows = field(default_factory=ControlRows)
    events: list[Happening] = field(default_factory=list)
    signers: frozenset[bytes] = frozenset()
    opened: set[str] = field(default_factory=set)
    """Accounts that the transaction gave to a program."""

    def read(self) -> None:
        """Every step in order."""
        taken = list(steps(self.transaction, _PROGRAMS))
        self.signers = frozenset(map(key_bytes, self.transaction.signers))
        self.opened = {account for step in taken if step.program == SYSTEM_PROGRAM and (account := _assigned(step))}
        begun = {step.accounts[0] for step in taken if _initialises(step)}
        for mint in sorted(begun & self.opened):
            self.events.append(Opened(key_bytes(mint), self.found.slot))
        for step in taken:
            if step.program == METAPLEX_PROGRAM:
                self._metaplex(step)
            elif step.program != SYSTEM_PROGRAM and step.data:
                self._token(step)
        rows, events = self.controls.placed(self.transaction.index, self.events)
        self.found.controls += rows
        self.found.events += events

    def _token(self, step: Step) -> None:
        kind = step.data[0]
        if kind == SET_AUTHORITY:
            changed = extensions.changed_authority(step.data)
            if changed:
                mint = key_bytes(step.accounts[0])
                self._control(mint, *changed, previous=key_bytes(step.accounts[1]))
                trait = extensions.AUTHORITY_TRAITS.get(changed[0])
                if trait:
                    self.events.append(TraitSet(mint, self.found.slot, trait, bool(changed[1])))
        elif kind in (INITIALIZE_MINT, INITIALIZE_MINT_2):
            self._initialised(step)
        elif step.program != TOKEN_2022_PROGRAM:
            return
        elif kind == CLOSE_ACCOUNT:
            if not self._is_token_account(step.accounts[0]):
                mint = key_bytes(step.accounts[0])
                place = self.controls.take(mint, len(MintControl))
                self.events.append(Closed(mint, self.found.slot, place, self.transaction.signature))
        elif extended := extensions.parse(step.accounts, step.data):
            self._extended(extended)

    def _initialised(self, step: Step) -> None:
        fields = Borsh(step.data, 1)
        decimals, minter, freezer = fields.number(1), fields.key(), fields.option(fields.key)
        name, mint, whole = step.accounts[0], key_bytes(step.accounts[0]), step.accounts[0] in self.opened
        program = TokenProgram.TOKEN_2022 if step.program == TOKEN_2022_PROGRAM else TokenProgram.SPL_TOKEN
        self.events.append(Initialised(mint, self.found.slot, program, decimals, whole))
        inner = step.caller is not None
        self.found.creations.append(
            (
                self.transaction.signature,
                mint,
                self._creator(step, minter) if name in self.opened else b"",
                key_bytes(step.caller) if step.caller else b"",
                key_bytes(step.outermost) if inner else b"",
            )
        )
        self._control(mint, MintControl.MINT_AUTHORITY, minter)
        if freezer:
            self._control(mint, MintControl.FREEZE_AUTHORITY, freezer)

    def _creator(self, step: Step, minter: bytes) -> bytes:
        """The fee payer, unless it may have paid for another's mint: somebody else signed too, or a program made the
        mint for itself, as bridges do and multisig vaults, whose transactions anybody can send."""
        if set(self.transaction.signers[1:]) - self.opened:
            return b""
        for_itself = step.caller is not None and not has_key(minter)
        if for_itself and not (step.caller == step.outermost and step.caller in self.creator_programs):
            return b""
        return key_bytes(self.transaction.fee_payer)

    def _extended(self, extended: extensions.Extended) -> None:
        mint, slot, events = key_bytes(extended.mint), self.found.slot, self.events
        for trait, holds in extended.traits:
            events.append(TraitSet(mint, slot, trait, holds))
        for kind, account in extended.controls:
            self._control(mint, kind, account)
        if extended.pointer is not None:
            events.append(Pointed(mint, slot, extended.pointer))
        if extended.name is not None or extended.symbol is not None:
            events.append(Named(mint, slot, MetadataSource.EXTENSION, extended.name, extended.symbol))
        if extended.authority is not None:
            events.append(self._authorised(mint, MetadataSource.EXTENSION, extended.authority))

    def _metaplex(self, step: Step) -> None:
        slot = self.found.slot
        if not step.data:
            return
        try:
            found = metaplex.parse(step.accounts, step.data)
        except ValueError:
            account, named_mint = metaplex.touched(step.accounts, step.data)
            self._add(named_mint, account, Unclear(key_bytes(named_mint) if named_mint else b"", slot))
            return
        if found is None:
            return
        mint = key_bytes(found.mint) if found.mint else b""
        if not found.fungible:
            self._add(found.mint, "", TraitSet(mint, slot, MintTrait.NON_FUNGIBLE, True))
        if found.name is not None or found.symbol is not None:
            named = Named(mint, slot, MetadataSource.METAPLEX, found.name, found.symbol)
            self._add(found.mint, found.account, named)
        if found.authority is not None:
            previous = key_bytes(found.previous) if found.previous else b""
            authorised = self._authorised(mint, MetadataSource.METAPLEX, found.authority, previous, found.account)
            self._add(found.mint, found.account, authorised)

    def _add(self, mint: str | None, account: str, event: MintEvent) -> None:
        self.events.append(event if mint else OfAccount(key_bytes(account), event))

    def _authorised(
        self, mint: bytes, source: MetadataSource, account: bytes, previous: bytes = b"", where: str = ""
    ) -> Authorised:
        """``where`` the metadata are, which alone tells them apart if the mint is not named."""
        signature, signed = self.transaction.signature, account in self.signers
        place = self.controls.take((source, mint, where))
        return Authorised(mint, self.found.slot, source, previous, account, signed, place, signature)

    def _control(self, mint: bytes, kind: MintControl, account: bytes, *, previous: bytes = b"") -> None:
        self.controls.add(self.transaction.signature, mint, kind, previous, account, account in self.signers)
        self.events.append(Governed(mint, self.found.slot))

    def _is_token_account(self, account: str) -> bool:
        accounts = self.transaction.accounts
        return any(accounts[held.account_index] == account for held in self.transaction.meta.pre_token_balances or ())


def _initialises(step: Step) -> bool:
    return step.program in (TOKEN_PROGRAM, TOKEN_2022_PROGRAM) and step.data[:1] in (
        bytes([INITIALIZE_MINT]),
        bytes([INITIALIZE_MINT_2]),
    )


def _assigned(step: Step) -> str | None:
    """The account that an instruction of the System Program gives to another program."""
    place = _ASSIGNING.get(int.from_bytes(step.data[:4], "little")) if len(step.data) >= 4 else None
    return None if place is None else step.accounts[place]
