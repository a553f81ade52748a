"""Parse an ``eth_getLogs`` answer into columns with the fastest parser that can read it."""

from indexer.chains.evm.tuned.hexadecimal import BadHex
from indexer.chains.evm.tuned.layout import SurprisingLayout, parse_layout
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.objects import parse_objects


def parse_logs(answer: bytes) -> Logs:
    """Columns of an ``eth_getLogs`` answer.

    Raises:
        NodeLied: a field is missing, not hexadecimal or of the wrong length, or a log is marked as removed.
    """
    try:
        return parse_layout(answer)
    except (SurprisingLayout, BadHex):
        return parse_objects(answer)
