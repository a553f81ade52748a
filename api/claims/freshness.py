"""Whether the published copy verdicts of a chain are recent enough to rely on. An old verdict never means "no copy"."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from api.claims.errors import Undecided
from warehouse.domain.symbols import fold


@dataclass(frozen=True, slots=True)
class VerdictProgress:
    """How far the verdicts of a chain are. All times are the chain's.

    Args:
        as_of_time: the time of the block that all verdicts hold as of.
        weighed_through: the end of the last hour whose weights are complete; None before the first.
        history_from: the first complete hour of the chain's history; None before it.
        held_by: a failed check of the data that forbids relying on it; None where none does.
    """

    as_of_block: int
    as_of_time: datetime
    weighed_through: datetime | None
    history_from: datetime | None
    held_by: str | None


def require_sound(held_by: str | None) -> None:
    """Require that no failed check of the data forbids relying on it.

    Raises:
        Undecided: one does, until it passes again or an operator overrides it.
    """
    if held_by is not None:
        raise Undecided(f"the data of the index failed the check {held_by}")


def require_fresh(progress: VerdictProgress | None, head_time: datetime, max_age: timedelta) -> VerdictProgress:
    """The progress, if the verdicts are at most ``max_age`` of chain time older than the chain's newest block.

    Raises:
        Undecided: they are older, there are none, or a failed check of the data forbids relying on them.
    """
    if progress is None:
        raise Undecided("the chain's tokens have not been judged yet")
    require_sound(progress.held_by)
    age = head_time - progress.as_of_time
    if age > max_age:
        raise Undecided(f"the chain's tokens were last judged {int(age.total_seconds())} seconds of chain time ago")
    return progress


def require_judged_as(symbol_key: str | None, folded: str) -> None:
    """Require that a token was judged among those whose symbols fold as its own does now.

    A contract may change its symbol without an event. Its verdict is then about other tokens.

    Raises:
        Undecided: the index knows it by a symbol that reads otherwise.
    """
    if symbol_key is not None and fold(symbol_key) != folded:
        raise Undecided(f"the token was judged as {symbol_key}, which is not the symbol that its contract gives now")
