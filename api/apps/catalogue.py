"""The catalogue of apps: the service's own, overridden by the operator's file."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, field_validator

from api.overlay import Overlay, OverlayError, builtin

ID_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}/[a-z0-9][a-z0-9-]{0,63}$"
Rating = Literal["general", "nsfw"]
_Id = Annotated[str, StringConstraints(pattern=ID_PATTERN)]


class CatalogueError(OverlayError):
    """The catalogue cannot be used; the message says why."""


class App(BaseModel):
    """An app. ``rating`` nsfw keeps it from public answers."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1, max_length=60)
    description: str = Field(max_length=500)
    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    category: str = Field(pattern=r"^[a-z][a-z-]{0,31}$")
    icon: str | None = Field(default=None, pattern=r"^https://\S+$")
    rating: Rating = "general"
    embed: Mapping[str, Any] | None = None

    @field_validator("embed")
    @classmethod
    def _declares_its_kind(cls, embed: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        if embed is not None and not isinstance(embed.get("kind"), str):
            raise ValueError("embed.kind must be text")
        return embed


class Catalogue:
    """Apps by id."""

    def __init__(self, apps: Mapping[str, App], own: Iterable[str]) -> None:
        self.apps = dict(apps)
        self._own = frozenset(own)

    def is_first_party(self, app_id: str) -> bool:
        """Whether the app is one of the service's own."""
        return app_id in self._own

    def render(self, app_id: str, filled: Mapping[str, str]) -> dict[str, Any] | None:
        """An app's public form; None if it is hidden from the public. ``filled`` replaces ``{name}`` in the text
        members of its embed; names without a value are left for the embedding page."""
        app = self.apps.get(app_id)
        if app is None or app.rating == "nsfw":
            return None
        return {
            "id": app_id,
            "name": app.name,
            "description": app.description,
            "version": app.version,
            "category": app.category,
            "icon": app.icon,
            "firstParty": self.is_first_party(app_id),
            "embed": None if app.embed is None else {key: _fill(value, filled) for key, value in app.embed.items()},
        }


_OVERLAY = Overlay("apps file", "api.apps", "catalogue.toml", TypeAdapter(dict[_Id, App]), CatalogueError, deep=False)


def load(path: Path | None) -> Catalogue:
    """The service's own apps and those of the file at ``path``.

    Raises:
        CatalogueError: the file is missing, is not TOML, or holds an entry that is no app.
    """
    return Catalogue(_OVERLAY.load(path), builtin(_OVERLAY.package, _OVERLAY.name))


def _fill(value: Any, filled: Mapping[str, str]) -> Any:
    if not isinstance(value, str):
        return value
    for name, text in filled.items():
        value = value.replace(f"{{{name}}}", text)
    return value
