"""Making documents of figures that are all true of one block."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from pipelines.documents import figures
from pipelines.documents.inputs import TokenInputs, TokenRegistration
from pipelines.documents.rows import AsOf, Document, DocumentKey, document
from pipelines.holders.derive import SUBJECT as HOLDERS
from pipelines.refresh_run import RefreshRun
from pipelines.windows import Window
from warehouse.domain.symbols import symbol_key


@dataclass(frozen=True, slots=True)
class Making:
    """How one call makes documents."""

    window: Window
    counted: AsOf
    """The block up to which the chain's holders are counted."""
    asked: AbstractSet[str]
    """Tokens whose documents were requested, and not only for their scores."""
    keeps_figures: bool
    """Whether figures stay as they are served, and those of new tokens unknown: another run may be computing them."""
    seen_change: int
    """The last change that the counted holders know of."""
    orphaned_above: int | None
    """After a reorganisation: served figures as of higher blocks may be of blocks that were removed."""
    inconsistent: set[str] = field(default_factory=set)
    """Tokens whose stored figures are not known to be true of one block. They keep those that are served."""

    @classmethod
    def begin(cls, run: RefreshRun, window: Window, asked: AbstractSet[str], *, keeps_figures: bool) -> "Making":
        """Read what the chain's figures are as of."""
        holders = run.windows.checkpoint(HOLDERS, window.chain)
        counted = _counted(holders.details)
        return cls(window, counted, asked, keeps_figures, holders.change_id, _orphaned_above(run, window))

    def details(self, version: int) -> dict[str, int | None]:
        """What to store with the checkpoint; :meth:`begin` reads it in the next run."""
        return {
            "version": version,
            "unit": self.window.unit_id,
            "final": self.window.final_block,
            "changes": self.seen_change,
            "changes_before": self.window.details.get("changes", 0),
        }

    def documents(
        self,
        run: RefreshRun,
        inputs: Mapping[str, TokenInputs],
        registrations: Mapping[tuple[str, str], TokenRegistration],
    ) -> dict[str, Document]:
        """Documents of the tokens that exist, each as of the block that its figures are true of. ``registrations`` are
        by token and symbol."""
        chain = self.window.chain
        made = {}
        for token, stored in inputs.items():
            if not stored.is_token:
                continue
            as_of = None if self.keeps_figures else figures.figures_as_of(stored, self.counted)
            shown = stored
            if as_of is None:
                if not self.keeps_figures:
                    self.inconsistent.add(token)
                shown = figures.without_figures(stored)
                as_of = figures.as_read(shown)
            counted_through = figures.NEVER.block_number if shown is not stored else self.counted.block_number
            made[token] = document(
                shown, registrations.get((token, symbol_key(shown.symbol))), chain, as_of, counted_through
            )
        undated = {token: row.as_of_block for token, row in made.items() if not row.as_of_time}
        times = figures.block_times(run, chain, undated.values())
        for token, block in undated.items():
            made[token] = made[token]._replace(as_of_time=times.get(block, 0))
        return made

    def keep_served_figures(self, made: dict[str, Document], before: Mapping[DocumentKey, Document]) -> None:
        """Give documents the figures that are served, where no newer ones are known to be true of one block."""
        kept = made.keys() if self.keeps_figures else self.inconsistent & made.keys()
        if not kept:
            return
        served = figures.served_documents(self.window.chain, before)
        for token in kept & served.keys():
            made[token] = figures.with_served_figures(made[token], served[token])

    def is_orphaned(self, served: Document | None) -> bool:
        """Whether the served figures may be of a block that was removed: then the same figures are written again."""
        return self.orphaned_above is not None and served is not None and served.as_of_block > self.orphaned_above


def _counted(details: Mapping[str, Any]) -> AsOf:
    if "through" not in details:
        return figures.NEVER
    return AsOf(int(details["through"]), int(details.get("as_of", 0)))


def _orphaned_above(run: RefreshRun, window: Window) -> int | None:
    unit = window.details.get("unit")
    if unit is None:
        return None
    last = {"chain_id": window.chain.chain_id, "unit_id": unit, "through": 0}
    stands = run.store_rows("derivation/check_window", last)[0]["stands"]
    return None if stands else int(window.details.get("final") or 0)
