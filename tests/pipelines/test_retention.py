from datetime import UTC, datetime, timedelta

import dagster as dg

from pipelines.retention import remove_finished_runs


@dg.op
def nothing() -> None: ...


@dg.job
def recurring() -> None:
    nothing()


@dg.job
def other() -> None:
    nothing()


def test_only_finished_runs_of_the_job_from_before_the_moment_are_removed() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        for job in (recurring, recurring, other):
            job.execute_in_process(instance=instance)
        running = instance.create_run_for_job(recurring)
        now = datetime.now(UTC)
        assert remove_finished_runs(instance, "recurring", now - timedelta(hours=1)) == 0
        assert remove_finished_runs(instance, "recurring", now + timedelta(hours=1)) == 2
        left = {(run.job_name, run.run_id == running.run_id) for run in instance.get_runs()}
        assert left == {("recurring", True), ("other", False)}
