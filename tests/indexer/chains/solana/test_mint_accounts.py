"""What the accounts of a mint say, and which metadata count."""

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from indexer.chains.solana.accounts import TOKEN_2022_PROGRAM, TOKEN_PROGRAM
from indexer.chains.solana.mint_accounts import (
    METAPLEX_PROGRAM,
    Metadata,
    TokenStandard,
    is_single_item,
    metaplex_address,
    read_metaplex,
    read_mint,
    trusted_metadata,
)
from tests.factories.mint_accounts import extended, metaplex_data, mint_data, own_metadata_data, pointer_data

MINT, OTHER, AUTHORITY = (bytes([n]) * 32 for n in (1, 2, 3))


def trusted(data: bytes, metaplex: Metadata | None = None, program: str = TOKEN_2022_PROGRAM) -> Metadata | None:
    mint = read_mint(program, data)
    assert mint is not None
    return trusted_metadata(MINT, mint, metaplex)


@pytest.mark.parametrize("program", [TOKEN_PROGRAM, TOKEN_2022_PROGRAM])
def test_a_plain_mint(program: str) -> None:
    mint = read_mint(program, mint_data(supply=7, decimals=6, mint_authority=AUTHORITY, freeze_authority=OTHER))
    assert mint is not None
    assert (mint.program, mint.supply_raw, mint.decimals) == (program, 7, 6)
    assert (mint.mint_authority, mint.freeze_authority, mint.extensions) == (AUTHORITY, OTHER, {})
    without = read_mint(program, mint_data())
    assert without is not None
    assert (without.mint_authority, without.freeze_authority) == (b"", b"")


@pytest.mark.parametrize(
    ("program", "data"),
    [
        (TOKEN_PROGRAM, b""),
        (TOKEN_PROGRAM, mint_data(initialised=0)),
        (TOKEN_PROGRAM, bytes(165)),
        (TOKEN_PROGRAM, extended()),
        (TOKEN_PROGRAM, b"\1" * 355),
        (TOKEN_2022_PROGRAM, b"\1" * 165),
        (TOKEN_2022_PROGRAM, extended(kind=2)),
        (TOKEN_2022_PROGRAM, mint_data() + bytes(50)),
        (str(Pubkey.default()), mint_data()),
        (METAPLEX_PROGRAM, mint_data()),
    ],
    ids=[
        "empty",
        "uninitialised",
        "account",
        "extended",
        "multisig",
        "account 2022",
        "account with extensions",
        "length",
        "wallet",
        "metaplex",
    ],
)
def test_what_is_not_a_mint(program: str, data: bytes) -> None:
    assert read_mint(program, data) is None


def test_a_mint_that_points_to_itself() -> None:
    data = extended({18: pointer_data(MINT), 19: own_metadata_data(MINT, "Name", "SYM", AUTHORITY)})
    assert trusted(data) == Metadata(MINT, AUTHORITY, "Name", "SYM")
    assert trusted(data, Metadata(MINT, OTHER, "Other", "OTHER")) == Metadata(MINT, AUTHORITY, "Name", "SYM")


@pytest.mark.parametrize(
    "extensions",
    [
        {19: own_metadata_data(MINT, "Name", "SYM", AUTHORITY)},
        {18: pointer_data(OTHER), 19: own_metadata_data(MINT, "Name", "SYM", AUTHORITY)},
        {18: pointer_data(MINT), 19: own_metadata_data(OTHER, "Name", "SYM", AUTHORITY)},
        {18: pointer_data(MINT)},
        {18: pointer_data(MINT), 19: own_metadata_data(MINT, "Name", "SYM", AUTHORITY)[:74]},
        {18: pointer_data(MINT), 19: b""},
    ],
    ids=["no pointer", "pointer elsewhere", "another mint's", "absent", "cut", "empty"],
)
def test_metadata_that_do_not_count(extensions: dict[int, bytes]) -> None:
    assert trusted(extended(extensions)) is None


def test_metaplex_metadata_count_for_their_mint_alone() -> None:
    found = read_metaplex(METAPLEX_PROGRAM, metaplex_data(MINT, "Name", "SYM", AUTHORITY, standard=2))
    assert found == Metadata(MINT, AUTHORITY, "Name", "SYM", TokenStandard.FUNGIBLE)
    for data in (
        mint_data(),
        extended({18: pointer_data(metaplex_address(MINT))}),
        extended({18: pointer_data(bytes(32))}),
    ):
        assert trusted(data, found) == found
    assert trusted(mint_data(), found, TOKEN_PROGRAM) == found
    strange = read_metaplex(METAPLEX_PROGRAM, metaplex_data(OTHER, "Name", "SYM", AUTHORITY))
    assert trusted(mint_data(), strange) is None


@pytest.mark.parametrize(
    ("owner", "changed"),
    [
        (TOKEN_PROGRAM, {}),
        (str(Pubkey.default()), {}),
        (METAPLEX_PROGRAM, {"key": 6}),
        (METAPLEX_PROGRAM, {"key": 0}),
    ],
)
def test_what_is_not_metaplex_metadata(owner: str, changed: dict[str, Any]) -> None:
    assert read_metaplex(owner, metaplex_data(MINT, "Name", "SYM", AUTHORITY, **changed)) is None


def test_lengths_that_lead_out_of_the_account() -> None:
    data = metaplex_data(MINT, "Name", "SYM", AUTHORITY)
    assert read_metaplex(METAPLEX_PROGRAM, data[:65] + struct.pack("<I", 2**32 - 1) + data[69:]) is None
    assert read_metaplex(METAPLEX_PROGRAM, data[:60]) is None


def test_text_that_is_not_utf8_is_empty() -> None:
    found = read_metaplex(METAPLEX_PROGRAM, metaplex_data(MINT, b"\xff\xfe", b"SY\xc3", AUTHORITY))
    assert found == Metadata(MINT, AUTHORITY, "", "")


@pytest.mark.parametrize(
    ("mint", "standard", "single"),
    [
        ({"supply": 1, "decimals": 0}, None, True),
        ({"supply": 1, "decimals": 0, "mint_authority": AUTHORITY}, None, False),
        ({"supply": 1, "decimals": 0, "mint_authority": AUTHORITY}, 0, True),
        ({"supply": 10**15, "decimals": 6}, 4, True),
        ({"supply": 10**15, "decimals": 0}, 1, False),
        ({"supply": 10**15, "decimals": 6}, 2, False),
        ({"supply": 10**15, "decimals": 6}, None, False),
    ],
)
def test_collectibles_are_told_apart(mint: dict[str, Any], standard: int | None, single: bool) -> None:
    found = read_mint(TOKEN_PROGRAM, mint_data(**mint))
    assert found is not None
    metadata = read_metaplex(METAPLEX_PROGRAM, metaplex_data(MINT, "N", "S", AUTHORITY, standard=standard, creators=3))
    assert metadata is not None
    assert is_single_item(found, metadata) is single


@settings(max_examples=50)
@given(st.binary(max_size=400), st.sampled_from([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]))
def test_no_bytes_break_the_readers(data: bytes, program: str) -> None:
    for head in (data, mint_data() + bytes(83) + b"\1" + data):
        mint = read_mint(program, head)
        if mint is not None:
            trusted_metadata(MINT, mint, None)
    read_metaplex(METAPLEX_PROGRAM, b"\4" + data)
    read_metaplex(METAPLEX_PROGRAM, b"\4" + AUTHORITY + MINT + struct.pack("<I", 1) + b"N" + data)
