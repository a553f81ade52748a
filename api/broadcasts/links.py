"""Links and images of broadcasts. Pure rules: which links a text has, and whether a domain is on the blocklist.

A domain is compared in its ASCII form, so that punycode and Unicode are one, and as it looks: letters of other scripts
that pass for Latin ones count as these.
"""

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import idna
from pydantic import BaseModel, ConfigDict, TypeAdapter

from api.metadata.cids import read_cid
from api.overlay import Overlay, OverlayFile
from warehouse.domain.symbols import fold

MAX_LINKS: Final = 10
_MAX_DEPTH: Final = 20
_URL = re.compile(r"[a-z][a-z0-9+.-]*:/{1,3}[^\s<>\"'`]+", re.IGNORECASE)
_DOMAIN = re.compile(r"(?<![\w@.-])(?:[^\W_][\w-]{0,62}[.。．｡])+[^\W\d_][\w-]{1,62}(?![\w-])")
_HOST = re.compile(r"[a-z0-9.-]+")
_DOTS = str.maketrans("。．｡", "...")
_GATEWAYS: Final = (
    "ipfs.io",
    "dweb.link",
    "w3s.link",
    "nftstorage.link",
    "gateway.pinata.cloud",
    "4everland.io",
    "cf-ipfs.com",
    "ipfs.filebase.io",
)
_ARWEAVE: Final = ("arweave.net", "ar-io.dev", "permagate.io")
_ARWEAVE_PATH = re.compile(r"/(?:raw/)?([A-Za-z0-9_-]{43})(?:/.*)?")


class _Domains(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    domains: list[str]


_OVERLAY = Overlay("blocklist", "api.broadcasts", "blocklist.toml", TypeAdapter(_Domains))


class BlocklistFile(OverlayFile[_Domains]):
    """The operator's blocklist, read again when its file changes."""

    def __init__(self, path: Path | None) -> None:
        super().__init__(path, _OVERLAY.load)

    @property
    def current(self) -> "Blocklist":
        """The list as it is now."""
        self.look_again()
        return Blocklist(self.value.domains)


class Blocklist:
    """Domains that nothing may link to, with all below them."""

    def __init__(self, domains: Sequence[str]) -> None:
        self._plain = frozenset(filter(None, map(ascii_domain, domains)))
        self._looks = frozenset(map(_look, self._plain))

    def blocked(self, host: str) -> str | None:
        """The domain of the list that a host is, is below, or looks like; None if it is allowed."""
        plain = ascii_domain(host)
        if plain is None:
            return None
        labels = plain.split(".")
        for start in range(len(labels) - 1):
            domain = ".".join(labels[start:])
            if domain in self._plain or ("xn--" in domain and _look(domain) in self._looks):
                return domain
        return None


def ascii_domain(host: str) -> str | None:
    """A host in lower-case ASCII; None where it is no domain's name."""
    host = host.translate(_DOTS).rstrip(".")
    try:
        return idna.encode(host, uts46=True, transitional=False).decode().lower()
    except UnicodeError:
        # Names that registries would not take but browsers open, such as those with an underscore.
        return host.lower() if host.isascii() and host else None


def _look(domain: str) -> str:
    try:
        shown = idna.decode(domain)
    except UnicodeError:
        shown = domain
    return ".".join(fold(label) for label in shown.split("."))


def urls_in(text: str) -> list[str]:
    """The URLs that a text spells out."""
    return [found.rstrip(".,;:!?)]}") for found in _URL.findall(text)]


def hosts_in(text: str) -> Iterator[str]:
    """Every host that a text names: of its URLs, and what reads like a domain."""
    for url in urls_in(text):
        host = host_of(url)
        if host is not None:
            yield host
    yield from (found.group() for found in _DOMAIN.finditer(text))


def host_of(url: str) -> str | None:
    """The host of a URL; None where there is none. Browsers read backslashes and missing slashes as slashes."""
    scheme, _, rest = url.replace("\\", "/").partition(":")
    try:
        return urlsplit(f"{scheme}://{rest.lstrip('/')}").hostname
    except ValueError:
        return None


def texts_of(content: Any, depth: int = 0) -> Iterator[str]:
    """Every text of a rich-text body, keys of objects included.

    Raises:
        ValueError: it is nested too deeply.
    """
    if depth > _MAX_DEPTH:
        raise ValueError(f"is nested more than {_MAX_DEPTH} deep")
    if isinstance(content, str):
        yield content
    elif isinstance(content, Mapping):
        for name, value in content.items():
            yield str(name)
            yield from texts_of(value, depth + 1)
    elif isinstance(content, Sequence):
        for value in content:
            yield from texts_of(value, depth + 1)


def images_of(content: Any) -> Iterator[str]:
    """The sources of the images of a rich-text body: every ``src``, whatever its node is called."""
    if isinstance(content, Mapping):
        for name, value in content.items():
            if str(name).lower() in ("src", "srcset", "poster", "background", "image", "imageurl"):
                yield value if isinstance(value, str) else ""
            else:
                yield from images_of(value)
    elif isinstance(content, Sequence) and not isinstance(content, str):
        for value in content:
            yield from images_of(value)


def _sandbox_of(id: str) -> str:
    """The label under which a gateway serves content of Arweave. Other labels are names, which lead to anything."""
    return base64.b32encode(base64.urlsafe_b64decode(f"{id}=")).decode().rstrip("=").lower()


def is_permanent(url: str) -> bool:
    """Whether an image lies on IPFS or Arweave, by its content's id: nobody can change it afterwards."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = parts.port
    except ValueError:
        return False
    if parts.scheme != "https" or port not in (None, 443) or parts.username is not None or not _HOST.fullmatch(host):
        return False
    # Browsers resolve these before they ask, so the path would no longer name the content.
    if "\\" in url or {".", ".."} & set(unquote(parts.path).split("/")):
        return False
    if host in _ARWEAVE or any(host.endswith(f".{gateway}") for gateway in _ARWEAVE):
        found = _ARWEAVE_PATH.fullmatch(parts.path)
        return found is not None and (
            host in _ARWEAVE or host in [f"{_sandbox_of(found[1])}.{gateway}" for gateway in _ARWEAVE]
        )
    for gateway in _GATEWAYS:
        if host == gateway:
            first, _, cid = parts.path.removeprefix("/").partition("/")
            return first == "ipfs" and read_cid(cid.partition("/")[0]) is not None
        if host.endswith(f".{gateway}"):
            label = host.removesuffix(f".{gateway}").removesuffix(".ipfs")
            return "." not in label and read_cid(label) is not None
    return False
