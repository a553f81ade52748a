"""Fixtures of the warehouse's tests."""

from tests.fixtures.engine_processes import eventually, launch
