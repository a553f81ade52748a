"""Mints in real transactions of SPL Token and Token-2022, and in instructions of Metaplex as it publishes them."""

import struct
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token import instructions as spl
from spl.token import models

from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders.frame import scope_of
from indexer.chains.solana.decoders.mint_events import (
    EVENTS,
    Authorised,
    Closed,
    Governed,
    Happening,
    Initialised,
    MetadataSource,
    Named,
    OfAccount,
    Opened,
    Pointed,
    TraitSet,
    Unclear,
)
from indexer.chains.solana.decoders.mints import decode
from indexer.chains.solana.mint_accounts import METAPLEX_PROGRAM
from tests.factories.solana_blocks import Called, Held, Sent, block, raw
from tests.fixtures.solana_mints import (
    NOBODY,
    PLAIN,
    TOKEN_2022,
    authorised,
    governed,
    initialised,
    make_mint,
    make_named_mint,
    mint_to,
    of_mint,
    open_account,
    opened,
    renamed,
    repointed,
)
from tests.fixtures.solana_recorder import Recorder
from warehouse.chains import facts
from warehouse.domain.mints import MintTrait, TokenProgram

SOLANA = facts.load(None).by_key["solana"]
SCOPE = scope_of(SOLANA)
(PUMP,) = SOLANA.creator_programs


@pytest.fixture(scope="module")
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture(autouse=True)
def _own_block(recorder: Recorder) -> None:
    recorder.block()


def controls(decoded: DecodedBlock) -> list[tuple[bytes, str, bytes, bytes, bool]]:
    """(mint, kind, previous account, account, signed) of each row."""
    columns = decode(decoded, SCOPE).get("fact_control")
    if columns is None:
        return []
    kinds = [kind.decode() for kind in columns["kind"]]
    parts = (columns["address"], kinds, columns["previous_account"], columns["account"], columns["signed"])
    return list(zip(*parts, strict=True))


def creations(decoded: DecodedBlock) -> list[tuple[bytes, bytes, bytes, bytes]]:
    """(mint, creator, factory, called) of each row."""
    columns = decode(decoded, SCOPE).get("fact_contract_creation")
    names = ("address", "creator", "factory", "transaction_to")
    return list(zip(*(columns[name] for name in names), strict=True)) if columns else []


def events(decoded: DecodedBlock) -> list[Happening]:
    """Events, without those that only say that a row of fact_control exists."""
    found = decode(decoded, SCOPE).get(EVENTS, {"event": []})["event"]
    return [event for event in found if not isinstance(event, Governed)]


@pytest.mark.parametrize("program", [PLAIN, TOKEN_2022])
def test_a_mint_begins(recorder: Recorder, program: Pubkey) -> None:
    minter, freezer, mint = Keypair().pubkey(), recorder.payer.pubkey(), Keypair()
    made = [
        opened(recorder.payer.pubkey(), mint.pubkey(), program),
        initialised(mint.pubkey(), program, minter, freezer),
    ]
    assert recorder.send(made, mint)
    found, address = recorder.block(), bytes(mint.pubkey())
    kind = TokenProgram.SPL_TOKEN if program == PLAIN else TokenProgram.TOKEN_2022
    assert events(found) == [Opened(address, found.slot), Initialised(address, found.slot, kind, 6, whole=True)]
    assert creations(found) == [(address, bytes(recorder.payer.pubkey()), b"", b"")]
    assert controls(found) == [
        (address, "mint_authority", b"", bytes(minter), False),
        (address, "freeze_authority", b"", bytes(freezer), True),
    ]
    columns = decode(found, SCOPE)["fact_control"]
    assert columns["log_index"] == [0, 1]
    assert columns["transaction_hash"] == [found.transactions[0].signature] * 2


def test_whoever_pays_for_anothers_mint_is_not_its_creator(recorder: Recorder) -> None:
    minter, mint = Keypair(), Keypair()
    payer = recorder.payer.pubkey()
    made = [
        opened(payer, mint.pubkey(), PLAIN),
        initialised(mint.pubkey(), PLAIN, minter.pubkey()),
        governed(mint.pubkey(), PLAIN, 0, minter.pubkey(), None),
    ]
    assert recorder.send(made, mint, minter)
    assert creations(recorder.block()) == [(bytes(mint.pubkey()), b"", b"", b"")]


