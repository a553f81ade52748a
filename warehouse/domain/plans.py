"""The plans of accounts, smallest first. Their limits are settings (``api/limits``)."""

PLANS = ("free", "pro", "pro_plus", "developer", "partner", "enterprise")
DEFAULT_PLAN = PLANS[0]


def is_upgrade(before: str, after: str) -> bool:
    """Whether ``after`` is a larger plan than ``before``."""
    return PLANS.index(after) > PLANS.index(before)
