"""Fixtures of the tests of the supervisor."""

from tests.fixtures.supervised import data_dir
