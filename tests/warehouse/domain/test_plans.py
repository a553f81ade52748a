from itertools import pairwise

from warehouse.domain.plans import DEFAULT_PLAN, PLANS, is_upgrade


def test_plans_are_in_order() -> None:
    assert DEFAULT_PLAN == "free"
    assert all(is_upgrade(smaller, larger) for smaller, larger in pairwise(PLANS))
    assert not is_upgrade("pro", "pro")
    assert not is_upgrade("enterprise", "free")
