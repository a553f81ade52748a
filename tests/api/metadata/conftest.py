"""Fixtures of the tests of uploads."""

from tests.fixtures.ipfs_node import ipfs_node
from tests.fixtures.uploads import uploader
