"""Which accounts speak for a mint, as far as their other mints tell."""

from hypothesis import given
from hypothesis import strategies as st

from tests.factories.mints import derived, wallet
from warehouse.domain.authorities import SHARED_ABOVE, Mark, has_key, speaks_for

marks = st.lists(
    st.builds(Mark, st.integers(0, 9), st.integers(0, 9), st.text("abcdefgh", min_size=2, max_size=3), st.booleans()),
    unique_by=lambda mark: mark.token,
    max_size=3 * SHARED_ABOVE,
)


def signed(count: int, first_block: int = 0) -> list[Mark]:
    return [Mark(first_block + n, 0, f"signed {n}", signed=True) for n in range(count)]


def named(count: int, first_block: int = 0) -> list[Mark]:
    return [Mark(first_block + n, 0, f"named {n}", signed=False) for n in range(count)]


def test_an_account_that_signed_for_many_speaks_for_none() -> None:
    few, many = signed(SHARED_ABOVE), signed(SHARED_ABOVE + 1)
    assert all(speaks_for(mark.token, few) for mark in few)
    assert not any(speaks_for(mark.token, many) for mark in many)
    late = Mark(99, 0, "late", signed=False)
    assert speaks_for("late", [*few, late])
    assert not speaks_for("late", [*many, late])


def test_being_named_in_many_mints_counts_against_later_ones_only() -> None:
    junk = named(3 * SHARED_ABOVE, first_block=1)
    own, agreed = Mark(0, 0, "own", signed=False), Mark(999, 0, "agreed", signed=True)
    everything = [own, *junk, agreed]
    assert speaks_for("own", everything)
    assert speaks_for("agreed", everything)
    assert [speaks_for(mark.token, everything) for mark in junk] == [True] * (SHARED_ABOVE - 1) + [False] * (
        2 * SHARED_ABOVE + 1
    )


def test_an_account_does_not_speak_for_what_it_was_never_put_in_charge_of() -> None:
    assert not speaks_for("other", signed(2))
    assert not speaks_for("other", [])


@given(marks, marks)
def test_others_can_only_take_away_from_mints_that_come_later(before: list[Mark], added: list[Mark]) -> None:
    """Whatever is added without the account's signature, what it spoke for before stays."""
    known = {mark.token for mark in before}
    later = [
        Mark(mark.block + 100, mark.position, mark.token, signed=False) for mark in added if mark.token not in known
    ]
    for mark in before:
        assert speaks_for(mark.token, before) == speaks_for(mark.token, [*before, *later])


def test_derived_addresses_have_no_key() -> None:
    assert has_key(bytes.fromhex(wallet("anyone")))
    assert not has_key(bytes.fromhex(derived("vault")))
