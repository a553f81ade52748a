import pytest
from eth_utils.address import to_checksum_address
from hypothesis import given
from hypothesis import strategies as st

from warehouse.domain.addresses import (
    Address,
    AddressError,
    AddressFormat,
    address_text,
    checksum_address,
    digits_of,
    hash_text,
    is_base58_address,
    stored_from_digits,
    stored_text,
)

WRAPPED_SOL = "So11111111111111111111111111111111111111112"
WRAPPED_SOL_BYTES = bytes.fromhex("069b8857feab8184fb687f634618c035dac439dc1aeb3b5598a0f00000000001")
CHECKSUMMED = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"  # an example of EIP-55

addresses = st.one_of(st.binary(min_size=20, max_size=20), st.binary(min_size=32, max_size=32)).map(Address)


@given(addresses)
def test_every_text_form_parses_to_the_address(address: Address) -> None:
    for text in (address.stored, str(address)):
        assert Address.parse(text, address.format) == address
    assert address_text(address.raw.hex()) == checksum_address(address.stored) == str(address)
    assert stored_from_digits(address.raw.hex()) == address.stored
    assert digits_of(address.stored) == address.raw.hex()


@given(st.binary(min_size=20, max_size=20))
def test_checksums_are_those_of_eip_55(raw: bytes) -> None:
    assert str(Address(raw)) == to_checksum_address(raw)


def test_a_known_solana_address() -> None:
    assert Address.parse(WRAPPED_SOL, AddressFormat.BASE58).raw == WRAPPED_SOL_BYTES
    assert str(Address(WRAPPED_SOL_BYTES)) == WRAPPED_SOL
    assert checksum_address(WRAPPED_SOL) == WRAPPED_SOL


def test_hashes_are_written_as_the_chain_writes_its_addresses() -> None:
    assert hash_text("ab" * 32, AddressFormat.HEX) == "0x" + "ab" * 32
    assert (
        hash_text(bytes(Address.parse(WRAPPED_SOL, AddressFormat.BASE58).raw).hex(), AddressFormat.BASE58)
        == WRAPPED_SOL
    )
    signature = "1GMkH3brNXiNNs1tiFZHu4yZSRrzJwxi5wB9bHFtMinfCXNnR1adh8Vo8NTheK4evneedH4qmvjeqcBBNAefgS"
    assert hash_text(bytes(range(64)).hex(), AddressFormat.BASE58) == signature


@pytest.mark.parametrize("text", [CHECKSUMMED, CHECKSUMMED.lower(), "0x" + CHECKSUMMED[2:].upper()])
def test_stored_hex_is_lower_case(text: str) -> None:
    assert stored_text(text, AddressFormat.HEX) == CHECKSUMMED.lower()


@pytest.mark.parametrize(
    ("text", "form", "rule"),
    [
        (CHECKSUMMED.replace("aA", "Aa"), AddressFormat.HEX, "wrong checksum"),
        (CHECKSUMMED[:-1], AddressFormat.HEX, "40 hexadecimal digits"),
        (CHECKSUMMED + "\n", AddressFormat.HEX, "40 hexadecimal digits"),
        (WRAPPED_SOL, AddressFormat.HEX, "40 hexadecimal digits"),
        (CHECKSUMMED, AddressFormat.BASE58, "32 bytes in base58"),
        (WRAPPED_SOL[:-1], AddressFormat.BASE58, "32 bytes in base58"),
        (WRAPPED_SOL.replace("o", "0"), AddressFormat.BASE58, "32 bytes in base58"),
        (WRAPPED_SOL + "\n", AddressFormat.BASE58, "32 bytes in base58"),
        ("1" * 33, AddressFormat.BASE58, "32 bytes in base58"),
        ("", AddressFormat.BASE58, "32 bytes in base58"),
    ],
)
def test_refuses_malformed_addresses(text: str, form: AddressFormat, rule: str) -> None:
    with pytest.raises(AddressError, match=rule):
        stored_text(text, form)


@pytest.mark.parametrize("size", [0, 19, 21, 31, 33])
def test_refuses_other_lengths(size: int) -> None:
    with pytest.raises(AddressError, match="20 or 32 bytes"):
        Address(bytes(size))


@given(st.text(max_size=60))
def test_no_text_breaks_the_base58_check(text: str) -> None:
    assert is_base58_address(text) in (True, False)
