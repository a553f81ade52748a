"""Schedules whose runs would often find nothing to do. A run is a process that imports everything: seconds of CPU."""

from collections.abc import Callable

import dagster as dg

from pipelines.notices import open_store, skips_without_engines
from warehouse import postgres

Evaluate = Callable[[dg.ScheduleEvaluationContext], dg.RunRequest | dg.SkipReason]


def run_if_due(statement: str, otherwise: str) -> Evaluate:
    """What a schedule does at its times: a run if a statement of the store says ``due``, else nothing.

    Args:
        statement: the name of the statement.
        otherwise: why there is nothing to do, shown in Dagster.
    """

    @skips_without_engines
    def evaluate(_context: dg.ScheduleEvaluationContext) -> dg.RunRequest | dg.SkipReason:
        with open_store() as store:
            due = postgres.run(store, statement)[0]["due"]
        return dg.RunRequest() if due else dg.SkipReason(otherwise)

    return evaluate
