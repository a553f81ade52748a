"""Rows of the token list's tables."""

from dataclasses import dataclass
from datetime import datetime

from api.tokenlists.schemas import ListVersion


@dataclass(frozen=True, slots=True)
class Version:
    """A published version of the list, and how many tokens it has."""

    version_id: int
    major: int
    minor: int
    patch: int
    published_at: datetime
    tokens: int

    def render(self) -> ListVersion:
        """The wire form."""
        return ListVersion(major=self.major, minor=self.minor, patch=self.patch)


@dataclass(frozen=True, slots=True)
class VersionChanges(Version):
    """A version with the number of tokens that it added, changed and removed."""

    added: int
    changed: int
    removed: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A token of a version. ``crown_id`` is the id of its registration."""

    chain_id: int
    address: str
    crown_id: int
    symbol: str
    name: str
    decimals: int
    logo_uri: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A token that two versions list differently; ``crown_id`` is None in the version that lacks it."""

    chain_id: int
    address: str
    crown_id: int | None
    symbol: str | None
    name: str | None
    decimals: int | None
    logo_uri: str | None
    old_crown_id: int | None
    old_symbol: str | None
    old_name: str | None
    old_decimals: int | None
    old_logo_uri: str | None

    @property
    def old(self) -> Entry | None:
        """The token in the earlier version."""
        if self.old_crown_id is None:
            return None
        assert self.old_symbol is not None  # noqa: S101 - the columns are null together
        assert self.old_name is not None  # noqa: S101
        assert self.old_decimals is not None  # noqa: S101
        return Entry(
            self.chain_id,
            self.address,
            self.old_crown_id,
            self.old_symbol,
            self.old_name,
            self.old_decimals,
            self.old_logo_uri,
        )

    @property
    def new(self) -> Entry | None:
        """The token in the later version."""
        if self.crown_id is None:
            return None
        assert self.symbol is not None  # noqa: S101 - the columns are null together
        assert self.name is not None  # noqa: S101
        assert self.decimals is not None  # noqa: S101
        return Entry(self.chain_id, self.address, self.crown_id, self.symbol, self.name, self.decimals, self.logo_uri)
