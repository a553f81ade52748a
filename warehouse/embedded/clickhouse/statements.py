"""A tokenizer of ClickHouse SQL: what a statement does, its format, where the data of an insert begins.

The engine parses statements. This module refuses several statements in one request, files of this machine and a
shutdown, also where quotes or comments try to hide them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from .errors import ClickHouseError, refused

_TOKEN = re.compile(
    rb"""
    (?P<space>\s+ | --[^\n]* | //[^\n]* | \#[\ !][^\n]*)
  | (?P<comment>/\*)
  | (?P<string>'(?:[^'\\]|\\.|'')*')
  | (?P<quoted>`(?:[^`\\]|\\.|``)*` | "(?:[^"\\]|\\.|"")*")
  | (?P<heredoc>\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\d[\w.]*)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENT_EDGE = re.compile(rb"/\*|\*/")
_FIRST_WORD = re.compile(rb"(?:\s|--[^\n]*\n|//[^\n]*\n|\#[ !][^\n]*\n|/\*(?:(?!/\*|\*/).)*\*/)*(\w+|\()", re.DOTALL)
_TRAILING_FORMAT = re.compile(rb"\bFORMAT\s+(\w+)\s*(?:SETTINGS\b[^;]*)?;?\s*$", re.IGNORECASE)
_NEEDS_LEXING = re.compile(rb";|\b(?:OUTFILE|INFILE|SHUTDOWN|SYSTEM|FORMAT)\b", re.IGNORECASE)
_DATA_START = re.compile(rb"[ \t]*(?:\r?\n)?")

_CACHED_BYTES = 16_384

READS = frozenset({b"SELECT", b"WITH", b"SHOW", b"DESCRIBE", b"DESC", b"EXISTS", b"EXPLAIN", b"("})


@dataclass(frozen=True, slots=True)
class Token:
    """A significant token: its kind (word, quoted, string, heredoc, number, other), text and place."""

    kind: str
    text: bytes
    start: int
    end: int

    @property
    def upper(self) -> bytes:
        """The text upper-cased, for comparing keywords."""
        return self.text.upper()


@dataclass(frozen=True, slots=True)
class InsertHead:
    """``INSERT INTO … FORMAT x`` up to where its data begins."""

    statement: bytes
    format: str
    data_start: int


def tokens(sql: bytes, start: int = 0) -> Iterator[Token]:
    """Significant tokens; white space and comments (which nest) are skipped."""
    position = start
    while position < len(sql):
        found = _TOKEN.match(sql, position)
        if found is None:  # impossible: the last alternative matches any byte
            return
        kind = found.lastgroup if found.lastgroup != "tag" else "heredoc"
        if kind == "comment":
            position = _comment_end(sql, found.end())
            continue
        position = found.end()
        if kind != "space":
            yield Token(kind or "other", found.group(), found.start(), found.end())


def _comment_end(sql: bytes, position: int) -> int:
    depth = 1
    while depth:
        edge = _COMMENT_EDGE.search(sql, position)
        if edge is None:
            return len(sql)
        depth += 1 if edge.group() == b"/*" else -1
        position = edge.end()
    return position


def keyword(sql: bytes) -> bytes:
    """The statement's first word, upper-cased."""
    found = _FIRST_WORD.match(sql)
    if found is None:
        first = next(tokens(sql), None)
        return first.upper if first else b""
    return found.group(1).upper()


def output_format(sql: bytes) -> str | None:
    """The format a read asks for in its own text."""
    tail = sql[-400:]
    found = _TRAILING_FORMAT.search(tail)
    if found is None:
        return None
    if b"--" not in tail and b"/*" not in tail and b"//" not in tail and b"#" not in tail:
        return found.group(1).decode()
    significant = list(tokens(sql))
    for index in range(len(significant) - 2, -1, -1):
        if significant[index].upper == b"FORMAT" and significant[index + 1].kind == "word":
            return significant[index + 1].text.decode()
    return None


def insert_head(sql: bytes, complete: bool) -> InsertHead | None:
    """The head of an insert whose data follows in ``sql``, or None when it is another statement or incomplete.

    ``complete`` says that nothing more is coming.
    """
    if keyword(sql) != b"INSERT":
        return None
    depth = 0
    significant = tokens(sql)
    for token in significant:
        if token.text == b"(":
            depth += 1
        elif token.text == b")":
            depth -= 1
        elif depth == 0 and token.kind == "word":
            if token.upper in (b"SELECT", b"WITH", b"WATCH"):
                return None
            if token.upper == b"INFILE":
                raise refused("FROM INFILE is not allowed on the embedded server")
            if token.upper == b"VALUES":
                return InsertHead(sql[: token.start], "Values", token.end)
            if token.upper == b"FORMAT":
                name = next(significant, None)
                # Without a byte after it, the name may continue in the next part of the body.
                if name is None or name.kind != "word" or (name.end == len(sql) and not complete):
                    return None
                if name.upper == b"VALUES":
                    return InsertHead(sql[: token.start], "Values", name.end)
                gap = _DATA_START.match(sql, name.end)
                return InsertHead(sql[: token.start], name.text.decode(), gap.end() if gap else name.end)
    return None


def check(sql: bytes) -> None:
    """Refuse what no user may run.

    Raises:
        ClickHouseError: several statements, a file of this machine, or a shutdown.
    """
    if len(sql) <= _CACHED_BYTES:
        _check_cached(sql)
    else:
        _check(sql)


def _check(sql: bytes) -> None:
    if not _NEEDS_LEXING.search(sql):
        return
    ended = False
    before = b""
    for token in tokens(sql):
        if ended and token.text != b";":
            raise ClickHouseError(62, "SYNTAX_ERROR", "Multi-statements are not allowed")
        if token.text == b";":
            ended = True
        elif token.kind == "word":
            upper = token.upper
            if upper == b"OUTFILE" and before == b"INTO":
                raise refused("INTO OUTFILE is not allowed on the embedded server")
            if upper == b"INFILE" and before == b"FROM":
                raise refused("FROM INFILE is not allowed on the embedded server")
            if upper in (b"SHUTDOWN", b"KILL") and before == b"SYSTEM":
                raise refused("SYSTEM SHUTDOWN is not allowed on the embedded server")
        before = token.upper


# Clients repeat a few statements, and tokenizing one with a semicolon in a comment can take as long as running it.
_check_cached = lru_cache(maxsize=256)(_check)
