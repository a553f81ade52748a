"""Holders of registered tokens: significant holders, concentration, and numbers of holders."""

from decimal import Decimal
from typing import Annotated, ClassVar

from warehouse.domain.events.event import member
from warehouse.domain.events.examples import ADDRESS, WALLET
from warehouse.domain.events.registrations import RegistrationEvent, Timestamp


class HolderNew(RegistrationEvent, frozen=True, kw_only=True):
    """A wallet became a significant holder of a registered token."""

    type: ClassVar[str] = "holder.new"
    once_per: ClassVar[tuple[str, ...]] = ("wallet",)
    holder_address: Annotated[str, member("the wallet", WALLET, **ADDRESS)]
    timestamp: Timestamp


class ConcentrationAlert(RegistrationEvent, frozen=True, kw_only=True):
    """A single wallet holds more of a registered token than the threshold."""

    type: ClassVar[str] = "concentration.alert"
    once_per: ClassVar[tuple[str, ...]] = ("wallet", "day")
    concentration_percent: Annotated[Decimal, member("percent of the supply that the wallet holds", 31.5)]
    previous_concentration: Annotated[Decimal, member("percent of the supply that the wallet held before", 24.75)]
    threshold: Annotated[Decimal, member("the threshold, in percent", 70)]
    timestamp: Timestamp


class MilestoneReached(RegistrationEvent, frozen=True, kw_only=True):
    """A registered token reached a number of holders for the first time."""

    type: ClassVar[str] = "milestone.reached"
    once_per: ClassVar[tuple[str, ...]] = ("milestone_type", "milestone_value")
    milestone_type: Annotated[str, member("holder_count", "holder_count")]
    milestone_value: Annotated[int, member("the milestone", 1000)]
    previous_value: Annotated[int, member("the number of holders before", 987)]
    timestamp: Timestamp
