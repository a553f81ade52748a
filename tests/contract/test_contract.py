"""The running service keeps to its OpenAPI document: Schemathesis tries every operation, on its own and in sequences.

No answer is a 5xx, of a status, type, header or shape that the document does not name; what the document forbids is
refused; without the declared credential nothing is answered. ``make contract`` tries more cases, and each boundary of
each parameter.
"""

from pathlib import Path

import pytest

from tests.contract.configuration import Extent
from tests.contract.run import PHASES, prepared, run

pytestmark = pytest.mark.slow

MOST_UNREACHED = 1 / 2
"""The share of operations that may only refuse: those that want a signature over a text of this very moment, a second
wallet or a Solana node, and those whose bodies a few generated cases do not hit. Their own areas test them."""


def test_every_operation_keeps_to_the_document(tmp_path: Path) -> None:
    with prepared(tmp_path) as target:
        outcome = run(target, Extent(4, None, coverage=False, deterministic=True), tmp_path)
    assert outcome.passed, outcome.output
    assert outcome.phases == {**dict.fromkeys(PHASES, "success"), "coverage": "skip"}
    assert [name for name, seen in outcome.statuses.items() if not seen] == []
    assert len(outcome.unreached) < MOST_UNREACHED * len(outcome.statuses), outcome.unreached