def test_whoever_initialises_anothers_account_is_not_its_creator(recorder: Recorder) -> None:
    thief, mint = recorder.wallet(), Keypair()
    assert recorder.send([opened(recorder.payer.pubkey(), mint.pubkey(), PLAIN)], mint)
    assert recorder.send([initialised(mint.pubkey(), PLAIN, thief.pubkey())], payer=thief)
    found = recorder.block()
    assert creations(found) == [(bytes(mint.pubkey()), b"", b"", b"")]
    began = events(found)[-1]
    assert isinstance(began, Initialised)
    assert not began.whole


def test_authorities_change_and_are_given_up(recorder: Recorder) -> None:
    minter, heir = recorder.wallet(), recorder.wallet()
    mint = make_mint(recorder, PLAIN, minter.pubkey())
    recorder.block()
    assert recorder.send([governed(mint.pubkey(), PLAIN, 0, minter.pubkey(), heir.pubkey())], minter)
    assert recorder.send([governed(mint.pubkey(), PLAIN, 0, heir.pubkey(), None)], heir)
    assert not recorder.send([governed(mint.pubkey(), PLAIN, 0, heir.pubkey(), heir.pubkey())], heir)
    found, address = recorder.block(), bytes(mint.pubkey())
    assert controls(found) == [
        (address, "mint_authority", bytes(minter.pubkey()), bytes(heir.pubkey()), False),
        (address, "mint_authority", bytes(heir.pubkey()), b"", False),
    ]
    assert decode(found, SCOPE)[EVENTS]["event"] == [Governed(address, found.slot)] * 2


def test_trailing_bytes_hide_no_change_of_authority(recorder: Recorder) -> None:
    minter = recorder.wallet()
    mint = make_mint(recorder, PLAIN, minter.pubkey())
    recorder.block()
    change = governed(mint.pubkey(), PLAIN, 0, minter.pubkey(), None)
    padded = type(change)(change.program_id, bytes(change.data) + bytes(7), change.accounts)  # as long as a transfer
    assert recorder.send([padded], minter)
    assert controls(recorder.block()) == [(bytes(mint.pubkey()), "mint_authority", bytes(minter.pubkey()), b"", False)]


def test_moving_and_minting_tokens_changes_no_mint(recorder: Recorder) -> None:
    minter = recorder.wallet()
    for program in (PLAIN, TOKEN_2022):
        mint = make_mint(recorder, program, minter.pubkey())
        recorder.block()
        account = open_account(recorder, mint.pubkey(), minter.pubkey(), program)
        other = open_account(recorder, mint.pubkey(), recorder.payer.pubkey(), program)
        assert mint_to(recorder, mint.pubkey(), account, minter, 10**12, program)
        moved = models.TransferCheckedParams(
            program_id=program, source=account, mint=mint.pubkey(), dest=other, owner=minter.pubkey(),
            amount=10**12, decimals=6, signers=[],
        )  # fmt: skip
        assert recorder.send([spl.transfer_checked(moved)], minter)
        closed = models.CloseAccountParams(
            program_id=program, account=account, dest=minter.pubkey(), owner=minter.pubkey(), signers=[]
        )
        assert recorder.send([spl.close_account(closed)], minter)
        assert decode(recorder.block(), SCOPE) == {}


EXTENSIONS = [
    (b"\x19\x01", 32, MintTrait.CLOSEABLE, "close_authority"),
    (b"\x1b\x00", 65, MintTrait.CONFIDENTIAL, "confidential_authority"),
    (b"\x21\x00", 52, MintTrait.INTEREST_BEARING, "interest_rate_authority"),
    (b"\x23", 32, MintTrait.PERMANENT_DELEGATE, "permanent_delegate"),
    (b"\x2b\x00", 56, MintTrait.SCALED_AMOUNT, "scaled_amount_authority"),
    (b"\x2c\x00", 33, MintTrait.PAUSABLE, "pause_authority"),
]
_REST = {
    MintTrait.CONFIDENTIAL: b"\1" + bytes(32),
    MintTrait.INTEREST_BEARING: b"\x0a\0",
    MintTrait.SCALED_AMOUNT: struct.pack("<d", 2.0),
}


