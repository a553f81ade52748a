"""Publishing the token list: one statement of the store compares what is registered with what is listed.

Safe to repeat: without a difference nothing is written. The run holds the refresh lock, so only one publishes at a
time. A version, the entries it ends and those it begins are written in one statement.
"""

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import GlobalStep, Phase
from warehouse.domain.lifecycle import GRACE_PERIOD, INACTIVE_BELOW

SUBJECT = "token_list"
COMPARE_SECONDS = 60.0
"""A follower's runs compare all registrations no more often than this."""


def derive(run: RefreshRun) -> StepRun | None:
    """Publish a version of the list if it changed; None if it was compared a moment ago."""
    if not run.full and not run.store_rows("tokenlists/is_due", {"seconds": COMPARE_SECONDS})[0]["due"]:
        return None
    made, seconds = timed(lambda: _publish(run))
    changes = sum(made[name] for name in ("added", "changed", "removed")) if made else 0
    note = "{major}.{minor}.{patch}: {added} added, {changed} changed, {removed} removed".format(**made) if made else ""
    return run.log.record(StepRun(SUBJECT, None, seconds, changes, note=note))


STEP = GlobalStep(
    name=SUBJECT,
    description="The versioned list of tokens with an active registration.",
    after=("registrations", "heartbeats"),
    store_tables=("token_list_version", "token_list_entry"),
    phase=Phase.LISTS,
    derive=derive,
)


def _publish(run: RefreshRun) -> dict[str, int]:
    made = run.store_rows("tokenlists/publish", {"grace_days": GRACE_PERIOD.days, "inactive_below": INACTIVE_BELOW})
    run.store_rows("tokenlists/mark_compared")
    return made[0] if made else {}
