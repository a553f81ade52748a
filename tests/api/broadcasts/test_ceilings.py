"""No window of a ceiling's length holds more broadcasts than it allows, whatever is sent and scheduled."""

from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from api.broadcasts.ceilings import ceilings_of, first_free, refusal

START = datetime(2026, 3, 1, tzinfo=UTC)
MINUTES = st.lists(st.integers(0, 20 * 24 * 60), max_size=60)


@settings(max_examples=50, deadline=None)
@given(MINUTES, st.sampled_from(["free", "pro"]), st.integers(-10, 10))
def test_no_window_ever_holds_too_many(minutes: list[int], plan: str, minted_days: int) -> None:
    minted_at = START + timedelta(days=minted_days)
    ceilings = ceilings_of(plan, minted_at, per_hour=3, per_day=10)
    accepted: list[datetime] = []
    for minute in minutes:
        at = START + timedelta(minutes=minute)
        refused = refusal(ceilings, accepted, at)
        if refused is None:
            accepted = sorted([*accepted, at])
        else:
            assert refused[1] > at
            assert refusal(ceilings, accepted, refused[1]) is None, "it can be sent when the answer says"
    for ceiling in ceilings:
        if ceiling.until is not None:
            continue
        for last, end in enumerate(accepted):
            begun = [one for one in accepted[: last + 1] if one > end - ceiling.window]
            assert len(begun) <= ceiling.most, ceiling.name


def test_a_page_in_its_first_week_sends_once_a_day() -> None:
    ceilings = ceilings_of("pro", START, per_hour=3, per_day=10)
    hour = timedelta(hours=1)
    assert first_free(ceilings, [START], START + hour) == START + timedelta(days=1)
    end = START + timedelta(days=7)
    assert first_free(ceilings, [end - hour], end - hour) == end, "then the other ceilings hold"
