"""A short torture run with a fixed seed; ``make torture`` is the long one."""

from pathlib import Path

from tests.torture.killer import INDEXER
from tests.torture.run import Plan, torture
from tests.torture.service import STORE, WAREHOUSE

PLAN = Plan(
    seed=7, seconds=14.0, kills=6, reorganisations=6, weights=((INDEXER, 1), (WAREHOUSE, 1), (STORE, 1)), derived=False
)


def test_kills_faults_and_reorganisations_lose_and_double_nothing(tmp_path: Path) -> None:
    outcome = torture(PLAN, tmp_path)
    assert outcome.comparison.wrong == {}
    assert outcome.shortfalls() == []
    assert outcome.kills == {INDEXER: 2, WAREHOUSE: 2, STORE: 2}
    assert max(outcome.depths) >= 40
    assert outcome.comparison.units["reverted"] > 0
    assert outcome.comparison.compared["balances as on chain"] > 300
