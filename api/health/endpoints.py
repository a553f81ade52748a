"""GET /health/live, /health/ready and /metrics."""

import asyncio
from typing import Literal

from pydantic import Field
from starlette.responses import Response

from api.health.service import NotReady
from api.http.dependencies import ReadinessDep, ServicesDep
from api.http.examples import success_examples
from api.http.groups import Credential, Quota, RouteGroup
from api.http.rendering import JsonResponse, Wire, respond
from api.security.access import Public

GROUP = RouteGroup(prefix="/health", admission=None, credential=Credential.NONE, quota=Quota.NONE)
router = GROUP.router("", tags=["health"])


class Live(Wire):
    """The process answers."""

    status: Literal["ok"] = Field(examples=["ok"], description="Always ok.")


class Ready(Wire):
    """Store, warehouse and migrations are ready."""

    status: Literal["ready"] = Field(examples=["ready"], description="Always ready.")


@router.get(
    "/health/live", response_model=Live, responses=success_examples(("ok", {"status": "ok"})) | GROUP.responses()
)
async def get_liveness(access: Public) -> JsonResponse:
    """Whether the process answers, whatever the state of its engines."""
    return respond(Live(status="ok"))


@router.get(
    "/health/ready",
    response_model=Ready,
    responses=success_examples(("ready", {"status": "ready"})) | GROUP.responses(NotReady),
)
async def get_readiness(access: Public, readiness: ReadinessDep) -> JsonResponse:
    """Whether requests can be answered: the store, the warehouse, and the migrations of both. Chain lag and empty
    tables do not count."""
    problems = await readiness.problems()
    if problems:
        raise NotReady(problems)
    return respond(Ready(status="ready"))


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"example": 'regalia_chain_lag_blocks{chain="base"} 0.0'}}}},
)
async def get_metrics(access: Public, services: ServicesDep) -> Response:
    """Prometheus metrics of the API and, as far as its engines answer, of the whole service."""
    observer, collector = services.observer, services.service_collector
    collector.store, collector.warehouse = await asyncio.gather(observer.store.read(), observer.warehouse.read())
    # Writing thousands of lines takes milliseconds that requests should not wait for.
    text = await asyncio.to_thread(services.metrics.text)
    return Response(text, media_type="text/plain; version=0.0.4; charset=utf-8")
