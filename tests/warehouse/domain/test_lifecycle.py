from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from warehouse.domain.lifecycle import (
    GRACE_PERIOD,
    SymbolStatus,
    expiry_min_hours,
    heartbeat_status,
    in_grace_period,
    registration_status,
)

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)
OLD = NOW - timedelta(days=400)
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("minted_at", "expected"),
    [(NOW, True), (NOW - GRACE_PERIOD + SECOND, True), (NOW - GRACE_PERIOD, False), (OLD, False), (None, False)],
)
def test_the_grace_period_is_thirty_days(minted_at: datetime | None, expected: bool) -> None:
    assert timedelta(days=30) == GRACE_PERIOD
    assert in_grace_period(minted_at, NOW) is expected


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ("100", "healthy"), ("80", "healthy"), ("79.99", "moderate"), ("70", "moderate"), ("69.99", "at_risk"),
        ("60", "at_risk"), ("59.99", "inactive"), ("0", "inactive"),
    ],
)  # fmt: skip
def test_heartbeat_status_of_a_score(score: str, expected: str) -> None:
    assert heartbeat_status(Decimal(score), in_grace=False) == expected
    assert heartbeat_status(Decimal(score), in_grace=True) == "grace_period"


@pytest.mark.parametrize(
    ("minted_at", "score", "owned", "expected"),
    [
        (NOW, "10", True, SymbolStatus.GRACE_PERIOD),
        (OLD, "59.99", True, SymbolStatus.INACTIVE),
        (OLD, "60", False, SymbolStatus.CLAIMED),
        (OLD, "60", True, SymbolStatus.OWNED),
        (OLD, None, False, SymbolStatus.CLAIMED),
        (None, "10", False, SymbolStatus.INACTIVE),
    ],
)
def test_status_of_a_registration(
    minted_at: datetime | None, score: str | None, owned: bool, expected: SymbolStatus
) -> None:
    known = None if score is None else Decimal(score)
    assert registration_status(minted_at, known, NOW, owned=owned) is expected


def test_status_names_on_the_wire() -> None:
    assert [status.text for status in SymbolStatus] == [
        "available", "unclaimed", "grace_period", "claimed", "owned", "inactive",
    ]  # fmt: skip


def test_expiry_needs_nine_tenths_of_the_hours() -> None:
    assert expiry_min_hours(30) == 648
    assert expiry_min_hours(1) == 21
