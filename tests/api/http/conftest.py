"""Fixtures of the tests of what all routes share."""

from tests.fixtures.limits import limits_file, serve_limited