@pytest.mark.parametrize(("tag", "size", "trait", "kind"), EXTENSIONS, ids=[trait for _, _, trait, _ in EXTENSIONS])
def test_an_extension_makes_a_trait_and_puts_somebody_in_charge(
    recorder: Recorder, tag: bytes, size: int, trait: MintTrait, kind: str
) -> None:
    payer, mint, holder = recorder.payer.pubkey(), Keypair(), Keypair().pubkey()
    extended = of_mint(mint.pubkey(), tag + bytes(holder) + _REST.get(trait, b""))
    made = [opened(payer, mint.pubkey(), TOKEN_2022, [size]), extended, initialised(mint.pubkey(), TOKEN_2022, payer)]
    assert recorder.send(made, mint)
    found, address = recorder.block(), bytes(mint.pubkey())
    assert TraitSet(address, found.slot, trait, True) in events(found)
    assert (address, kind, b"", bytes(holder), False) in controls(found)


def test_fees_hooks_frozen_accounts_and_bound_tokens_are_traits(recorder: Recorder) -> None:
    payer, mint, hook = recorder.payer.pubkey(), Keypair(), Keypair().pubkey()
    address = mint.pubkey()
    fees = models.InitializeTransferFeeConfigParams(
        program_id=TOKEN_2022, mint=address, transfer_fee_config_authority=payer, withdraw_withheld_authority=None,
        transfer_fee_basis_points=100, maximum_fee=10**9,
    )  # fmt: skip
    made = [
        opened(payer, address, TOKEN_2022, [108, 64, 1, 0]),
        spl.initialize_transfer_fee_config(fees),
        of_mint(address, b"\x24\x00" + bytes(payer) + bytes(hook)),
        of_mint(address, b"\x1c\x00\x02"),
        of_mint(address, b"\x20"),
        initialised(address, TOKEN_2022, payer, payer),
    ]
    assert recorder.send(made, mint)
    found = recorder.block()
    traits = {event.trait for event in events(found) if isinstance(event, TraitSet) and event.holds}
    assert traits == {
        MintTrait.TRANSFER_FEE, MintTrait.TRANSFER_HOOK, MintTrait.DEFAULT_FROZEN, MintTrait.NON_TRANSFERABLE
    }  # fmt: skip
    held = {kind: account for _, kind, _, account, _ in controls(found)}
    assert held == {
        "transfer_fee_authority": bytes(payer), "withheld_fee_authority": b"",
        "transfer_hook_authority": bytes(payer), "transfer_hook": bytes(hook),
        "mint_authority": bytes(payer), "freeze_authority": bytes(payer),
    }  # fmt: skip


def test_a_permanent_delegate_can_be_given_up(recorder: Recorder) -> None:
    payer, mint = recorder.payer.pubkey(), Keypair()
    delegated = of_mint(mint.pubkey(), b"\x23" + bytes(payer))
    made = [opened(payer, mint.pubkey(), TOKEN_2022, [32]), delegated, initialised(mint.pubkey(), TOKEN_2022, payer)]
    assert recorder.send(made, mint)
    recorder.block()
    assert recorder.send([governed(mint.pubkey(), TOKEN_2022, 8, payer, None)])
    found, address = recorder.block(), bytes(mint.pubkey())
    assert events(found) == [TraitSet(address, found.slot, MintTrait.PERMANENT_DELEGATE, False)]
    assert controls(found) == [(address, "permanent_delegate", bytes(payer), b"", False)]


def test_metadata_in_the_mint_are_read_with_every_change(recorder: Recorder) -> None:
    minter, heir = recorder.wallet(), recorder.wallet()
    mint = make_named_mint(recorder, minter, "ONE")
    address, holder = bytes(mint.pubkey()), bytes(minter.pubkey())
    found = recorder.block()
    signature = found.transactions[0].signature
    own = MetadataSource.EXTENSION
    assert events(found)[1:] == [
        Pointed(address, found.slot, address),
        Initialised(address, found.slot, TokenProgram.TOKEN_2022, 6, whole=True),
        Named(address, found.slot, own, b"ONE token", b"ONE"),
        Authorised(address, found.slot, own, b"", holder, True, 3, signature),
    ]
    assert recorder.send([renamed(mint.pubkey(), minter.pubkey(), "TWO")], minter)
    assert recorder.send([authorised(mint.pubkey(), minter.pubkey(), bytes(heir.pubkey()))], minter)
    assert recorder.send([authorised(mint.pubkey(), heir.pubkey(), NOBODY)], heir)
    assert recorder.send([repointed(mint.pubkey(), minter.pubkey(), NOBODY)], minter)
    found = recorder.block()
    changed = events(found)
    assert changed[0] == Named(address, found.slot, own, None, b"TWO")
    assert [event.account for event in changed if isinstance(event, Authorised)] == [bytes(heir.pubkey()), b""]
    assert changed[-1] == Pointed(address, found.slot, b"")


