"""Every route group of the API, in one list: its router, how it words errors, and where it lives.

A group's routers are tried in this order, so that literal paths come before those with parameters.
"""

from dataclasses import dataclass

from fastapi import APIRouter

from api.core.errors import RouteGroup
from api.health import endpoints as health


@dataclass(frozen=True, slots=True)
class Mounted:
    """A router and its error shapes."""

    router: APIRouter
    groups: tuple[RouteGroup, ...]


ROUTERS: tuple[Mounted, ...] = (Mounted(health.router, health.GROUPS),)
