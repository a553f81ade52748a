"""Fixtures of the tests of plans and limits; their clock starts at noon."""

from tests.fixtures.clocks import noon as clock
from tests.fixtures.limits import limits_file, serve_limited
