"""Which group a request belongs to, by method and path, before routing.

A trie over the segments of all path templates, compiled when the application is made: a look-up takes a few
microseconds, however many routes there are. It answers as routing does: the first declared route with the path and the
method, else the first with the path.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from fastapi.routing import APIRoute
from starlette.convertors import StringConvertor
from starlette.types import Scope

from api.http.groups import UNKNOWN, GroupRouter, Origins, RouteGroup

SCOPE_KEY: Final = "route_group"
_Entry = tuple[int, RouteGroup]
"""The position of a route in the order of declaration, and its group."""


class _Node:
    """One segment of the templates that begin alike."""

    __slots__ = ("below", "children", "entries", "parameter")

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.parameter: _Node | None = None
        self.entries: dict[str, _Entry] = {}
        self.below: RouteGroup | None = None


class RouteTable:
    """The groups of all routes.

    Args:
        routers: in the order in which routing tries them.

    Raises:
        ValueError: a template has a parameter that is not a whole segment of text.
    """

    def __init__(self, routers: Sequence[GroupRouter]) -> None:
        self._root = _Node()
        self.groups: list[RouteGroup] = []
        count = 0
        for router in routers:
            if router.group not in self.groups:
                self.groups.append(router.group)
                self._add_prefix(router.group)
            for route in router.routes:
                if not isinstance(route, APIRoute):
                    raise ValueError(f"{route!r} is not a route of a path")
                self._add(route, router.group, count)
                count += 1
        # Paths without parameters, which many requests have, are looked up at once.
        self._fixed = {
            (method, route.path): self._find(method, route.path)
            for router in routers
            for route in router.routes
            if isinstance(route, APIRoute) and not route.param_convertors
            for method in route.methods or ()
        }

    def of(self, scope: Scope) -> RouteGroup:
        """The group of a request; looked up once and kept in its scope."""
        group: RouteGroup | None = scope.get(SCOPE_KEY)
        if group is None:
            group = scope[SCOPE_KEY] = self.find(scope.get("method", "GET"), scope.get("path", ""))
        return group

    def find(self, method: str, path: str) -> RouteGroup:
        """The group of the route that has the method and path, else of the first that has the path. An unknown path
        below a group's prefix is of no group, and is answered in that group's shape."""
        fixed = self._fixed.get((method, path))
        return self._find(method, path) if fixed is None else fixed

    def _find(self, method: str, path: str) -> RouteGroup:
        if not path.startswith("/"):
            return UNKNOWN
        segments = path.split("/")
        found = list(_leaves(self._root, segments, 1))
        if path.endswith("\n"):  # the regular expressions of routing end with $, which ignores it
            found += _leaves(self._root, path[:-1].split("/"), 1)
        if not found:
            return self._below(segments)
        offered = [leaf.entries[method] for leaf in found if method in leaf.entries]
        _, group = min(offered or (entry for leaf in found for entry in leaf.entries.values()), key=lambda one: one[0])
        return group

    def _below(self, segments: Sequence[str]) -> RouteGroup:
        node, group = self._root, UNKNOWN
        for segment in segments[1:]:
            following = node.children.get(segment)
            if following is None:
                break
            node, group = following, following.below or group
        return group

    def _add(self, route: APIRoute, group: RouteGroup, position: int) -> None:
        node = self._root
        for segment in route.path_format.split("/")[1:]:
            if "{" not in segment:
                node = node.children.setdefault(segment, _Node())
                continue
            convertor = route.param_convertors.get(segment[1:-1])
            if not isinstance(convertor, StringConvertor):
                raise ValueError(f"{route.path}: a parameter must be a whole segment of text")
            node.parameter = node.parameter or _Node()
            node = node.parameter
        for method in route.methods or ():
            node.entries.setdefault(method, (position, group))

    def _add_prefix(self, group: RouteGroup) -> None:
        node = self._root
        for segment in group.prefix.split("/")[1:]:
            node = node.children.setdefault(segment, _Node())
        if node.below is None:
            node.below = replace(
                UNKNOWN, prefix=group.prefix, errors=group.errors, origins=_below_prefix(group.origins)
            )


def _below_prefix(origins: Origins) -> Origins:
    """Only groups for any origin cover a whole prefix; those for the site share theirs with others."""
    return Origins.ANY if origins is Origins.ANY else Origins.NONE


def _leaves(node: _Node, segments: Sequence[str], depth: int) -> Iterable[_Node]:
    """The nodes at which the segments end, and a route does too."""
    if depth == len(segments):
        if node.entries:
            yield node
        return
    segment = segments[depth]
    child = node.children.get(segment)
    if child is not None:
        yield from _leaves(child, segments, depth + 1)
    if node.parameter is not None and segment:
        yield from _leaves(node.parameter, segments, depth + 1)
