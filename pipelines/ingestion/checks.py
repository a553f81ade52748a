"""Checks of the facts."""

from pipelines.checks import violations_checks

ingestion_checks = violations_checks(
    "raw_block", "contiguous_blocks", "orphaned_rows", "repeated_logs", "tokens_without_block"
)
