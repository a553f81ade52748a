"""Text of strangers in lines for people: it cannot look like an entry, nor command a terminal."""

from typing import Any


def escaped(value: Any) -> str:
    """A value in one line: what cannot be printed becomes an escape, such as a line feed."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def indented(traceback: str) -> str:
    """Its lines, escaped and indented: only an entry begins at the margin."""
    return "\n".join(f"  {escaped(line)}" for line in traceback.splitlines())
