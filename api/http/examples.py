"""Examples for the OpenAPI document; a test checks them against their schemas."""

from collections.abc import Mapping
from typing import Any

from fastapi.routing import APIRoute

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
TOKEN = "0x6982508145454Ce325dDbE47a25d4ec3d2311933"  # noqa: S105 - an address
REGISTRY = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
SOLANA_WALLET = "FAe4sisG95oZ42w7buUn5qEE4TAnfTTFPiguZUHmhiF"
MINT = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU"
SOLANA_REGISTRY = "9Vk5LbgQ8cKjM1tZhYx3wF2dRnS7eAuBCpG4mHqTzXyW"
SOLANA_CAIP2 = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"


def success_example(example: Mapping[str, Any]) -> dict[int | str, dict[str, Any]]:
    """The example of the successful answer, as an entry of a route's ``responses``."""
    return {200: {"content": {"application/json": {"example": dict(example)}}}}


def success_examples(*examples: tuple[str, Mapping[str, Any]], status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Named examples of successful answers, as an entry of a route's ``responses``."""
    named = {name: {"summary": name, "value": dict(example)} for name, example in examples}
    return {status: {"content": {"application/json": {"examples": named}}}}


def restore_examples(document: dict[str, Any], operation: dict[str, Any], route: APIRoute) -> None:
    """Put the examples of a route into the document as they were declared: FastAPI leaves nulls out of them."""
    for status, response in route.responses.items():
        for media_type, content in response.get("content", {}).items():
            declared = {name: content[name] for name in ("example", "examples") if name in content}
            operation["responses"][str(status)]["content"][media_type].update(declared)
    if route.body_field is not None:
        body: Any = route.body_field.field_info.annotation
        extra = body.model_config.get("json_schema_extra")
        if isinstance(extra, dict):
            document["components"]["schemas"][body.__name__]["examples"] = extra["examples"]
