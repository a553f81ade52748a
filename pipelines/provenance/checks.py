"""Checks of who is served as controlling tokens."""

from pipelines.checks import violations_checks

provenance_checks = violations_checks("serve_provenance", "controls_without_authority")
