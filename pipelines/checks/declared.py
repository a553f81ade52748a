"""All checks that look at parts of the data, by the asset that shows them."""

from collections.abc import Sequence

from pipelines.checks.check import Check
from pipelines.documents.checks import DOCUMENT_CHECKS
from pipelines.holders.checks import HOLDER_CHECKS
from pipelines.ingestion.checks import INGESTION_CHECKS
from pipelines.provenance.checks import PROVENANCE_CHECKS

CHECKS: Sequence[Check] = (*INGESTION_CHECKS, *HOLDER_CHECKS, *DOCUMENT_CHECKS, *PROVENANCE_CHECKS)
