"""Tests of the API fail on answers that the OpenAPI document does not have."""

import httpx
import pytest
from starlette.responses import JSONResponse, PlainTextResponse, Response

from tests.fixtures.openapi import DocumentedAnswers

LIVE = "/health/live"
ERROR = {"error": "nothing was found", "code": "NOT_FOUND"}


async def get(response: Response, path: str) -> httpx.Response:
    """What a client gets from an application that has one answer."""
    transport = httpx.ASGITransport(DocumentedAnswers(response))
    async with httpx.AsyncClient(transport=transport, base_url="http://service.test") as client:
        return await client.get(path)


@pytest.mark.parametrize(
    ("response", "path"),
    [
        (JSONResponse({"status": "ok"}), LIVE),
        (JSONResponse(ERROR, 405), LIVE),
        (JSONResponse(ERROR, 404), "/nothing/here"),
        (JSONResponse({**ERROR, "error": "Not Found", "message": "nothing"}, 404), "/api/v2/public/nothing"),
        (Response(status_code=304), "/api/v2/public/coins/base/PEPE"),
    ],
)
async def test_answers_of_the_document_pass(response: Response, path: str) -> None:
    assert (await get(response, path)).status_code == response.status_code


@pytest.mark.parametrize(
    ("response", "path", "problem"),
    [
        (JSONResponse({"status": "fine"}), LIVE, "status"),
        (JSONResponse({}), LIVE, "required"),
        (JSONResponse({"status": "ok"}, 202), LIVE, "has no status 202"),
        (PlainTextResponse("ok"), LIVE, "has no text/plain with 200"),
        (JSONResponse({"error": "gone"}, 404), "/nothing/here", "code"),
        (JSONResponse({**ERROR, "code": "OTHER"}, 500), LIVE, "OTHER"),
        (JSONResponse({**ERROR, "limit": 5}, 500), LIVE, "does not describe the member limit"),
        (JSONResponse({"keys": [{"kty": "RSA"}]}), "/api/v2/apps/jwks", "OKP"),
    ],
)
async def test_other_answers_fail(response: Response, path: str, problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        await get(response, path)
