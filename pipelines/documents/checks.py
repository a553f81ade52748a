"""Checks of served rows."""

from pipelines.checks import violations_checks

document_checks = violations_checks("serve_token", "unknown_is_not_zero", "served_without_identity")
