"""A small run of the attacks with a fixed seed; ``make attacks`` is the long one."""

from pathlib import Path

import pytest

from tests.attacks.plan import HOURS, Kind, make_plan
from tests.attacks.run import run_attacks
from warehouse.domain.symbols import fold
from warehouse.engines import EngineUrls

ATTACKS = 22

pytestmark = pytest.mark.slow


async def test_no_copy_is_registered_and_nobody_else_is_refused(
    tmp_path: Path, warehouse_url: str, store_url: str
) -> None:
    plan = make_plan(14, ATTACKS)
    outcome = await run_attacks(plan, tmp_path, EngineUrls(warehouse_url, store_url), lambda share, what: None)
    assert outcome.registered_copies == []
    assert outcome.refused_originals == []
    assert outcome.blocked_namesakes == []
    assert sum(answers.total() for answers in outcome.answers.values()) == ATTACKS
    assert outcome.original_answers["registered"] == len(plan.originals)
    assert outcome.namesake_answers["registered"] == len(plan.namesakes)
    # Money beyond the bound does make a clone that may be registered.
    assert set(outcome.answers[Kind.BOUGHT]) == {"allowed"}


@pytest.mark.parametrize("seed", range(5))
def test_attacks_stay_within_the_stated_bounds(seed: int) -> None:
    plan = make_plan(seed, 330)
    assert {attack.kind for attack in plan.attacks} == set(Kind)
    assert len({fold(original.symbol) for original in plan.originals}) == len(plan.originals)
    for attack in plan.attacks:
        original = plan.originals[attack.original]
        assert fold(attack.symbol) == fold(original.symbol)
        if attack.kind is Kind.BOUGHT or attack.quote != "dollar":
            continue
        half = (original.depth_usd - 1_000) / 2
        long = [dollars for hour, dollars, half_hours in attack.deposits if min(half_hours / 2, HOURS - hour) >= 144]
        bought = 1 + attack.swaps / 2 / 20
        assert all(dollars * bought - 1_000 < half for dollars in long), attack


def test_a_seed_makes_the_same_plan() -> None:
    assert make_plan(3, 50) == make_plan(3, 50) != make_plan(4, 50)
