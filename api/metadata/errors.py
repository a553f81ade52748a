"""Refusals and failures of the metadata routes."""

from collections.abc import Mapping
from typing import Any, ClassVar

from api.http.errors import BadGateway, Forbidden, NotFound, Unavailable
from api.metadata.schemas import StorageUse


class MetadataLimit(Forbidden):
    """The account keeps as many bytes as it may."""

    code = "METADATA_LIMIT"
    text = "an account may store 104857600 bytes; this one stores 104800000 and sent 90000 more"
    details_schema = StorageUse
    example_details: ClassVar[Mapping[str, Any]] = {"limitBytes": 104857600, "usedBytes": 104800000}


class ContentMismatch(BadGateway):
    """The IPFS node stored something else than it was sent."""

    text = "the IPFS node added other content than it was sent"


class ContentNotFound(NotFound):
    """Nothing was uploaded under this name."""

    text = "nothing was uploaded under this name"


class ContentUnavailable(Unavailable):
    """Contents cannot be read or kept now."""

    text = "content cannot be read or kept now, try again"
