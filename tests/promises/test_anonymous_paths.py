"""docs/anonymous-paths.md lists every path that needs no credential or is not counted, with how it is counted."""

import re
from pathlib import Path

from fastapi.routing import APIRoute

from api.http.groups import Credential, Quota
from api.router import ROUTERS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "anonymous-paths.md"
ROW = re.compile(r"^\| `([A-Z]+ /\S*)` \| ([^|]+) \| [^|]+ \|$", re.MULTILINE)
COUNTED = {
    Quota.NONE: "no",
    Quota.ADDRESS: "by address",
    Quota.ADDRESS_HOLDINGS: "by address, 60 a minute",
    Quota.ACCOUNT_RATE: "by address, or by the account whose token is sent",
}


def anonymous() -> dict[str, str]:
    """How each operation without a credential, or without a count, is counted."""
    return {
        f"{method} {route.path}": COUNTED[router.group.quota]
        for router in ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods
        if router.group.credential in (Credential.NONE, Credential.OPTIONAL_SESSION) or router.group.quota is Quota.NONE
    }


def test_every_anonymous_path_is_listed_with_how_it_is_counted() -> None:
    listed = dict(ROW.findall(PAGE.read_text()))
    assert listed == anonymous()


def test_only_health_is_not_counted() -> None:
    assert {path for path, counted in anonymous().items() if counted == "no"} == {
        "GET /health/live",
        "GET /health/ready",
    }
