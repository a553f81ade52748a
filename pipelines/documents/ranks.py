"""Ranks: every token with a market by market score, over all chains."""

from pipelines.locks import ALL_CHAINS
from pipelines.publication import declare_writing
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.step import GlobalStep, Group, Phase


def derive(run: RefreshRun) -> StepRun | None:
    """Write the rows whose rank changed."""

    def refresh() -> int:
        # A run that publishes anyway may publish changed ranks or none. One that has nothing else to publish counts
        # the changes first: a version must not be published without rows.
        counted = 0 if run.serve_rows else int(run.read("documents/ranks_changed", {})[0]["changed"])
        if not run.serve_rows and not counted:
            return 0
        run.allocate_version()
        declare_writing(run, ALL_CHAINS)
        changed = max(counted, run.transform("documents/ranks", {"version": run.version}))
        run.serve_rows += changed
        return changed

    rows, seconds = timed(refresh)
    return run.log.record(StepRun("ranks", None, seconds, rows))


STEP = GlobalStep(
    name="ranks",
    description="The rank of every token with a market, over all chains.",
    after=("documents",),
    tables=("serve_token",),
    group=Group.SERVING,
    phase=Phase.SERVING,
    derive=derive,
)
