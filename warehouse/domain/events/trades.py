"""Trades in registered tokens."""

from decimal import Decimal
from typing import Annotated, ClassVar

from warehouse.domain.events.event import member
from warehouse.domain.events.registrations import RegistrationEvent, Timestamp


class LargeTrade(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token was traded for more than 5 % of its daily volume, or for more than 10,000 USD."""

    type: ClassVar[str] = "trade.large"
    once_per: ClassVar[tuple[str, ...]] = ("transaction", "log_index")
    trade_volume_usd: Annotated[Decimal, member("what the trade was worth, in US dollars", 12500.5)]
    direction: Annotated[str, member("as seen from the registered token", "buy", enum=["buy", "sell"])]
    timestamp: Timestamp
