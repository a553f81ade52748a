"""Alert rules: what a rule can watch, how it compares, and which plan it needs. The routes, their errors, the
evaluation and docs/alerts.md read these declarations."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from warehouse.domain.chains import Chain
from warehouse.domain.plans import DEFAULT_PLAN, PLANS


class Operator(StrEnum):
    """How a reading is compared with a rule's threshold."""

    ABOVE = "gt"
    """The reading is greater than the threshold."""
    BELOW = "lt"
    """The reading is less than the threshold."""
    DROP = "pct_drop"
    """The reading fell by this many percent or more since the reading one time window earlier."""
    SPIKE = "pct_spike"
    """The reading rose by this many percent or more since the reading one time window earlier."""


class Severity(StrEnum):
    """How urgent an alert is."""

    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"


class Source(StrEnum):
    """The data that readings are made of. How far each has come is known separately."""

    HEARTBEATS = "heartbeats"
    HOLDERS = "holders"
    MARKET = "candles"
    CONCENTRATION = "concentration"
    COPIES = "copies"


RELATIVE: Final = frozenset({Operator.DROP, Operator.SPIKE})
"""Operators that compare with an earlier reading."""
ANY: Final = tuple(Operator)
EVALUATION_MINUTES: Final = 15
STEP_SECONDS: Final = EVALUATION_MINUTES * 60
"""Rules are judged at the multiples of this in unix time."""
MIN_MINUTES: Final = 5
MAX_MINUTES: Final = 30 * 24 * 60
DEFAULT_WINDOW_MINUTES: Final = 60
DEFAULT_COOLDOWN_MINUTES: Final = 60
_DAY_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertType:
    """What a rule watches.

    Args:
        name: as rules name it.
        title: as alerts name it.
        reading: what is read, with its unit.
        source: what it is read from.
        mart: where analysts find its history, as ``mart.column``.
        plan: the lowest plan that may have such rules.
        operators: those that it accepts.
        severity: of its alerts.
        most: the highest value that a reading can have; null: there is none.
        needs_registration: whether the token must be registered.
        is_sum: the reading is a sum over a period: the last 24 hours if ``sum_minutes`` says so, else the time window.
        sum_minutes: the length of that period; null: the rule's time window.
        max_age_minutes: a reading that is older is not judged; null: a reading holds until the next.
        window_minutes: the time window of rules that name none.
    """

    name: str
    title: str
    reading: str
    source: Source
    mart: str
    plan: str
    operators: tuple[Operator, ...] = ANY
    severity: Severity
    most: Decimal | None = None
    needs_registration: bool = False
    is_sum: bool = False
    sum_minutes: int | None = None
    max_age_minutes: int | None = None
    window_minutes: int = DEFAULT_WINDOW_MINUTES

    def is_read_on(self, chain: Chain) -> bool:
        """Whether the chain has what it is read from."""
        if not (chain.enabled and chain.can_index) or chain.claim_only:
            return False
        return chain.has_heartbeats if self.source is Source.HEARTBEATS else True

    def can_fire(self, operator: Operator, threshold: Decimal) -> bool:
        """Whether any reading reaches the threshold."""
        if operator is Operator.DROP:
            return threshold <= 100
        return operator is not Operator.ABOVE or self.most is None or threshold < self.most


_PERCENT = Decimal(100)
ALERT_TYPES: Final[Mapping[str, AlertType]] = {
    one.name: one
    for one in (
        AlertType(
            name="heartbeat_score",
            title="Heartbeat score",
            reading="the heartbeat score at the end of each hour, 0 to 100",
            source=Source.HEARTBEATS,
            mart="heartbeats.score",
            plan="free",
            severity=Severity.HIGH,
            most=_PERCENT,
            needs_registration=True,
        ),
        AlertType(
            name="holder_count_drop",
            title="Number of holders",
            reading="the number of holders at the end of each hour",
            source=Source.HOLDERS,
            mart="token_daily.holders",
            plan="pro",
            severity=Severity.HIGH,
        ),
        AlertType(
            name="liquidity_drop",
            title="Liquidity",
            reading="US dollars in the pools that count",
            source=Source.MARKET,
            mart="prices_hourly.liquidity_usd",
            plan="pro",
            severity=Severity.CRITICAL,
        ),
        AlertType(
            name="volume_anomaly",
            title="Volume",
            reading="US dollars traded in 24 hours",
            source=Source.MARKET,
            mart="prices_hourly.volume_usd",
            plan="pro",
            severity=Severity.MEDIUM,
            is_sum=True,
            sum_minutes=_DAY_MINUTES,
        ),
        AlertType(
            name="price_change",
            title="Price",
            reading="the price of a whole token in US dollars",
            source=Source.MARKET,
            mart="prices_hourly.price_close_usd",
            plan="pro",
            severity=Severity.HIGH,
        ),
        AlertType(
            name="top10_concentration",
            title="Share of the ten largest holders",
            reading="percent of all balances that the ten largest holders have at the end of a day",
            source=Source.CONCENTRATION,
            mart="token_daily.top10_share",
            plan="pro_plus",
            operators=(Operator.ABOVE, Operator.SPIKE),
            severity=Severity.HIGH,
            most=_PERCENT,
            max_age_minutes=2 * _DAY_MINUTES,
            window_minutes=_DAY_MINUTES,
        ),
        AlertType(
            name="copycat_detected",
            title="Copies found",
            reading="the number of copies of the token that were first seen in the time window",
            source=Source.COPIES,
            mart="tokens.is_copy",
            plan="pro_plus",
            severity=Severity.CRITICAL,
            needs_registration=True,
            is_sum=True,
            window_minutes=_DAY_MINUTES,
        ),
    )
}
"""Every type of alert, by name, in the order of the specification."""

_FREE_RULES: Final = 3
_PAID_RULES: Final = 50
RULES_OF_PLAN: Final[Mapping[str, int]] = {plan: _FREE_RULES if plan == DEFAULT_PLAN else _PAID_RULES for plan in PLANS}
"""How many rules an account may have."""
FEEDS_OF_PLAN: Final[Mapping[str, int]] = {
    "free": 1,
    "pro": 5,
    "pro_plus": 10,
    "developer": 25,
    "partner": 50,
    "enterprise": 100,
}
"""How many feeds of buys an account may have."""


def covers(plan: str, type: AlertType) -> bool:
    """Whether a plan includes alerts of a type."""
    return PLANS.index(plan) >= PLANS.index(type.plan)
