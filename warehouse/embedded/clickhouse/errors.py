"""ClickHouse errors as the HTTP protocol sends them: a code, a text that begins with it, an HTTP status."""

import re

_CODE = re.compile(r"Code: (\d+)")

UNKNOWN_EXCEPTION = 1002

NO_HANDLER = 404

_STATUS = {
    **dict.fromkeys((6, 25, 26, 27, 36, 38, 41, 42, 43, 53, 62, 69, 70, 72, 117, 130, 168, 184, 215, 386, 456), 400),
    **dict.fromkeys((46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 372), 404),
    **dict.fromkeys((164, 192, 193, 291, 497, 516), 403),
    171: 413,
    NO_HANDLER: 404,
    48: 501,
    159: 408,
    209: 408,
    202: 503,
    236: 503,
    373: 409,
}


class ClickHouseError(Exception):
    """An error with ClickHouse's numeric code; ``text`` is what goes over the wire."""

    def __init__(self, code: int, name: str, message: str) -> None:
        self.code = code
        self.text = f"Code: {code}. DB::Exception: {message} ({name})"
        super().__init__(self.text)

    @classmethod
    def from_engine(cls, error: BaseException) -> "ClickHouseError":
        """The error that the engine reported, without what the Python binding adds."""
        if isinstance(error, cls):
            return error
        text = str(error).strip() or type(error).__name__
        found = _CODE.search(text)
        made = cls.__new__(cls)
        made.code = int(found.group(1)) if found else UNKNOWN_EXCEPTION
        made.text = text[found.start() :] if found else f"Code: {UNKNOWN_EXCEPTION}. DB::Exception: {text}"
        Exception.__init__(made, made.text)
        return made

    @property
    def status(self) -> int:
        """HTTP status of the answer."""
        return _STATUS.get(self.code, 500)

    def wire(self, version: str) -> bytes:
        """The body of the answer, with the version a client's parser expects at its end."""
        suffix = "" if "(version " in self.text else f" (version {version} (embedded))"
        return f"{self.text}{suffix}\n".encode()


def refused(message: str) -> ClickHouseError:
    """The server does not run such a statement."""
    return ClickHouseError(48, "NOT_IMPLEMENTED", message)


def denied(message: str) -> ClickHouseError:
    """This user may not do that."""
    return ClickHouseError(497, "ACCESS_DENIED", message)


def bad_request(message: str) -> ClickHouseError:
    """The request is malformed."""
    return ClickHouseError(36, "BAD_ARGUMENTS", message)
