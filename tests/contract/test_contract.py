"""The running service keeps to its OpenAPI document: Schemathesis tries every operation, on its own and in sequences.

No answer is a 5xx, of a status, type, header or shape that the document does not name; what the document forbids is
refused; without the declared credential nothing is answered. ``make contract`` does the same for longer.
"""

from pathlib import Path

import pytest

from tests.contract.configuration import Credentials, Extent
from tests.contract.run import PHASES, claim, run
from tests.fixtures.demo import running_demo

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# They want a signature over a text of this very moment; the tests of their own areas have them.
SIGNED = {"POST /api/v2/claim", "POST /api/v2/claim/verify"}


def test_every_operation_keeps_to_the_document(tmp_path: Path) -> None:
    with running_demo(tmp_path / "demo") as place:
        credentials = Credentials(place.api_key)
        outcome = run(place, credentials, Extent(4, None, deterministic=True), tmp_path, claim(place))
    assert outcome.passed, outcome.output
    assert outcome.phases == dict.fromkeys(PHASES, "success")
    assert [name for name, seen in outcome.statuses.items() if not seen] == []
    assert set(outcome.unreached) <= SIGNED
