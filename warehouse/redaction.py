"""Keeps secrets out of text that is logged.

Two nets: the secrets that this process knows, wherever they occur, and the forms that secrets have: credentials, paths
and queries of URLs (the keys of nodes and webhooks are there), API keys, bearer tokens, JSON Web Tokens, the values of
headers that carry credentials, and mail addresses.
"""

import logging
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from warehouse.settings import EngineSettings

HIDDEN = "***"
_SHORTEST = 8
"""A known secret that is shorter is not looked for: it would hide ordinary words."""

_URL = re.compile(
    r"""\b(?P<scheme>[a-z][a-z0-9+.-]*)://(?:[^\s/?#@'"<>]*@)?(?P<host>[^\s/?#'"<>,;)\]}\\]*)"""
    r"""(?P<rest>[/?#][^\s'"<>,;)\]}\\]*)?""",
    re.IGNORECASE,
)
_FORMS = (
    (re.compile(r"\b[a-z][a-z0-9]{1,15}_(?:live|test)_[A-Za-z0-9_-]{8,}"), HIDDEN),
    (re.compile(r"\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*"), HIDDEN),
    (re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{8,}"), rf"\1 {HIDDEN}"),
    (
        re.compile(
            r"(?i)((?:x-api-key|x-clickhouse-key|authorization|cookie|api[_-]?key|password|secret|private_?key)"
            r"""["']?\s*[:=,]\s*b?["']?)(?!\*\*\*|(?:bearer|basic) )[^\s"',;)}&]+"""
        ),
        rf"\1{HIDDEN}",
    ),
    (re.compile(r"\b[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}\b"), HIDDEN),
)
_SECRET_NAME = re.compile(
    r"REGALIA\w*_(?:PRIVATE_KEY|SIGNING_KEY|SEALING_KEY|TOKEN|SECRET|PASSPHRASE)|AWS_(?:SECRET_ACCESS_KEY|SESSION_TOKEN)"
)


@dataclass(frozen=True, slots=True)
class Redaction:
    """What to take out: ``known`` matches the process's own secrets, None if it has none."""

    known: re.Pattern[str] | None

    @classmethod
    def of(cls, settings: EngineSettings) -> Self:
        """Of the environment, and of the chains file. A file that cannot be read is the caller's to report."""
        secrets = {text for text in _secrets(settings) if len(text) >= _SHORTEST}
        longest_first = sorted(secrets, key=len, reverse=True)
        return cls(re.compile("|".join(map(re.escape, longest_first))) if secrets else None)

    def record_class(self) -> type[logging.LogRecord]:
        """A class of log entries whose message and traceback are clean, whatever handler writes them."""
        clean = self.clean

        class CleanRecord(logging.LogRecord):
            def getMessage(self) -> str:
                return clean(super().getMessage())

            @property
            def exc_text(self) -> str | None:
                return self.__dict__.get("exc_text")

            @exc_text.setter
            def exc_text(self, text: str | None) -> None:
                self.__dict__["exc_text"] = None if text is None else clean(text)

        return CleanRecord

    def clean(self, text: str) -> str:
        """The text without secrets."""
        if self.known is not None:
            text = self.known.sub(HIDDEN, text)
        if "://" in text:
            text = _URL.sub(_bare, text)
        for form, instead in _FORMS:
            text = form.sub(instead, text)
        return text


def _bare(found: "re.Match[str]") -> str:
    """The URL's scheme and host; of the rest only that there is one."""
    rest = found["rest"]
    return f"{found['scheme']}://{found['host']}{'/' if rest == '/' else '/' + HIDDEN if rest else ''}"


def _secrets(settings: EngineSettings) -> Iterator[str]:
    for name, value in os.environ.items():
        if _SECRET_NAME.fullmatch(name):
            yield value
    for url in (settings.clickhouse_url, settings.database_url, settings.analyst_url):
        if url and (password := _password(url)):
            yield password
    if settings.alert_webhook_url is not None:
        yield from _parts(str(settings.alert_webhook_url))
    yield from (value.get_secret_value() for value in settings.otlp_headers.values())
    if settings.otlp_url is not None:
        yield from _parts(str(settings.otlp_url))
    for url in _node_urls(settings.chains):
        yield from _parts(url)


def _password(url: str) -> str | None:
    try:
        found = urlsplit(url).password
    except ValueError:
        return None
    return unquote(found) if found else None


def _parts(url: str) -> Iterable[str]:
    """What of a URL may be a key: its password, and long segments of its path and query."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    if parts.password:
        yield parts.password
    yield from (segment for segment in re.split(r"[/?&=]", f"{parts.path}?{parts.query}") if len(segment) >= 12)


def _node_urls(path: Path | None) -> Iterator[str]:
    if path is None:
        return
    try:
        chains = tomllib.loads(path.read_text()).get("chains", {})
    except (OSError, ValueError):
        return
    for chain in chains.values():
        urls = chain.get("rpc_urls") if isinstance(chain, dict) else None
        yield from (url for url in urls or () if isinstance(url, str))
