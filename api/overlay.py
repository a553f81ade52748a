"""Built-in TOML tables overridden by a file of the operator's, read again when the file changes."""

import logging
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

LOG = logging.getLogger(__name__)
Value = TypeVar("Value")


class OverlayError(ValueError):
    """An operator's file cannot be used; the message names it and says why."""


@dataclass(frozen=True)
class Overlay(Generic[Value]):
    """One kind of settings.

    Args:
        what: what messages call the file, such as "limits file".
        package: where the built-in tables are, in the file ``name``.
        shape: what the tables have to be.
        error: raised of a file that cannot be used.
        deep: tables within tables merge; else the operator's take the place of the built-in ones as wholes.
    """

    what: str
    package: str
    name: str
    shape: TypeAdapter[Value]
    error: type[OverlayError] = OverlayError
    deep: bool = True

    def load(self, path: Path | None) -> Value:
        """The built-in tables overridden by the file at ``path``.

        Raises:
            OverlayError: of the class ``error``; the file is missing, is not TOML, or holds what cannot be.
        """
        tables = dict(builtin(self.package, self.name))
        if path is not None:
            try:
                over = tomllib.loads(path.read_text())
            except OSError as error:
                raise self.error(f"{self.what} {path}: {error.strerror}") from error
            except ValueError as error:  # not TOML, or not even text
                raise self.error(f"{self.what} {path}: {error}") from error
            tables = _merge(tables, over) if self.deep else {**tables, **over}
        try:
            return self.shape.validate_python(tables)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise self.error(f"{self.what} {path}: {field + ': ' if field else ''}{first['msg']}") from error


class OverlayFile(Generic[Value]):
    """What an operator's file says now. One that turns bad while the service runs is reported and not taken over.

    Raises:
        OverlayError: the file cannot be used to begin with.
    """

    def __init__(self, path: Path | None, load: Callable[[Path | None], Value]) -> None:
        self.path = path
        self._load = load
        self._stamp = self._modified()
        self.value = load(path)

    def look_again(self) -> None:
        """Take over what the file says, if it changed."""
        stamp = self._modified()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self.value = self._load(self.path)
        except OverlayError as error:
            LOG.error("what was read before stays in force: %s", error)

    def _modified(self) -> tuple[int, int] | None:
        if self.path is None:
            return None
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


@cache
def builtin(package: str, name: str) -> Mapping[str, Any]:
    """Tables that come with the service."""
    return tomllib.loads(files(package).joinpath(name).read_text())


def _merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, value in over.items():
        known = merged.get(key)
        merged[key] = _merge(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return merged
