"""Requests for documents: steps ask for the documents of the tokens that they changed."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipelines import frames
from pipelines.refresh_run import RefreshRun

_COLUMNS: Mapping[str, frames.Kind] = {
    "version": frames.UINT64,
    "chain_id": frames.UINT32,
    "token": frames.HEX,
    "cause": frames.TEXT,
}


def request_documents(run: RefreshRun, chain_id: int, tokens: Iterable[str], cause: str) -> None:
    """Request the documents of tokens (hexadecimal without prefix) under the version of the run.

    A request stays until a run has served it, so a run that dies loses none. Requesting twice is harmless.
    """
    wanted = list(tokens)
    if wanted:
        count = len(wanted)
        columns: dict[str, list[Any]] = {
            "version": [run.version] * count,
            "chain_id": [chain_id] * count,
            "token": wanted,
            "cause": [cause] * count,
        }
        run.warehouse.insert_arrow("agg_document_request", frames.of_columns(_COLUMNS, columns))