def test_a_closed_mint_is_told_from_closed_token_accounts(recorder: Recorder) -> None:
    payer, mint = recorder.payer.pubkey(), Keypair()
    closable = of_mint(mint.pubkey(), b"\x19\x01" + bytes(payer))
    made = [opened(payer, mint.pubkey(), TOKEN_2022, [32]), closable, initialised(mint.pubkey(), TOKEN_2022, payer)]
    assert recorder.send(made, mint)
    recorder.block()
    close = models.CloseAccountParams(program_id=TOKEN_2022, account=mint.pubkey(), dest=payer, owner=payer, signers=[])
    assert recorder.send([spl.close_account(close)])
    found = recorder.block()
    signature = found.transactions[0].signature
    assert events(found) == [Closed(bytes(mint.pubkey()), found.slot, 0, signature)]
    assert recorder.send(made, mint)  # and is opened again
    found = recorder.block()
    assert events(found)[0] == Opened(bytes(mint.pubkey()), found.slot)


# What follows cannot run here: launchpads and Metaplex.

BEGUN = b"\x14\x06" + raw("minter") + b"\0"
DERIVED = bytes(Pubkey.find_program_address([b"mint-authority"], Pubkey.from_string(PUMP))[0])


def account_made(label: str) -> Called:
    return Called(SYSTEM_PROGRAM, ("payer", label), bytes(4) + bytes(48))


def test_a_mint_made_by_a_program_names_it_and_the_one_that_was_called() -> None:
    begun = b"\x14\x06" + bytes(Keypair().pubkey()) + b"\0"
    inner = (account_made("mint"), Called(TOKEN_PROGRAM, ("mint",), begun))
    launched = Called("router", ("payer",), b"", (Called("launchpad", ("payer",), b"", inner),))
    found = block(Sent("payer", (launched,)))
    assert creations(found) == [(raw("mint"), raw("payer"), raw("launchpad"), raw("router"))]


def of_a_program(*programs: str) -> list[bytes]:
    """The creator of a mint whose authority is derived from a program, made by calls of these programs, each by the
    one before."""
    calls: tuple[Called, ...] = (
        account_made("mint"),
        Called(TOKEN_PROGRAM, ("mint",), b"\x14\x06" + DERIVED + b"\0"),
    )
    for program in reversed(programs):
        calls = (Called(program, ("payer",), b"", calls),)
    return [creator for _, creator, _, _ in creations(block(Sent("payer", calls)))]


def test_whoever_pays_for_the_mint_of_a_bridge_or_a_vault_is_not_its_creator() -> None:
    assert of_a_program("bridge") == [b""]
    assert of_a_program("multisig", "token maker") == [b""]
    assert of_a_program() == [raw("payer")]  # its own choice, in its own transaction


def test_users_of_a_launchpad_that_makes_tokens_for_whoever_pays_are_creators() -> None:
    assert of_a_program(PUMP) == [raw("payer")]
    assert of_a_program("multisig", PUMP) == [b""]  # the vault is the launchpad's user
    assert of_a_program(PUMP, "bridge") == [b""]


def test_a_mint_in_a_batch_is_found() -> None:
    batch = b"\xff" + bytes([1, len(BEGUN)]) + BEGUN + bytes([2, 3]) + b"\x06\x00\x00"
    found = block(Sent("payer", (account_made("mint"), Called(TOKEN_PROGRAM, ("mint", "mint", "minter"), batch))))
    assert creations(found) == [(raw("mint"), raw("payer"), b"", b"")]
    assert controls(found)[-1] == (raw("mint"), "mint_authority", raw("minter"), b"", False)


