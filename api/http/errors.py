"""Errors that reach a client.

    ApiError                    500
    ├── InvalidInput            400, names the field
    ├── Unauthorized            401, a credential is missing or has ended
    ├── Forbidden               403, a credential is not valid or not sufficient
    ├── NotFound                404
    ├── MethodNotAllowed        405
    ├── RequestTimeout          408
    ├── Conflict                409
    ├── PreconditionFailed      412
    ├── PayloadTooLarge         413
    ├── UriTooLong              414
    ├── UnsupportedMediaType    415
    ├── Unprocessable           422
    ├── TooManyRequests         429 with Retry-After
    ├── HeadersTooLarge         431
    ├── BadGateway              502
    └── Unavailable             503 with Retry-After

Domains subclass these; see :class:`ApiError`. How an error looks on the wire is the route group's to say
(``api/http/error_shapes.py``).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel

ERRORS_MARK = "__errors__"
Dependency = TypeVar("Dependency", bound=Callable[..., Any])
RETRY_SECONDS = 5


class ApiError(Exception):
    """An answer other than success, and the base of every error of a domain.

    A domain names its errors: a subclass of one of those below with its ``code``, raised in the service and given to
    ``RouteGroup.responses`` where the route is declared, so that OpenAPI and the answer cannot disagree.

        class SymbolTaken(Conflict):
            code = "CLAIM_DUPLICATE"
            text = "symbol: PEPE is already registered on Base"

    Class attributes:
        status: of the answer.
        code: for programs; None means the code that the route group has for the status.
        text: the message that OpenAPI shows, and of an error raised without a message of its own.
        details_schema: further members of the body, as OpenAPI describes them; None: there are none.
        example_details: further members of the body that OpenAPI shows.

    Args:
        message: for people; names the field where one is wrong.
        details: further members of the body.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str | None] = None
    text: ClassVar[str] = "something went wrong on our side"
    details_schema: ClassVar[type[BaseModel] | None] = None
    example_details: ClassVar[Mapping[str, Any]] = {}

    def __init__(
        self,
        message: str | None = None,
        *,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.message = self.text if message is None else message
        super().__init__(self.message)
        self.details = dict(details or {})
        self.headers = dict(headers or {})


class InvalidInput(ApiError):
    """The request is malformed; the message begins with the field's name."""

    status = 400
    text = "symbol: must be text"

    def __init__(self, field_name: str, problem: str) -> None:
        super().__init__(f"{field_name}: {problem}")
        self.field = field_name


class Unauthorized(ApiError):
    """A credential is needed and none was sent. ``challenge`` says how to send one (RFC 9110, 11.6.1)."""

    status = 401
    text = "X-API-Key: is required"

    def __init__(self, message: str | None = None, *, challenge: str = "Bearer") -> None:
        super().__init__(message, headers={"WWW-Authenticate": challenge})


class Forbidden(ApiError):
    """The credential is not valid, or not sufficient."""

    status = 403
    text = "X-API-Key: is not valid"


class NotFound(ApiError):
    """There is nothing at this path."""

    status = 404
    text = "nothing was found"


class MethodNotAllowed(ApiError):
    """The path exists, but not with this method."""

    status = 405
    text = "the method is not offered here"


class RequestTimeout(ApiError):
    """The headers of the request did not arrive in time."""

    status = 408
    text = "the request did not arrive in time"


class Conflict(ApiError):
    """The request contradicts the present state."""

    status = 409
    text = "this is not possible now"


class PreconditionFailed(ApiError):
    """``If-Match`` names another version than the present one."""

    status = 412
    text = "If-Match: this was changed since it was read"


class PayloadTooLarge(ApiError):
    """The body has more bytes than the route accepts."""

    status = 413
    text = "body: is larger than 65536 bytes"


class UriTooLong(ApiError):
    """The path and query have more bytes than the service accepts."""

    status = 414
    text = "the path and query are longer than 8192 bytes"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"the path and query are longer than {most_bytes} bytes")


class UnsupportedMediaType(ApiError):
    """The body's media type is not one that the route accepts."""

    status = 415
    text = "Content-Type: must be application/json"


class Unprocessable(ApiError):
    """The request is well-formed, and a rule of the domain refuses it."""

    status = 422
    text = "this is not accepted"


class TooManyRequests(ApiError):
    """The caller exceeded a limit, and may ask again after ``wait_seconds``."""

    status = 429
    text = "more than 50 requests a second"

    def __init__(self, message: str | None = None, wait_seconds: float = 1) -> None:
        super().__init__(message, headers={"Retry-After": str(max(1, math.ceil(wait_seconds)))})


class TooManyConnections(TooManyRequests):
    """The client's address has as many connections open as it may have."""

    text = "too many connections are open from this address"


class HeadersTooLarge(ApiError):
    """The headers have more bytes than the service accepts."""

    status = 431
    text = "the headers are larger than 32768 bytes"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"the headers are larger than {most_bytes} bytes")


class BadGateway(ApiError):
    """A service that this one depends on answered something that cannot be right."""

    status = 502
    text = "a service behind this one answered wrongly"


class Unavailable(ApiError):
    """The request cannot be answered now. Never means "no"."""

    status = 503
    text = "a part of the service does not answer now, try again"

    def __init__(
        self,
        message: str | None = None,
        *,
        retry_after_seconds: int = RETRY_SECONDS,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message, details=details, headers={"Retry-After": str(retry_after_seconds)})


class ChainUnavailable(Unavailable):
    """No node of a chain answered as it must."""

    text = "the chain cannot be read now, try again"


def raises(*errors: type[ApiError]) -> Callable[[Dependency], Dependency]:
    """Declare the errors that a dependency raises: OpenAPI shows them at every route that has it."""

    def mark(dependency: Dependency) -> Dependency:
        setattr(dependency, ERRORS_MARK, errors)
        return dependency

    return mark
