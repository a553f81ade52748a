"""Examples of successful answers for the OpenAPI document; a test checks them against their schemas."""

from collections.abc import Mapping
from typing import Any

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
TOKEN = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"  # noqa: S105 - an address
REGISTRY = "0x5FbDB2315678afecb367f032d93F642f64180aa3"


def success_example(example: Mapping[str, Any]) -> dict[int | str, dict[str, Any]]:
    """The example of the successful answer, as an entry of a route's ``responses``."""
    return {200: {"content": {"application/json": {"example": dict(example)}}}}


def success_examples(*examples: tuple[str, Mapping[str, Any]], status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Named examples of successful answers, as an entry of a route's ``responses``."""
    named = {name: {"summary": name, "value": dict(example)} for name, example in examples}
    return {status: {"content": {"application/json": {"examples": named}}}}