def batches(program: str, accounts: tuple[str, ...], datas: list[bytes]) -> Called:
    """A program that sends batches of these instructions, each with the same accounts, as many as fit."""
    sent = []
    for start in range(0, len(datas), 127):
        part = datas[start : start + 127]
        data = b"\xff" + b"".join(bytes([len(accounts), len(one)]) + one for one in part)
        sent.append(Called(program, accounts * len(part), data))
    return Called("caller", (), b"", sent)


def given(kind: int, holder: str) -> bytes:
    return bytes([6, kind, 1]) + raw(holder)


@pytest.mark.parametrize("program", [TOKEN_PROGRAM, TOKEN_2022_PROGRAM])
def test_thousands_of_changes_in_a_transaction_are_their_net_change(program: str) -> None:
    changes = [given(number % 2, f"holder {number % 5}") for number in range(33 * 127)]
    found = block(
        Sent("payer", (batches(program, ("mint", "first"), changes),)),
        Sent("payer", (batches(program, ("mint", "holder 0"), [given(0, "heir")]),), name="next"),
    )
    last, before = (f"holder {number % 5}" for number in (len(changes) - 1, len(changes) - 2))
    assert controls(found) == [
        (raw("mint"), "freeze_authority", raw("first"), raw(before), False),
        (raw("mint"), "mint_authority", raw("first"), raw(last), False),
        (raw("mint"), "mint_authority", raw("holder 0"), raw("heir"), False),
    ]
    assert decode(found, SCOPE)["fact_control"]["log_index"] == [0, 1, 4096]


def test_as_many_changes_as_fit_are_each_a_row() -> None:
    changes = [given(0, f"holder {number % 5}") for number in range(4096)]
    found = block(Sent("payer", (batches(TOKEN_PROGRAM, ("mint", "first"), changes),)))
    assert decode(found, SCOPE)["fact_control"]["log_index"] == list(range(4096))


def test_a_mint_closed_again_and_again_in_a_transaction_is_closed_once() -> None:
    closings = batches(TOKEN_2022_PROGRAM, ("mint", "payer", "payer"), [b"\x09"] * 300)
    found = block(Sent("payer", (closings, batches(TOKEN_2022_PROGRAM, ("mint", "payer"), [given(0, "heir")]))))
    assert events(found) == [Closed(raw("mint"), found.slot, 0, found.transactions[0].signature)]
    assert decode(found, SCOPE)["fact_control"]["log_index"] == [17]


def test_failed_transactions_change_nothing() -> None:
    calls = (account_made("mint"), Called(TOKEN_PROGRAM, ("mint",), BEGUN))
    assert decode(block(Sent("payer", calls, failed=True)), SCOPE) == {}


def test_a_program_that_imitates_instructions_of_tokens_makes_no_mint() -> None:
    assert decode(block(Sent("payer", (Called("forger", ("mint",), BEGUN),))), SCOPE) == {}


def text(content: str, filled_to: int = 0) -> bytes:
    found = content.encode().ljust(filled_to, b"\0")
    return struct.pack("<I", len(found)) + found


def data_v2(name: str, symbol: str, *, creators: int = 0, collection: bool = False, uses: bool = False) -> bytes:
    listed = b"\1" + struct.pack("<I", creators) + bytes(34 * creators) if creators else b"\0"
    return (
        text(name) + text(symbol) + text("https://example.com") + bytes(2) + listed
        + (b"\1" + bytes(33) if collection else b"\0") + (b"\1" + bytes(17) if uses else b"\0")
    )  # fmt: skip


CREATE_V3 = ("meta", "mint", "minter", "payer", "updater", SYSTEM_PROGRAM)


@pytest.mark.parametrize("creators", [0, 5])
def test_metaplex_creates_metadata(creators: int) -> None:
    data = b"\x21" + data_v2("One token", "ONE", creators=creators) + b"\1\0"
    found = block(Sent("payer", (Called(METAPLEX_PROGRAM, CREATE_V3, data),), signers=("updater",)))
    source, signature = MetadataSource.METAPLEX, found.transactions[0].signature
    assert events(found) == [
        Named(raw("mint"), 7, source, b"One token", b"ONE"),
        Authorised(raw("mint"), 7, source, b"", raw("updater"), True, 0, signature),
    ]


