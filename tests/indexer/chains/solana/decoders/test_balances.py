"""Balances rebuilt from blocks against what the accounts of real token programs hold."""

import struct
from collections import defaultdict
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.account import Account
from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.instruction import AccountMeta, Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import CreateAccountParams, TransferParams, create_account, transfer
from spl.token import instructions as spl
from spl.token import models

from indexer.chains.solana.decoders.frame import scope_of
from indexer.chains.solana.decoders.transfers import NATIVE_MINTS, NOBODY, decode
from tests.factories.mint_accounts import mint_data
from tests.fixtures.solana_mints import PLAIN, TOKEN_2022, governed, initialised, of_mint, opened
from tests.fixtures.solana_recorder import SOL, Recorder
from warehouse.chains import facts

SCOPE = scope_of(facts.load(None).by_key["solana"])
OWNERS = 3
ACCOUNTS = 2
"""Token accounts of each owner: the associated one, and another."""
ACCOUNT_OWNER = 2
_ACCOUNT_BYTES, _WITHHOLDING_BYTES, _TABLE_HEADER_BYTES = 165, 178, 56
_LOOKUP_TABLES = Pubkey.from_string("AddressLookupTab1e1111111111111111111111111")
Place = tuple[int, int]
"""An owner's token account: number of the owner, number of the account."""


@dataclass(slots=True)
class World:
    """One mint, its owners, and their token accounts. With extensions it has a fee of 2 % and a permanent delegate,
    and its accounts are longer than 165 bytes."""

    recorder: Recorder
    program: Pubkey
    extended: bool
    mint: Keypair = field(default_factory=Keypair)
    owners: list[Keypair] = field(default_factory=list)
    accounts: dict[Place, Keypair] = field(default_factory=dict)

    def __post_init__(self) -> None:
        payer, mint = self.recorder.payer.pubkey(), self.mint.pubkey()
        self.owners = [Keypair() for _ in range(OWNERS)]
        made = [opened(payer, mint, self.program, [108, 32] if self.extended else [])]
        if self.extended:
            fees = models.InitializeTransferFeeConfigParams(
                program_id=self.program, mint=mint, transfer_fee_config_authority=payer,
                withdraw_withheld_authority=payer, transfer_fee_basis_points=200, maximum_fee=10**18,
            )  # fmt: skip
            made += [spl.initialize_transfer_fee_config(fees), of_mint(mint, b"\x23" + bytes(payer))]
        assert self.recorder.send([*made, initialised(mint, self.program, payer)], self.mint)

    def do(self, kind: str, one: Place, other: Place, share: int) -> None:
        """One operation; what is impossible fails on the chain."""
        owner, account = self.owners[one[0]], self.address(one)
        amount = self.held(account) * share // 100
        mint, payer = self.mint.pubkey(), self.recorder.payer.pubkey()
        send = self.recorder.send
        if kind == "mint":
            minted = models.MintToParams(
                program_id=self.program, mint=mint, dest=account, mint_authority=payer, amount=10**9 + share, signers=[]
            )
            send([spl.mint_to(minted)])
        elif kind == "transfer":
            moved = models.TransferCheckedParams(
                program_id=self.program, source=account, mint=mint, dest=self.address(other), owner=owner.pubkey(),
                amount=amount, decimals=6, signers=[],
            )  # fmt: skip
            send([spl.transfer_checked(moved)], owner)
        elif kind == "burn":
            burned = models.BurnParams(
                program_id=self.program, account=account, mint=mint, owner=owner.pubkey(), amount=amount, signers=[]
            )
            send([spl.burn(burned)], owner)
        elif kind == "seize":  # burned by the permanent delegate
            seized = models.BurnParams(
                program_id=self.program, account=account, mint=mint, owner=payer, amount=amount, signers=[]
            )
            send([spl.burn(seized)])
        elif kind == "hand over":
            heir = self.owners[other[0]].pubkey()
            send([governed(account, self.program, ACCOUNT_OWNER, owner.pubkey(), heir)], owner)
        elif kind == "close":
            emptied = models.BurnParams(
                program_id=self.program, account=account, mint=mint, owner=owner.pubkey(), amount=self.held(account),
                signers=[],
            )  # fmt: skip
            closed = models.CloseAccountParams(
                program_id=self.program, account=account, dest=payer, owner=owner.pubkey(), signers=[]
            )
            harvested = [self.collect(account)] if self.extended else []
            send([spl.burn(emptied), *harvested, spl.close_account(closed)], owner)
        elif kind == "withdraw":
            withdrawn = Instruction(
                self.program, b"\x1a\x02",
                [AccountMeta(mint, False, True), AccountMeta(account, False, True), AccountMeta(payer, True, False)],
            )  # fmt: skip
            send([self.collect(self.address(other)), withdrawn])

    def collect(self, account: Pubkey) -> Instruction:
        """Moves what an account withheld to the mint."""
        accounts = [AccountMeta(self.mint.pubkey(), False, True), AccountMeta(account, False, True)]
        return Instruction(self.program, b"\x1a\x04", accounts)

    def address(self, which: Place) -> Pubkey:
        """A token account, opened if it is not open."""
        owner, place = self.owners[which[0]].pubkey(), which[1]
        if place == 0:
            found = spl.get_associated_token_address(owner, self.mint.pubkey(), self.program)
            if self.is_closed(found):
                payer = self.recorder.payer.pubkey()
                self.recorder.send(
                    [spl.create_associated_token_account(payer, owner, self.mint.pubkey(), self.program)]
                )
            return found
        key = self.accounts.setdefault(which, Keypair())
        if self.is_closed(key.pubkey()):
            opening = create_account(
                CreateAccountParams(
                    from_pubkey=self.recorder.payer.pubkey(), to_pubkey=key.pubkey(), lamports=SOL,
                    space=_WITHHOLDING_BYTES if self.extended else _ACCOUNT_BYTES, owner=self.program,
                )
            )  # fmt: skip
            began = models.InitializeAccount3Params(
                program_id=self.program, account=key.pubkey(), mint=self.mint.pubkey(), owner=owner
            )
            assert self.recorder.send([opening, spl.initialize_account3(began)], key)
        return key.pubkey()

    def is_closed(self, account: Pubkey) -> bool:
        """Whether no account is there."""
        found = self.recorder.svm.get_account(account)
        return found is None or not found.data

    def held(self, account: Pubkey) -> int:
        """What a token account holds."""
        found = self.recorder.svm.get_account(account)
        return int.from_bytes(bytes(found.data)[64:72], "little") if found and found.data else 0


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()


