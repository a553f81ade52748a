"""Fixtures of the tests of search."""

from tests.fixtures.search import finder
