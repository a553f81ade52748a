"""When a balance is more than half of the supply."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from api.claims.solana.control import holds_majority
from api.claims.solana.reading import MintReading
from indexer.chains.solana.accounts import SYSTEM_PROGRAM, TOKEN_PROGRAM, Account

AMOUNTS = st.integers(0, 2**64 - 1)


def reading(supply: int | None, balance: int | None, wallet: Account | None = None) -> MintReading:
    return MintReading(
        head_time=datetime(2026, 1, 1, tzinfo=UTC),
        exists=True,
        symbol="X",
        absence="",
        mint_authority=None,
        update_authority=None,
        supply_raw=supply,
        balance_raw=balance,
        wallet=wallet,
    )


@given(AMOUNTS, AMOUNTS)
def test_two_wallets_never_both_hold_the_majority(first: int, second: int) -> None:
    supply = first + second
    both = [holds_majority(reading(supply, balance)) for balance in (first, second)]
    assert both.count(True) == (first != second)


@given(AMOUNTS)
def test_an_encrypted_supply_proves_nothing(balance: int) -> None:
    assert holds_majority(reading(None, balance)) is False


def test_nothing_is_no_majority_of_nothing() -> None:
    assert holds_majority(reading(0, 0)) is False
    assert holds_majority(reading(5, None)) is None


def test_only_accounts_of_the_system_program_without_data_are_wallets() -> None:
    assert reading(1, 1).is_plain_wallet
    assert reading(1, 1, Account(SYSTEM_PROGRAM, 5, b"")).is_plain_wallet
    assert not reading(1, 1, Account(SYSTEM_PROGRAM, 5, bytes(80))).is_plain_wallet
    assert not reading(1, 1, Account(TOKEN_PROGRAM, 5, bytes(355))).is_plain_wallet
