"""Rows of fact_token from blocks of real programs and from what a node says of accounts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from solders.account import Account as SvmAccount
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token import instructions as spl
from spl.token import models

from indexer.chains.solana import decoders
from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, Account
from indexer.chains.solana.assemble import assemble_unit
from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders.frame import Tables, scope_of
from indexer.chains.solana.fetch import Chunk
from indexer.chains.solana.mint_accounts import METAPLEX_PROGRAM, metaplex_address
from indexer.chains.solana.mints import add_token_rows
from indexer.known import Known
from indexer.unit import Blocks
from indexer.write import write_facts
from tests.factories.mint_accounts import metaplex_data
from tests.factories.solana_blocks import Called, Held, Sent, block, key, raw
from tests.fixtures.solana_mints import (
    NOBODY,
    PLAIN,
    TOKEN_2022,
    governed,
    initialised,
    make_mint,
    make_named_mint,
    mint_to,
    named,
    of_mint,
    open_account,
    opened,
    pointed,
    renamed,
    repointed,
)
from tests.fixtures.solana_recorder import SOL, Recorder
from tests.indexer.chains.solana.decoders.test_mints import data_v2
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse

CHAIN = 900_900
SCOPE = scope_of(facts.load(None).by_key["solana"])


@dataclass(slots=True)
class Node:
    """Answers for accounts: those of a recorder, as of a slot."""

    recorder: Recorder
    slot: int = 0
    asked: list[str] = field(default_factory=list)

    def __call__(
        self, addresses: Sequence[str], *, commitment: str, at_least: int
    ) -> tuple[int, Sequence[Account | None]]:
        self.asked += addresses
        found = [self.recorder.svm.get_account(Pubkey.from_string(address)) for address in addresses]
        return self.slot, [
            None if one is None else Account(str(one.owner), one.lamports, bytes(one.data)) for one in found
        ]


@dataclass(slots=True)
class Index:
    """Writes units as the indexer does."""

    warehouse: Warehouse
    recorder: Recorder
    node: Node
    known: Known
    unit: int = 0

    def add(self, *blocks: DecodedBlock, final: int = -1) -> None:
        """Index these blocks as one unit. ``final`` is the newest slot that the node called finalized."""
        tables: Tables = {}
        for one in blocks:
            decoders.decode(one, SCOPE, tables)

        def complete(known: Known, columns: Blocks, unfinished: Tables) -> None:
            add_token_rows(known, columns, unfinished, self.node, final)

        chunk = Chunk(blocks[0].slot, blocks[-1].slot, list(blocks), tables, 0, 0.0)
        made = assemble_unit([chunk], self.known, complete)
        self.unit += 1
        write_facts(self.warehouse, CHAIN, self.unit, made.blocks, made.tables, made.changes)

    def restart(self) -> None:
        """Forget everything that is not in the warehouse."""
        self.known = Known(self.warehouse, CHAIN)

    def rows(self, mint: bytes) -> list[tuple[int, str, str, str]]:
        """(block, name, symbol, status) of each row."""
        query = (
            "SELECT read_block, name, symbol, read_status FROM fact_token"
            " WHERE address = unhex({mint:String}) ORDER BY read_block"
        )
        return [tuple(row.values()) for row in self.warehouse.rows(query, {"mint": mint.hex()})]  # type: ignore[misc]

    def newest(self, mint: bytes) -> dict[str, Any]:
        """The newest row."""
        query = "SELECT * FROM fact_token WHERE address = unhex({mint:String}) ORDER BY read_block DESC LIMIT 1"
        return self.warehouse.rows(query, {"mint": mint.hex()})[0]

    def controls(self, mint: bytes, kind: str) -> list[tuple[int, str]]:
        """(block, account in hexadecimal) of each row of a kind."""
        query = (
            "SELECT block_number, lower(hex(account)) AS account FROM fact_control"
            " WHERE address = unhex({mint:String}) AND kind = {kind:String} ORDER BY block_number, log_index"
        )
        return [tuple(row.values()) for row in self.warehouse.rows(query, {"mint": mint.hex(), "kind": kind})]  # type: ignore[misc]


@pytest.fixture
def index(warehouse: Warehouse) -> Index:
    recorder = Recorder()
    return Index(warehouse, recorder, Node(recorder), Known(warehouse, CHAIN))


def funded(index: Index, mint: Keypair, minter: Keypair, program: Pubkey = TOKEN_2022) -> None:
    """Mint 1,000 base units for the minter."""
    account = open_account(index.recorder, mint.pubkey(), minter.pubkey(), program)
    assert mint_to(index.recorder, mint.pubkey(), account, minter, 1000, program)


def test_a_mint_is_known_exactly_from_its_first_block_on(index: Index) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, "ONE")
    funded(index, mint, minter)
    first = index.recorder.block()
    assert index.recorder.send([renamed(mint.pubkey(), minter.pubkey(), "TWO")], minter)
    index.add(first, second := index.recorder.block())
    address = bytes(mint.pubkey())
    assert index.rows(address) == [
        (first.slot, "ONE token", "ONE", "ok"),
        (second.slot, "ONE token", "TWO", "ok"),
    ]
    found = index.newest(address)
    assert (found["program"], found["decimals"], found["total_supply_raw"]) == ("token_2022", 6, None)
    assert (found["first_block"], found["traits"]) == (first.slot, [])
    assert index.controls(address, "update_authority") == [(first.slot, bytes(minter.pubkey()).hex())]
    assert index.node.asked == []


def test_a_change_long_after_begins_from_the_row_before(index: Index) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, "ONE")
    index.add(index.recorder.block())
    index.restart()
    assert index.recorder.send([renamed(mint.pubkey(), minter.pubkey(), "TWO")], minter)
    index.add(changed := index.recorder.block())
    assert index.rows(bytes(mint.pubkey()))[-1] == (changed.slot, "ONE token", "TWO", "ok")
    assert index.newest(bytes(mint.pubkey()))["first_block"] < changed.slot
    assert index.node.asked == []


def test_rows_do_not_depend_on_how_blocks_are_cut_into_units(index: Index, warehouse: Warehouse) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, "ONE")
    blocks = [index.recorder.block()]
    for symbol in ("TWO", "TWO", "THREE"):
        assert index.recorder.send([renamed(mint.pubkey(), minter.pubkey(), symbol)], minter)
        blocks.append(index.recorder.block())
    for one in blocks:
        index.add(one)
    apart = index.rows(bytes(mint.pubkey()))
    warehouse.command("TRUNCATE TABLE fact_token")
    index.restart()
    index.unit = 100
    index.add(*blocks)
    assert index.rows(bytes(mint.pubkey())) == apart
    assert [symbol for _, _, symbol, _ in apart] == ["ONE", "TWO", "THREE"]


def earlier_mint(index: Index, symbol: str = "OLD") -> tuple[Keypair, Keypair, DecodedBlock]:
    """A mint whose beginning is not indexed, its minter, and a block in which its tokens move."""
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, symbol)
    index.recorder.block()
    funded(index, mint, minter)
    return mint, minter, index.recorder.block()


def test_a_mint_from_before_the_index_is_read_at_a_final_slot(index: Index) -> None:
    mint, minter, moved = earlier_mint(index)
    index.add(moved, final=moved.slot - 1)
    assert index.rows(bytes(mint.pubkey())) == [(moved.slot, "", "", "unread")]
    assert index.newest(bytes(mint.pubkey()))["decimals"] == 6
    assert index.node.asked == []  # the node's final state is from before
    index.node.slot = moved.slot + 1
    index.add(index.recorder.block(), index.recorder.block(), final=moved.slot + 1)
    address = bytes(mint.pubkey())
    assert index.rows(address)[1:] == [(moved.slot + 1, "OLD token", "OLD", "ok")]
    assert index.newest(address)["total_supply_raw"] == 1000
    for kind in ("mint_authority", "update_authority", "metadata_pointer_authority"):
        assert index.controls(address, kind) == [(moved.slot + 1, bytes(minter.pubkey()).hex())]
    assert index.controls(address, "freeze_authority") == []
    index.node.asked.clear()
    index.add(index.recorder.block(), final=moved.slot + 3)
    assert index.node.asked == []  # once is enough


def test_an_index_that_is_behind_asks_for_nothing(index: Index) -> None:
    mint, _, moved = earlier_mint(index)
    index.node.slot = moved.slot + 1000
    index.add(moved, final=moved.slot + 1000)
    assert index.node.asked == []
    assert index.rows(bytes(mint.pubkey())) == [(moved.slot, "", "", "unread")]


def test_what_the_node_says_is_never_stored_for_an_earlier_block(index: Index) -> None:
    mint, _, moved = earlier_mint(index)
    index.node.slot = moved.slot + 2  # the node is ahead of the unit
    index.add(moved, final=moved.slot)
    assert index.rows(bytes(mint.pubkey())) == [(moved.slot, "", "", "unread")]
    index.add(index.recorder.block(), index.recorder.block(), final=moved.slot + 1)
    assert index.rows(bytes(mint.pubkey()))[1:] == [(moved.slot + 2, "OLD token", "OLD", "ok")]


def test_mints_that_are_not_read_yet_survive_a_restart(index: Index) -> None:
    mint, _, moved = earlier_mint(index)
    index.add(moved)
    index.restart()
    index.node.slot = moved.slot + 1
    index.add(index.recorder.block(), final=moved.slot + 1)
    assert index.rows(bytes(mint.pubkey()))[-1] == (moved.slot + 1, "OLD token", "OLD", "ok")


@pytest.mark.parametrize("change", ["symbol", "authority"])
def test_a_reading_from_before_a_change_is_not_used(index: Index, change: str) -> None:
    mint, minter, moved = earlier_mint(index)
    address, heir = mint.pubkey(), index.recorder.wallet()
    index.add(moved)
    state = index.recorder.svm.get_account(address)
    assert state is not None
    if change == "symbol":
        assert index.recorder.send([renamed(address, minter.pubkey(), "NEW")], minter)
    else:
        assert index.recorder.send([governed(address, TOKEN_2022, 0, minter.pubkey(), heir.pubkey())], minter)
    changed, now = index.recorder.block(), index.recorder.svm.get_account(address)
    assert now is not None
    index.recorder.svm.set_account(address, state)
    index.node.slot = moved.slot
    index.add(changed, final=moved.slot)
    assert index.rows(bytes(address))[-1] == (changed.slot, "", "", "unread")
    index.recorder.svm.set_account(address, now)
    index.node.slot = changed.slot + 1
    index.add(index.recorder.block(), final=changed.slot + 1)
    assert index.rows(bytes(address))[-1][2:] == ("NEW" if change == "symbol" else "OLD", "ok")
    said = (changed.slot, heir) if change == "authority" else (changed.slot + 1, minter)  # by an instruction, or read
    assert index.controls(bytes(address), "mint_authority") == [(said[0], bytes(said[1].pubkey()).hex())]


def test_extensions_of_a_mint_from_before_are_read(index: Index) -> None:
    payer, mint = index.recorder.payer, Keypair()
    hook = Keypair().pubkey()
    made = [
        opened(payer.pubkey(), mint.pubkey(), TOKEN_2022, [64, 32, 33]),
        of_mint(mint.pubkey(), b"\x24\x00" + bytes(payer.pubkey()) + bytes(hook)),
        of_mint(mint.pubkey(), b"\x23" + bytes(payer.pubkey())),
        of_mint(mint.pubkey(), b"\x2c\x00" + bytes(payer.pubkey())),
        initialised(mint.pubkey(), TOKEN_2022, payer.pubkey()),
    ]
    assert index.recorder.send(made, mint)
    index.recorder.block()
    assert index.recorder.send([governed(mint.pubkey(), TOKEN_2022, 0, payer.pubkey(), None)])
    touched = index.recorder.block()
    index.node.slot = touched.slot
    index.add(touched, final=touched.slot)
    found = index.newest(bytes(mint.pubkey()))
    assert found["traits"] == ["pausable", "permanent_delegate", "transfer_hook"]
    assert found["read_status"] == "partial"  # it has no metadata
    assert index.controls(bytes(mint.pubkey()), "transfer_hook") == [(touched.slot, bytes(hook).hex())]


def set_metaplex(index: Index, mint: bytes, symbol: str, updater: bytes, address: bytes | None = None) -> bytes:
    """Put an account of Metaplex where it belongs, or elsewhere."""
    where = address or metaplex_address(mint)
    account = SvmAccount(
        SOL, metaplex_data(mint, f"{symbol} token", symbol, updater), Pubkey.from_string(METAPLEX_PROGRAM)
    )
    index.recorder.svm.set_account(Pubkey(where), account)
    return where


def test_metaplex_names_a_mint_of_spl_token(index: Index) -> None:
    creation = b"\x21" + data_v2("One token", "ONE") + b"\1\0"
    began = (Called(PLAIN_TEXT, ("mint",), b"\x14\x06" + raw("minter") + b"\0"),)
    created = Called(METAPLEX_PROGRAM, ("meta", "mint", "minter", "payer", "updater", "1" * 32), creation)
    opened_account = Called("1" * 32, ("payer", "mint"), bytes(52))
    index.add(block(Sent("payer", (opened_account, *began, created)), slot=7))
    assert index.rows(raw("mint")) == [(7, "One token", "ONE", "ok")]
    assert index.controls(raw("mint"), "update_authority") == [(7, raw("updater").hex())]
    account = set_metaplex(index, raw("mint"), "ONE", raw("updater"))
    changed = b"\x0f\1" + data_v2("Two token", "TWO") + b"\1" + raw("heir") + b"\0\0"
    update = Called(METAPLEX_PROGRAM, (key_of(account), "updater"), changed)
    index.add(block(Sent("payer", (update,)), slot=8))
    assert index.rows(raw("mint"))[1:] == [(8, "Two token", "TWO", "ok")]
    assert index.controls(raw("mint"), "update_authority")[1:] == [(8, raw("heir").hex())]


PLAIN_TEXT = str(PLAIN)


def key_of(address: bytes) -> str:
    return str(Pubkey(address))


def test_a_metaplex_account_at_another_address_names_nothing(index: Index) -> None:
    mint, _, moved = earlier_mint(index)
    forged = set_metaplex(index, bytes(mint.pubkey()), "USDC", raw("thief"), raw("forged"))
    changed = b"\x0f\1" + data_v2("USD Coin", "USDC") + b"\1" + raw("thief") + b"\0\0"
    index.add(moved)
    index.add(
        block(Sent("thief", (Called(METAPLEX_PROGRAM, (key_of(forged), "thief"), changed),)), slot=moved.slot + 1)
    )
    assert {symbol for _, _, symbol, _ in index.rows(bytes(mint.pubkey()))} == {""}


def test_where_the_pointer_names_the_mint_metaplex_says_nothing(index: Index) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, "ONE")
    began = index.recorder.block()
    index.add(began)
    creation = b"\x21" + data_v2("USD Coin", "USDC") + b"\1\0"
    accounts = (
        key_of(metaplex_address(bytes(mint.pubkey()))),
        key_of(bytes(mint.pubkey())),
        "minter",
        "payer",
        "thief",
        "1" * 32,
    )
    index.add(block(Sent("payer", (Called(METAPLEX_PROGRAM, accounts, creation),)), slot=began.slot + 1))
    assert [symbol for _, _, symbol, _ in index.rows(bytes(mint.pubkey()))] == ["ONE"]
    assert index.controls(bytes(mint.pubkey()), "update_authority") == [(began.slot, bytes(minter.pubkey()).hex())]


def test_a_pointer_elsewhere_leaves_a_mint_without_symbol(index: Index) -> None:
    minter, mint = index.recorder.wallet(), Keypair()
    address, authority = mint.pubkey(), minter.pubkey()
    made = [
        opened(authority, address, TOKEN_2022, [64]),
        pointed(address, authority, Keypair().pubkey()),
        initialised(address, TOKEN_2022, authority),
        named(address, authority, "USD Coin", "USDC"),
    ]
    assert index.recorder.send(made, mint, payer=minter)
    began = index.recorder.block()
    index.add(began)
    assert index.rows(bytes(address)) == [(began.slot, "", "", "partial")]
    assert index.controls(bytes(address), "update_authority") == []


def test_another_pointer_ends_a_symbol_until_it_is_read(index: Index) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, "ONE")
    index.add(index.recorder.block())
    assert index.recorder.send([repointed(mint.pubkey(), minter.pubkey(), NOBODY)], minter)
    set_metaplex(index, bytes(mint.pubkey()), "TWO", raw("updater"))
    changed = index.recorder.block()
    index.node.slot = changed.slot
    index.add(changed)
    assert index.rows(bytes(mint.pubkey()))[1:] == [(changed.slot, "", "", "unread")]
    index.node.slot = changed.slot + 1
    index.add(index.recorder.block(), final=changed.slot + 1)
    assert index.rows(bytes(mint.pubkey()))[-1] == (changed.slot + 1, "TWO token", "TWO", "ok")
    holder = bytes(minter.pubkey()).hex()
    assert [account for _, account in index.controls(bytes(mint.pubkey()), "mint_authority")] == [holder]
    assert [account for _, account in index.controls(bytes(mint.pubkey()), "update_authority")] == [
        holder,
        raw("updater").hex(),
    ]


def test_a_closed_mint_loses_its_symbol_and_a_new_one_there_begins_anew(index: Index) -> None:
    minter, mint = index.recorder.wallet(), Keypair()
    address, authority = mint.pubkey(), minter.pubkey()
    made = [
        opened(authority, address, TOKEN_2022, [64, 32]),
        pointed(address, authority, address),
        of_mint(address, b"\x19\x01" + bytes(authority)),
        initialised(address, TOKEN_2022, authority),
        named(address, authority, "One", "ONE"),
    ]
    assert index.recorder.send(made, mint, payer=minter)
    index.add(first := index.recorder.block())
    close = models.CloseAccountParams(
        program_id=TOKEN_2022, account=address, dest=authority, owner=authority, signers=[]
    )
    assert index.recorder.send([spl.close_account(close)], minter)
    index.add(second := index.recorder.block())
    plain = [opened(authority, address, TOKEN_2022), initialised(address, TOKEN_2022, authority)]
    assert index.recorder.send(plain, mint, payer=minter)
    index.add(third := index.recorder.block())
    assert [(slot, symbol) for slot, _, symbol, _ in index.rows(bytes(address))] == [
        (first.slot, "ONE"), (second.slot, ""), (third.slot, ""),
    ]  # fmt: skip
    assert index.newest(bytes(address))["traits"] == []
    for kind, holders in (("mint_authority", [authority, None, authority]), ("update_authority", [authority, None])):
        found = [account for _, account in index.controls(bytes(address), kind)]
        assert found == ["" if holder is None else bytes(holder).hex() for holder in holders]


def test_extensions_of_an_earlier_transaction_are_not_missed(index: Index) -> None:
    payer, mint = index.recorder.payer.pubkey(), Keypair()
    delegated = of_mint(mint.pubkey(), b"\x23" + bytes(payer))
    assert index.recorder.send([opened(payer, mint.pubkey(), TOKEN_2022, [32]), delegated], mint)
    index.add(index.recorder.block())
    index.restart()
    assert index.recorder.send([initialised(mint.pubkey(), TOKEN_2022, payer)])
    began = index.recorder.block()
    index.node.slot = began.slot
    index.add(began, final=began.slot)
    assert "permanent_delegate" in index.newest(bytes(mint.pubkey()))["traits"]


@pytest.mark.parametrize(
    ("symbol", "shown"),
    [("US\u202eDC", "USDC"), (" A\x00B\n", "AB"), ("x" * 200, "x" * 64), ("\u200b", ""), ("ＵＳＤ", "ＵＳＤ")],
    ids=["direction", "control", "long", "invisible", "wide"],
)
def test_texts_are_made_safe_to_display(index: Index, symbol: str, shown: str) -> None:
    minter = index.recorder.wallet()
    mint = make_named_mint(index.recorder, minter, symbol)
    index.add(index.recorder.block())
    assert index.rows(bytes(mint.pubkey()))[0][2] == shown


def test_an_account_that_is_no_mint_any_more_is_not_asked_for_again(index: Index) -> None:
    held = Held("a1", "mint", 5, 4, "alice", program=TOKEN_2022_PROGRAM)
    index.node.slot = 7
    index.add(block(Sent("payer", (), (held,)), slot=7), final=7)
    assert index.rows(raw("mint")) == [(7, "", "", "partial")]
    assert key("mint") in index.node.asked
    index.node.asked.clear()
    index.restart()
    index.add(block(Sent("payer", (), (held,)), slot=8), final=8)
    assert index.node.asked == []


@pytest.mark.parametrize("program", [PLAIN, TOKEN_2022])
def test_a_mint_without_metadata_is_partial(index: Index, program: Pubkey) -> None:
    mint = make_mint(index.recorder, program, index.recorder.payer.pubkey())
    began = index.recorder.block()
    index.add(began)
    assert index.rows(bytes(mint.pubkey())) == [(began.slot, "", "", "partial")]