@pytest.mark.parametrize(("standard", "item"), [(0, True), (1, False), (2, False), (4, True)])
def test_metaplex_creates_tokens_and_items(standard: int, item: bool) -> None:
    asset = (
        text("One token", 32) + text("ONE", 10) + text("", 200) + bytes(2) + b"\1" + struct.pack("<I", 1) + bytes(34)
    )
    data = b"\x2a\0" + asset + b"\0\1" + bytes([standard]) + bytes(5)
    accounts = ("meta", METAPLEX_PROGRAM, "mint", "minter", "payer", "updater")
    found = events(block(Sent("payer", (Called(METAPLEX_PROGRAM, accounts, data),))))
    assert (TraitSet(raw("mint"), 7, MintTrait.NON_FUNGIBLE, True) in found) == item
    called = next(event for event in found if isinstance(event, Named))
    assert called.symbol is not None
    assert called.symbol.rstrip(b"\0") == b"ONE"


@pytest.mark.parametrize("extra", [{}, {"collection": True}, {"uses": True}, {"creators": 2, "collection": True}])
def test_metaplex_changes_metadata_by_their_account(extra: dict[str, Any]) -> None:
    data = b"\x0f\1" + data_v2("Two", "TWO", **extra) + b"\1" + raw("heir") + b"\0\0"
    found = events(block(Sent("payer", (Called(METAPLEX_PROGRAM, ("meta", "updater"), data),))))
    assert [event.account for event in found if isinstance(event, OfAccount)] == [raw("meta")] * 2
    changed, handed_over = (event.event for event in found if isinstance(event, OfAccount))
    assert isinstance(changed, Named)
    assert changed.symbol == b"TWO"
    assert isinstance(handed_over, Authorised)
    assert (handed_over.previous, handed_over.account) == (raw("updater"), raw("heir"))


UPDATE = ("updater", METAPLEX_PROGRAM, METAPLEX_PROGRAM, "mint", "meta", METAPLEX_PROGRAM, "payer")


@pytest.mark.parametrize("version", [0, 1])
def test_metaplex_changes_metadata_by_version(version: int) -> None:
    texts = text("Two") + text("TWO") + text("") + bytes(2) + b"\0"
    data = bytes([50, version]) + b"\1" + raw("heir") + b"\1" + texts + bytes(8)
    found = events(block(Sent("payer", (Called(METAPLEX_PROGRAM, UPDATE, data),))))
    assert isinstance(found[0], Named)
    assert found[0].mint == raw("mint")
    assert isinstance(found[1], Authorised)
    assert found[1].account == raw("heir")


@pytest.mark.parametrize(
    ("accounts", "data", "expected"),
    [
        (UPDATE, b"\x32\x09", Unclear(raw("mint"), 7)),
        (UPDATE, b"\x32\0\1cut", Unclear(raw("mint"), 7)),
        (CREATE_V3, b"\x21" + struct.pack("<I", 2**32 - 1), Unclear(raw("mint"), 7)),
        (("meta", "updater"), b"\x0f\2", OfAccount(raw("meta"), Unclear(b"", 7))),
    ],
    ids=["unknown version", "cut short", "a length beyond the data", "no option"],
)
def test_metaplex_in_a_form_not_known_makes_the_mint_unclear(accounts: Any, data: bytes, expected: Happening) -> None:
    assert events(block(Sent("payer", (Called(METAPLEX_PROGRAM, accounts, data),)))) == [expected]


def test_an_edition_is_a_single_item() -> None:
    calls = (Called(METAPLEX_PROGRAM, ("edition", "mint", "updater", "minter"), b"\x11\1" + bytes(8)),)
    assert events(block(Sent("payer", calls))) == [TraitSet(raw("mint"), 7, MintTrait.NON_FUNGIBLE, True)]


def test_other_instructions_of_metaplex_say_nothing() -> None:
    calls = tuple(Called(METAPLEX_PROGRAM, ("meta", "owner"), bytes([kind])) for kind in (4, 7, 14, 49, 200))
    assert decode(block(Sent("payer", (*calls, Called(METAPLEX_PROGRAM, (), b"")))), SCOPE) == {}


def test_closing_a_token_account_of_token_2022_says_nothing() -> None:
    closed = Called(TOKEN_2022_PROGRAM, ("a1", "alice", "alice"), b"\x09")
    held = Held("a1", "mint", 0, None, "alice", program=TOKEN_2022_PROGRAM)
    assert decode(block(Sent("payer", (closed,), (held,))), SCOPE) == {}
