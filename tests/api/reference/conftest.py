"""Fixtures of the tests of the OpenAPI document's route."""

from tests.fixtures.limits import limits_file, serve_limited
