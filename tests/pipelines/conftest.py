"""Fixtures of the tests of derivation."""

from tests.fixtures.derivation import chains, dagster_environment, ledger, listening, mints, settling, solana
