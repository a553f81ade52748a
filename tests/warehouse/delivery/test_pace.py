"""Slow receivers do not take the places of quick ones."""

from uuid import UUID

from warehouse.delivery.pace import FIRST_WINDOW, MAX_WINDOW, Pace

A, B, C = (UUID(int=number) for number in (1, 2, 3))


def attempt(pace: Pace, id: UUID, *, succeeded: bool = True, seconds: float = 0.01) -> None:
    pace.begin(id)
    pace.end(id, succeeded=succeeded, seconds=seconds)


def test_an_unknown_receiver_starts_with_a_few() -> None:
    assert Pace().caps([A, B]) == [FIRST_WINDOW, FIRST_WINDOW]


def test_quick_answers_widen_the_window_and_failures_halve_it() -> None:
    pace = Pace()
    for _ in range(100):
        attempt(pace, A)
    assert pace.caps([A]) == [MAX_WINDOW]
    attempt(pace, A, succeeded=False)
    assert pace.caps([A]) == [MAX_WINDOW // 2]
    for _ in range(10):
        attempt(pace, A, succeeded=False)
    assert pace.caps([A]) == [1]
    assert pace.saturated() == []
    pace.begin(A)
    assert (pace.caps([A]), pace.saturated()) == ([0], [A])


def test_slow_receivers_share_half_of_the_places() -> None:
    pace = Pace(places=8, slow_places=2)
    for id in (A, B, C):
        attempt(pace, id, succeeded=False, seconds=5)
    caps = pace.caps([A, B, C, UUID(int=9)])
    assert sum(caps[:3]) == 2
    assert caps[3] == FIRST_WINDOW
    pace.begin(A)
    pace.begin(B)
    assert pace.caps([A, B, C]) == [0, 0, 0]
    assert set(pace.saturated()) == {A, B, C}
    pace.end(A, succeeded=True, seconds=0.1)
    assert pace.caps([A]) == [3]  # quick again, and no longer counted among the slow


def test_windows_never_exceed_the_free_places() -> None:
    pace = Pace(places=6, slow_places=3)
    assert pace.caps([A, B, C]) == [4, 2, 0]
    for _ in range(6):
        pace.begin(A)
    assert (pace.free, pace.caps([B])) == (0, [0])
    pace.cancel(A)
    assert (pace.free, pace.caps([B])) == (1, [1])
