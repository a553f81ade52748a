"""Messages of refused input are written alike on every route: the field, then what it must be."""

import re
from collections.abc import Iterator
from typing import Any

from tests.fixtures.service import Service

PROBLEM = re.compile(r"[A-Za-z][A-Za-z0-9.-]*: \S.*")
SPECIFIED = ("Tier subscription required", "Free tier limited to")
"""How texts begin that the specification gives."""
FRAMEWORK = ("Input", "input should", "should be", "valid integer", "unable to", "Field required", "  ")


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def filled(path: str, operation: dict[str, Any]) -> str:
    """The path with an example of each parameter."""
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            schema = parameter["schema"]
            example = parameter.get("example", (schema.get("examples") or parameter.get("examples") or ["1"])[0])
            path = path.replace(f"{{{parameter['name']}}}", str(example))
    return path


def check(error: str, asked: str) -> None:
    assert PROBLEM.match(error), (asked, error)
    assert not error.endswith("."), (asked, error)
    assert not any(words in error for words in FRAMEWORK), (asked, error)


async def test_each_parameter_is_named_with_its_rule(service: Service) -> None:
    refused = 0
    for method, path, operation in operations(service.app.openapi()):
        for parameter in operation.get("parameters", ()):
            if method != "get" or parameter["in"] != "query":
                continue
            name, asked = parameter["name"], filled(path, operation)
            answer = await service.client.get(asked, params={name: "@" * 600})
            body = answer.json()
            message = body.get("message", body.get("error"))
            if answer.status_code == 400:
                check(message, asked)
                refused += message.startswith(f"{name}: ")
    assert refused >= 25


async def test_each_member_is_named_with_its_rule(service: Service) -> None:
    document, refused = service.app.openapi(), 0
    for method, path, operation in operations(document):
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None:
            continue
        schema = content["schema"]
        schema = document["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], schema)
        example = (schema.get("examples") or content.get("examples") or [{}])[0]
        for member in ("", "unknown", *schema.get("properties", ())):
            sent: Any = [] if member == "" else {**example, member: [[]]}
            answer = await service.client.request(method, filled(path, operation), json=sent)
            body = answer.json()
            if answer.status_code == 400:
                check(body.get("message", body.get("error")), f"{method} {path} {member}")
                refused += 1
    assert refused > 40


def test_examples_of_errors_are_sentences_that_name_the_field_first(service: Service) -> None:
    for _, path, operation in operations(service.app.openapi()):
        for status, response in operation["responses"].items():
            if int(status) < 400:
                continue
            for example in response["content"]["application/json"]["examples"].values():
                message = example["value"].get("message", example["value"]["error"])
                begins = message.startswith(SPECIFIED) or re.match(r"[a-z]|[A-Z][A-Za-z-]*: |0x|[A-Z]+ ", message)
                assert begins, (path, message)
                assert not message.endswith("."), (path, message)
