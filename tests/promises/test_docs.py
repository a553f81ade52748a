"""README.md and docs name only what exists: files, modules, make targets and commands."""

import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PACKAGES = ("warehouse", "indexer", "pipelines", "api")
FOLDERS = (*PACKAGES, "sql", "tests", "docs", ".ci")
TARGETS = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

# Decision records name what they replaced.
REMOVED = {"api/models", "refresh.py"}

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
ANCHOR = re.compile(r"^#+ (.+)$", re.MULTILINE)
PATH = re.compile(rf"(?:{'|'.join(map(re.escape, FOLDERS))})/[\w./*<>{{}},-]*")
SOURCE_FILE = re.compile(r"[\w./<>-]+\.(?:py|sql|sol)")
MODULE = re.compile(rf"(?:{'|'.join((*PACKAGES, 'tests'))})(?:\.\w+)+")
RUN_MODULE = re.compile(r"python -m ([\w.]+)((?: [a-z][a-z-]*)*)")
RUN_REGALIA = re.compile(r"(?:^|[\s/(])regalia((?: [a-z][a-z-]*)+)", re.MULTILINE)
RUN_MAKE = re.compile(r"(?:^|\s)make ([a-z]+)", re.MULTILINE)

every_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


def spans(document: Path) -> list[str]:
    """Code in backticks, outside fenced blocks."""
    return SPAN.findall(FENCE.sub("", document.read_text()))


def code(document: Path) -> str:
    """Everything a reader may type: code in backticks and fenced blocks."""
    return "\n".join([*spans(document), *FENCE.findall(document.read_text())])


@cache
def files() -> frozenset[str]:
    """Every file below the folders of the project, as a path from the root."""
    return frozenset(
        str(path.relative_to(ROOT))
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    )


def alternatives(path: str) -> Iterator[str]:
    """The glob patterns that a path with ``{a,b}``, ``<name>`` or upper-case placeholders stands for."""
    braces = re.search(r"\{([^{}]*)\}", path)
    if braces:
        for choice in braces[1].split(","):
            yield from alternatives(path[: braces.start()] + choice + path[braces.end() :])
    else:
        yield re.sub(r"<[^>]*>|NNNN", "*", path).rstrip("/")


def exists(path: str) -> bool:
    return path in REMOVED or all(any(ROOT.glob(pattern)) for pattern in alternatives(path))


def anchors(document: Path) -> set[str]:
    """The fragments by which GitHub links to a document's headings."""
    titles = ANCHOR.findall(FENCE.sub("", document.read_text()))
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@cache
def commands_of(package: str) -> Any:
    """The command line of one package, as click's group of commands."""
    return typer.main.get_command(importlib.import_module(f"{package}.cli").app)


def is_known(package: str, words: str) -> bool:
    """Whether each word is a command, until the first that is a command without commands of its own."""
    command = commands_of(package)
    for word in words.split():
        if not hasattr(command, "commands"):
            break
        if word not in command.commands:
            return False
        command = command.commands[word]
    return True


@every_document
def test_relative_links_lead_to_files_and_headings(document: Path) -> None:
    broken = []
    for link in LINK.findall(FENCE.sub("", document.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, fragment = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (fragment and fragment not in anchors(target)):
            broken.append(link)
    assert broken == []


@every_document
def test_paths_in_backticks_exist(document: Path) -> None:
    wrong = []
    for span in spans(document):
        if PATH.fullmatch(span):
            if not exists(span):
                wrong.append(span)
        elif SOURCE_FILE.fullmatch(span) and not MODULE.fullmatch(span) and span not in REMOVED:
            pattern = re.compile("(?:.*/)?" + re.sub(r"<[^>]*>", "[^/]+", span) + "$")
            if not any(map(pattern.fullmatch, files())):
                wrong.append(span)
    assert wrong == []


@every_document
def test_modules_in_backticks_exist(document: Path) -> None:
    wrong = []
    for span in spans(document):
        if not MODULE.fullmatch(span):
            continue
        parts = span.split(".")
        depth = len(parts)
        while not exists("/".join(parts[:depth])) and not exists("/".join(parts[:depth]) + ".py"):
            depth -= 1
        value: object = importlib.import_module(".".join(parts[:depth]))
        for name in parts[depth:]:
            value = getattr(value, name, None)
        if value is None:
            wrong.append(span)
    assert wrong == []


@every_document
def test_commands_exist(document: Path) -> None:
    text = code(document)
    wrong = [f"make {target}" for target in RUN_MAKE.findall(text) if target not in TARGETS]
    wrong += [f"regalia{words}" for words in RUN_REGALIA.findall(text) if not is_known("api", words)]
    for module, words in RUN_MODULE.findall(text):
        if module.split(".")[0] not in (*PACKAGES, "tests"):
            continue
        path = ROOT / module.replace(".", "/")
        if not (path / "__main__.py").exists() and not path.with_suffix(".py").exists():
            wrong.append(f"python -m {module}")
        elif module in PACKAGES and not is_known(module, words):
            wrong.append(f"python -m {module}{words}")
    assert wrong == []


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    titles = {path.name: path.read_text().partition("\n")[0] for path in folder.glob("0*.md")}
    index = re.findall(r"^\| (\d+) \| \[(.+)\]\((.+)\) \|$", (folder / "README.md").read_text(), re.MULTILINE)
    assert {name: f"# {number}. {title}" for number, title, name in index} == titles
    assert [int(name[:4]) for *_, name in index] == list(range(1, len(titles) + 1))
