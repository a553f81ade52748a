"""Ranks: the place of every token with a market, over all chains, by market score."""

from pipelines.derivation import AssetRun, DerivePass, timed
from pipelines.publication import declare_writing


def derive(run: DerivePass) -> AssetRun | None:
    """Write the rows whose rank changed."""

    def refresh() -> int:
        changed = int(run.read("documents/ranks_changed", {})[0]["changed"])
        if changed:
            run.renumber()
            declare_writing(run)
            run.transform("documents/ranks", {"version": run.version})
            run.serve_rows += changed
        return changed

    rows, seconds = timed(refresh)
    return run.record(AssetRun("ranks", None, seconds, rows))
