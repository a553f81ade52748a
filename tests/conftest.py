"""Fixtures shared by all tests; each family lives in its own module."""

from hypothesis import settings

# How long an example takes depends on the machine, and on what the first one imports.
settings.register_profile("tests", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=5_000)
settings.load_profile("tests")

pytest_plugins = (
    "tests.fixtures.browser",
    "tests.fixtures.buckets",
    "tests.fixtures.engines",
    "tests.fixtures.tls_servers",
    "tests.fixtures.chain",
    "tests.fixtures.indexing",
    "tests.fixtures.receiver",
    "tests.fixtures.collector",
    "tests.fixtures.run_resources",
    "tests.fixtures.stalling_proxy",
    "tests.fixtures.solana_node_registry",
    "tests.fixtures.surfpool",
    "tests.fixtures.text_server",
    "tests.fixtures.tiers",
)
