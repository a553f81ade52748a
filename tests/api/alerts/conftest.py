"""Fixtures of the tests of alerts."""

from tests.fixtures.derivation import chains, ledger, settling
from tests.fixtures.webhooks import receivers
