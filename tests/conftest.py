"""Fixtures shared by all tests; each family lives in its own module."""

pytest_plugins = (
    "tests.fixtures.browser",
    "tests.fixtures.engines",
    "tests.fixtures.far_side",
    "tests.fixtures.chain",
    "tests.fixtures.indexing",
    "tests.fixtures.receiver",
    "tests.fixtures.room",
    "tests.fixtures.stalling_proxy",
    "tests.fixtures.text_server",
)
