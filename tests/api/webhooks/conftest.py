"""Fixtures of the tests of webhooks."""

from tests.fixtures.webhooks import hooks, receivers
