"""Which answers lead to which requests: the links of the OpenAPI document, for people, generated clients and tools
that try sequences of calls."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Link:
    """From the successful answer of one operation to others, by their ids.

    Args:
        parameters: of the other operations, as runtime expressions over the first one's request and answer.
    """

    source: str
    targets: tuple[str, ...]
    parameters: Mapping[str, str]


_OF_A_WEBHOOK = (
    "getWebhook",
    "updateWebhook",
    "reactivateWebhook",
    "rotateWebhookSecret",
    "sendTestEvent",
    "replayEvents",
    "listWebhookDeliveries",
    "deleteWebhook",
)
_OF_A_TOKEN = ("getHeartbeat", "getHeartbeatHistory", "getRegistrationStatus", "exportListing", "lintListing")
_OF_A_DOMAIN = ("verifyRegistrationDomain", "updateRegistrationDomain", "removeRegistrationDomain")
_SAME_DOMAIN = {
    "id": "$request.path.id",
    "chain": "$request.query.chain",
    "domain": "$response.body#/domain",
}
_SAME_TOKEN = {"symbol": "$request.path.symbol", "chain": "$request.path.chain"}
_OF_A_RULE = ("updateAlertRule", "toggleAlertRule", "deleteAlertRule")
_TOKEN_OF_ALERT = {
    "symbol": "$response.body#/data/alert/symbol",
    "chain": "$response.body#/data/alert/chain",
    "tokenAddress": "$response.body#/data/alert/token_address",
}

# None leads from an element of a list: lists may be empty, and a link has to be good for every such answer.
LINKS: tuple[Link, ...] = (
    Link("createWebhook", _OF_A_WEBHOOK, {"id": "$response.body#/id"}),
    Link("uploadMetadata", ("getMetadata",), {"cid": "$response.body#/cid"}),
    Link("createApiKey", ("updateApiKey", "rollApiKey", "revokeApiKey"), {"id": "$response.body#/id"}),
    Link("createAlertRule", _OF_A_RULE, {"id": "$response.body#/data/rule/id"}),
    Link("acknowledgeAlert", ("resolveAlert",), {"id": "$request.path.id"}),
    Link("acknowledgeAlert", ("getToken", "getTokenCandles"), _TOKEN_OF_ALERT),
    Link("resolveAlert", ("getToken", "getTokenCandles"), _TOKEN_OF_ALERT),
    Link("requestRegistrationDomain", _OF_A_DOMAIN, _SAME_DOMAIN),
    Link("getToken", _OF_A_TOKEN, _SAME_TOKEN),
    Link("getRegistrationStatus", ("getToken",), _SAME_TOKEN),
    Link("getRegistrationStatus", ("listRegistrationsOfSymbol",), {"symbol": "$response.body#/symbol"}),
    Link("getRegistration", ("getRegistrationRoles", "listAttestations"), {"id": "$request.path.id"}),
    Link("getRegistration", ("getUnifiedRegistration",), {"symbol": "$response.body#/symbol"}),
)


def add_to(document: dict[str, Any]) -> None:
    """Add the links to the answers of an OpenAPI document that has all the operations."""
    answers = dict(_successes(document))
    for link in LINKS:
        links = answers[link.source].setdefault("links", {})
        for target in link.targets:
            links[target] = {"operationId": target, "parameters": dict(link.parameters)}


def _successes(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The successful answer of each operation, by the operation's id."""
    for operations in document["paths"].values():
        for operation in operations.values():
            for status, response in operation["responses"].items():
                if status.startswith("2"):
                    yield operation["operationId"], response
                    break
