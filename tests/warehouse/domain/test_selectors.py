import pytest

from warehouse.domain import selectors


@pytest.mark.parametrize(
    ("name", "selector"),
    [
        ("NAME", "0x06fdde03"), ("SYMBOL", "0x95d89b41"), ("DECIMALS", "0x313ce567"), ("TOTAL_SUPPLY", "0x18160ddd"),
        ("BALANCE_OF", "0x70a08231"), ("OWNER", "0x8da5cb5b"), ("GET_OWNER", "0x893d20e8"),
    ],
)  # fmt: skip
def test_published_selectors(name: str, selector: str) -> None:
    assert getattr(selectors, name) == selector


def test_the_transfer_topic() -> None:
    topic = selectors.event_topic("Transfer(address,address,uint256)")
    assert topic.hex() == "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"


def test_balance_of_pads_the_account() -> None:
    expected = "0x70a08231" + "00" * 12 + "ab" * 20
    assert selectors.balance_of("0x" + "ab" * 20) == selectors.balance_of("ab" * 20) == expected
