"""Reading what rules watch: one query for a batch of tokens, never one for a rule."""

from collections.abc import Sequence

import polars as pl

from pipelines import frames
from pipelines.refresh_run import RefreshRun
from warehouse import sql
from warehouse.alerts.readings import QUERIES, copies_series, standing_scores
from warehouse.domain.addresses import digits_of
from warehouse.domain.alerts import Source
from warehouse.domain.chains import Chain


def read_series(
    run: RefreshRun, chain: Chain, source: Source, addresses: Sequence[str], begin: int, until: int
) -> pl.DataFrame:
    """The readings of tokens from one source, a column for each type of alert. It uses ``work_key``: hold the chain's
    refresh lock."""
    digits = {digits_of(address): address for address in addresses}
    if source is Source.COPIES:
        wanted = {"chain_id": chain.chain_id, "addresses": list(addresses), "moment": begin}
        seen = [(digits_of(row["address"]), row["at"]) for row in run.store_rows("alerts/list_copies", wanted)]
        return copies_series(list(digits), begin, seen)
    run.clear(chain, "work_key")
    run.fill(chain, "work_key", frames.key_table(list(digits)))
    found = run.warehouse.polars(
        sql.load(QUERIES[source]), {"chain_id": chain.chain_id, "token": "", "from": begin, "until": until}
    )
    if source is not Source.HEARTBEATS:
        return found
    scored = run.store_rows(
        "alerts/list_scores", {"chain_id": chain.chain_id, "addresses": list(addresses), "moment": begin}
    )
    return pl.concat([standing_scores([(row["address"], row["score"]) for row in scored], begin), found])
