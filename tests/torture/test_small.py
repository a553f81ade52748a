"""A short torture with a fixed seed; ``make torture`` is the long one."""

from pathlib import Path

import pytest

from tests.torture.killer import INDEXER
from tests.torture.run import Plan, torture
from tests.torture.service import STORE, WAREHOUSE

PLAN = Plan(
    seed=7, seconds=14.0, kills=6, reorganisations=6, weights=((INDEXER, 1), (WAREHOUSE, 1), (STORE, 1)), derived=False
)


@pytest.mark.slow
def test_through_kills_faults_and_reorganisations_nothing_is_lost_and_nothing_doubled(tmp_path: Path) -> None:
    outcome = torture(PLAN, tmp_path)
    assert outcome.verdict.wrong == {}
    assert outcome.shortfalls() == []
    assert outcome.kills == {INDEXER: 2, WAREHOUSE: 2, STORE: 2}
    assert max(outcome.depths) >= 40
    assert outcome.verdict.units["reverted"] > 0
    assert outcome.verdict.compared["balances as on chain"] > 300
