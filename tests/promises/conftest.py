"""Fixtures of the tests of promises."""

from tests.fixtures.service import serve
