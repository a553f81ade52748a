"""What failed checks stop now (``pipelines/checks/check.py``): publication, so that the last good version stays served,
or claims (``api/claims/freshness.py``). An operator can override a check for some hours."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pipelines.checks.check import Stops
from warehouse import postgres
from warehouse.notices import ledger
from warehouse.notices.conditions import Condition, iso
from warehouse.postgres import Connection

_STOPPED = {
    Stops.CLAIMS: "claims are not answered",
    Stops.PUBLICATION: "nothing new is published and claims are not answered",
}
KIND = "check_holds"


@dataclass(frozen=True, slots=True)
class Hold:
    """A failed check that stops something."""

    check_name: str
    stops: Stops
    found_at: datetime
    violations: int


def find(store: Connection) -> Sequence[Hold]:
    """The failed checks that stop something now."""
    return postgres.records(store, Hold, "checks/list_holds")


def of_publication(store: Connection) -> Sequence[Hold]:
    """Those that stop publication."""
    return [hold for hold in find(store) if hold.stops == Stops.PUBLICATION]


def note(held: Sequence[Hold]) -> str:
    """One line for logs and the log of steps' runs."""
    return "held by " + ", ".join(hold.check_name for hold in held)


def report(store: Connection) -> None:
    """Tell operators what is stopped, and when it goes on."""
    held = [
        Condition(
            KIND,
            hold.check_name,
            "error",
            f"{_STOPPED[Stops(hold.stops)]}: check {hold.check_name} found {hold.violations} violations",
            {
                "check": hold.check_name,
                "stops": hold.stops,
                "violations": hold.violations,
                "foundAt": iso(hold.found_at),
            },
        )
        for hold in find(store)
    ]
    ledger.settle(store, KIND, held)
