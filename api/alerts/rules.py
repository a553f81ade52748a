"""What a rule may say, in the order in which it is refused. A rule that could never fire is refused before the plan
is looked at."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from api.alerts.errors import (
    ChainUnsupported,
    InvalidAlertType,
    InvalidThresholdOperator,
    ThresholdOutOfReach,
    TierRequired,
)
from api.http.addresses import chain_address
from api.http.errors import InvalidInput
from api.vendors.messages import Channel
from warehouse.domain.alerts import ALERT_TYPES, AlertType, Operator, covers
from warehouse.domain.chains import Chain, Chains


@dataclass(frozen=True, slots=True)
class Terms:
    """What a rule watches, when it fires, and over which channels its owner is told."""

    type: AlertType
    operator: Operator
    threshold: Decimal
    window_minutes: int
    cooldown_minutes: int
    channels: tuple[str, ...]

    def columns(self) -> dict[str, Any]:
        """Its columns in the store."""
        return {
            "alert_type": self.type.name,
            "operator": self.operator.value,
            "threshold": self.threshold,
            "window_minutes": self.window_minutes,
            "cooldown_minutes": self.cooldown_minutes,
            "channels": list(self.channels),
        }


def read_type(name: str) -> AlertType:
    """The type of alert with a name.

    Raises:
        InvalidAlertType: there is none; it names those that there are.
    """
    if name not in ALERT_TYPES:
        raise InvalidAlertType.of(ALERT_TYPES)
    return ALERT_TYPES[name]


def read_operator(type: AlertType, name: str) -> Operator:
    """An operator of a type of alert.

    Raises:
        InvalidThresholdOperator: the type does not accept it; it names those that it accepts.
    """
    if name not in type.operators:
        raise InvalidThresholdOperator.of(type)
    return Operator(name)


def read_terms(
    *,
    alert_type: str,
    operator: str,
    threshold: float | Decimal,
    window_minutes: int | None,
    cooldown_minutes: int,
    channels: Sequence[str],
) -> Terms:
    """What a rule watches, when it fires, and over which channels its owner is told.

    Raises:
        InvalidInput: the channels are without ``inapp``.
        InvalidAlertType, InvalidThresholdOperator: a name is not known, or not accepted.
        ThresholdOutOfReach: no reading can reach the threshold.
    """
    type = read_type(alert_type)
    chosen = read_operator(type, operator)
    value = threshold if isinstance(threshold, Decimal) else Decimal(repr(threshold))
    if not type.can_fire(chosen, value):
        most = "fall by more than 100 percent" if chosen is Operator.DROP else f"be greater than {type.most}"
        raise ThresholdOutOfReach(f"thresholdValue: no reading of {type.name} can {most}")
    if Channel.INAPP not in channels:
        raise InvalidInput("channels", "must include inapp")
    told_over = tuple(dict.fromkeys(channels))
    return Terms(type, chosen, value, window_minutes or type.window_minutes, cooldown_minutes, told_over)


def find_chain(chains: Chains, caip2: str) -> Chain | None:
    """The chain with a CAIP-2 name.

    Raises:
        InvalidInput: it is not written as one.
    """
    namespace, colon, reference = caip2.partition(":")
    if not (namespace and colon and reference):
        raise InvalidInput("chainId", "must be a CAIP-2 name, such as eip155:8453")
    return next((chain for chain in chains.by_key.values() if chain.caip2 == caip2), None)


def require_source(type: AlertType, chain: Chain | None, caip2: str) -> Chain:
    """The chain, if it has what the type of alert is read from.

    Raises:
        ChainUnsupported: it has not, or is not known.
    """
    if chain is None or not type.is_read_on(chain):
        raise ChainUnsupported(f"chainId: {type.name} has no data source on {caip2[:64]}")
    return chain


def read_filter(chains: Chains, caip2: str | None, address: str | None) -> tuple[Chain, str] | None:
    """The token that a list is narrowed to; None: it is not.

    Raises:
        InvalidInput: only one of both is given, the chain is not known, or it has no such addresses.
    """
    if caip2 is None and address is None:
        return None
    if caip2 is None:
        raise InvalidInput("chainId", "is required with tokenAddress")
    if address is None:
        raise InvalidInput("tokenAddress", "is required with chainId")
    chain = find_chain(chains, caip2)
    if chain is None:
        raise InvalidInput("chainId", f"{caip2[:64]!a} is not a chain served here")
    return chain, chain_address("tokenAddress", address, chain)


def require_plan(type: AlertType, plan: str, upgrade_url: str) -> None:
    """Raise unless the plan includes the type of alert.

    Raises:
        TierRequired: it does not.
    """
    if not covers(plan, type):
        raise TierRequired.of(type, plan, upgrade_url)
