"""The committed program is what its source gives, and its interface lists what the source declares."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

from indexer.contracts.solana import build, idl, link, program

SOURCE = Path(build.FOLDER) / "program"


def snake(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def members(file: str, enum: str) -> list[str]:
    found = re.search(rf"enum {enum} {{(.*?)}};", (SOURCE / file).read_text(), re.S)
    assert found is not None
    return [line.split("=")[0].strip() for line in found[1].split(",") if line.strip()]


def test_the_source_gives_the_committed_program() -> None:
    assert build.build() == program.compiled()


def test_another_program_than_the_recorded_one_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("registry.so", "registry.so.sha256"):
        (tmp_path / name).write_bytes(files("indexer.contracts.solana").joinpath(name).read_bytes())
    with (tmp_path / "registry.so").open("ab") as file:
        file.write(b"\0")
    monkeypatch.setattr(program, "files", lambda _: tmp_path)
    with pytest.raises(program.ArtifactChanged):
        program.compiled()


def test_errors_have_the_numbers_of_the_source() -> None:
    declared = [snake(error["name"]) for error in idl.document()["errors"]]
    assert [name for name in members("errors.h", "Error") if name != "OK"] == declared
    assert [error["code"] for error in idl.document()["errors"]] == list(
        range(idl.FIRST_ERROR, idl.FIRST_ERROR + len(declared))
    )


def test_events_have_the_numbers_of_the_source() -> None:
    declared = [snake(event["name"]) for event in idl.document()["events"]]
    assert [name.removesuffix("_EVENT") for name in members("events.h", "Event")] == declared
    assert [event["discriminator"] for event in idl.document()["events"]] == [[n + 1] for n in range(len(declared))]


def test_instructions_have_the_numbers_of_the_source() -> None:
    found = re.findall(r"case (\d+): return (\w+)\(in\);", (SOURCE / "registry.c").read_text())
    assert [(int(number), name) for number, name in found] == [
        (one["discriminator"][0], one["name"]) for one in idl.document()["instructions"]
    ]


def test_writable_data_cannot_be_linked() -> None:
    with pytest.raises(ValueError, match="ELF64"):
        link.link(b"not an object file")
