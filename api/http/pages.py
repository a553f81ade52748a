"""Pages of lists: by number, with the total; or by cursor, one entry after the other."""

from collections.abc import Sequence
from typing import Annotated, Any, Final, Self, TypeVar

from fastapi import Query
from pydantic import Field

from api.http.members import Count
from api.http.rendering import Wire

MAX_PAGE: Final = 1_000_000
MAX_PAGE_SIZE: Final = 100
DEFAULT_PAGE_SIZE: Final = 25
Entry = TypeVar("Entry")

PageNumber = Annotated[int, Query(ge=1, le=MAX_PAGE, description="Which page, from 1.")]
PageSize = Annotated[int, Query(alias="pageSize", ge=1, le=MAX_PAGE_SIZE, description="Entries per page.")]


class NumberedPage(Wire):
    """The place of a page in the whole list."""

    total: Count = Field(description="Entries on all pages.")
    returned: Count = Field(description="Entries on this page.")
    page: Count = Field(description="Number of this page, from 1.")
    page_size: Count = Field(description="Entries per page.")
    total_pages: Count = Field(description="Number of pages.")
    has_more: bool = Field(description="Whether a page follows.")

    @classmethod
    def of(cls, *, total: int, offset: int, returned: int, page_size: int, **more: Any) -> Self:
        """The place of a page whose first entry has ``offset`` entries before it."""
        return cls(
            total=total,
            returned=returned,
            page=offset // page_size + 1,
            page_size=page_size,
            total_pages=-(-total // page_size),
            has_more=returned > 0 and offset + returned < total,
            **more,
        )


def cut_page(entries: Sequence[Entry], limit: int) -> tuple[Sequence[Entry], bool]:
    """A page of ``limit`` entries, and whether more follow. ``entries`` were read with a limit of one more."""
    return entries[:limit], len(entries) > limit
