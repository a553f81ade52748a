"""GET /health/live and /health/ready."""

from typing import Literal

from pydantic import Field

from api.health.service import CIRCUITS, NotReady, circuits
from api.http.dependencies import ReadinessDep, ServicesDep
from api.http.examples import success_examples
from api.http.groups import Credential, Quota, RouteGroup
from api.http.rendering import JsonResponse, Wire, respond
from api.security.access import Public

GROUP = RouteGroup(prefix="/health", admission=None, credential=Credential.NONE, quota=Quota.NONE)
router = GROUP.router(tags=["health"])


class Live(Wire):
    """The process answers."""

    status: Literal["ok"] = Field(examples=["ok"], description="Always ok.")


class Ready(Wire):
    """Store, warehouse and migrations are ready."""

    status: Literal["ready"] = Field(examples=["ready"], description="Always ready.")
    circuits: dict[str, Literal["closed", "open"]] = Field(
        examples=[CIRCUITS],
        description="The circuit breaker of each dependency: the store, the warehouse, and chains that were read. "
        "Open: it does not answer, and requests that need it are refused. A chain does not make the service unready.",
    )


@router.get("/live", response_model=Live, responses=success_examples(("ok", {"status": "ok"})) | GROUP.responses())
async def get_liveness(access: Public) -> JsonResponse:
    """Whether the process answers, whatever the state of its engines."""
    return respond(Live(status="ok"))


@router.get(
    "/ready",
    response_model=Ready,
    responses=success_examples(("ready", {"status": "ready", "circuits": CIRCUITS})) | GROUP.responses(NotReady),
)
async def get_readiness(access: Public, readiness: ReadinessDep, services: ServicesDep) -> JsonResponse:
    """Whether requests can be answered: the store, the warehouse, and the migrations of both. Chain lag and empty
    tables do not count."""
    problems = await readiness.problems()
    if problems:
        raise NotReady(problems, circuits(services.breakers))
    return respond(Ready(status="ready", circuits=circuits(services.breakers)))