def rebuilt(recorder: Recorder) -> dict[tuple[bytes, bytes], int]:
    """(mint, owner): balance, from the transfers of the block that ends now."""
    balances: dict[tuple[bytes, bytes], int] = defaultdict(int)
    columns = decode(recorder.block(), SCOPE).get("fact_transfer")
    if columns is not None:
        for mint, sender, receiver, amount in zip(
            columns["token"], columns["from_address"], columns["to_address"], columns["amount_raw"], strict=True
        ):
            balances[mint, sender] -= amount
            balances[mint, receiver] += amount
    return balances


KINDS = ("mint", "transfer", "burn", "seize", "hand over", "close", "withdraw")
PLACES = st.tuples(st.integers(0, OWNERS - 1), st.integers(0, ACCOUNTS - 1))
OPERATIONS = st.lists(st.tuples(st.sampled_from(KINDS), PLACES, PLACES, st.integers(0, 100)), min_size=4, max_size=25)


@pytest.mark.parametrize(("program", "extended"), [(PLAIN, False), (TOKEN_2022, False), (TOKEN_2022, True)])
@settings(max_examples=15, deadline=None)
@given(operations=OPERATIONS)
def test_balances_and_supply_are_what_the_accounts_say(
    recorder: Recorder,
    program: Pubkey,
    extended: bool,
    operations: list[tuple[str, Place, Place, int]],
) -> None:
    recorder.block()
    world = World(recorder, program, extended)
    for kind, one, other, share in [("mint", (0, 0), (0, 0), 1), *operations]:
        world.do(kind, one, other, share)
    mint = bytes(world.mint.pubkey())
    found = {owner: amount for (token, owner), amount in rebuilt(recorder).items() if token == mint and amount}
    expected: dict[bytes, int] = defaultdict(int)
    for account in recorder.token_accounts():
        if account.mint == mint:
            expected[account.owner] += account.amount
    supply = recorder.supply(world.mint.pubkey())
    hidden = found.pop(mint, 0)
    assert found.pop(NOBODY, 0) == -supply
    assert found == {owner: amount for owner, amount in expected.items() if amount}
    assert sum(found.values()) + hidden == supply
    assert hidden >= 0 if extended else hidden == 0


