"""Fixtures of the tests of alerts."""

from tests.fixtures.derivation import chains
from tests.fixtures.webhooks import receivers