def test_wrapped_sol_is_what_its_accounts_hold(recorder: Recorder) -> None:
    recorder.block()
    owner = recorder.wallet()
    native = Pubkey.from_string(next(mint for mint in NATIVE_MINTS if mint.startswith("So1")))
    payer = recorder.payer.pubkey()
    account = spl.get_associated_token_address(owner.pubkey(), native, PLAIN)
    paid = transfer(TransferParams(from_pubkey=payer, to_pubkey=account, lamports=777))
    synced = spl.sync_native(models.SyncNativeParams(program_id=PLAIN, account=account))
    made = spl.create_associated_token_account(payer, owner.pubkey(), native, PLAIN)
    recorder.svm.set_account(native, Account(SOL, mint_data(supply=0, decimals=9), PLAIN))
    assert recorder.send([made, paid, synced])
    assert rebuilt(recorder) == {(bytes(native), NOBODY): -777, (bytes(native), bytes(owner.pubkey())): 777}
    closed = models.CloseAccountParams(program_id=PLAIN, account=account, dest=payer, owner=owner.pubkey(), signers=[])
    assert recorder.send([spl.close_account(closed)], owner)
    assert rebuilt(recorder) == {(bytes(native), NOBODY): 777, (bytes(native), bytes(owner.pubkey())): -777}


def lookup_table(recorder: Recorder, addresses: list[Pubkey]) -> AddressLookupTableAccount:
    """A table of addresses that transactions can name by their place."""
    key = Keypair().pubkey()
    began = struct.pack("<IQQB", 1, 2**64 - 1, 0, 0)  # a table, never deactivated, extended in slot 0
    data = began.ljust(_TABLE_HEADER_BYTES, b"\0") + b"".join(map(bytes, addresses))
    recorder.svm.set_account(key, Account(SOL, data, _LOOKUP_TABLES))
    return AddressLookupTableAccount(key, addresses)


def test_accounts_of_a_lookup_table_are_told_apart(recorder: Recorder) -> None:
    world = World(recorder, PLAIN, extended=False)
    sender, receiver = world.address((0, 0)), world.address((1, 0))
    world.do("mint", (0, 0), (0, 0), 0)
    recorder.svm.warp_to_slot(10)
    table = lookup_table(recorder, [receiver, sender, world.mint.pubkey()])
    recorder.block()
    moved = models.TransferCheckedParams(
        program_id=PLAIN, source=sender, mint=world.mint.pubkey(), dest=receiver, owner=world.owners[0].pubkey(),
        amount=10**9, decimals=6, signers=[],
    )  # fmt: skip
    assert recorder.send([spl.transfer_checked(moved)], world.owners[0], tables=[table])
    loaded = recorder.transactions[0]["meta"]["loadedAddresses"]
    assert str(sender) in loaded["writable"]
    assert str(world.mint.pubkey()) in loaded["readonly"]
    first, second = (bytes(owner.pubkey()) for owner in world.owners[:2])
    mint = bytes(world.mint.pubkey())
    assert rebuilt(recorder) == {(mint, first): -(10**9), (mint, second): 10**9}
