"""The demo empties its own directory and no other."""

from pathlib import Path

import pytest

from api.ops.demo import directory
from api.ops.supervisor.part import AlreadyRunning, StackError


def test_files_of_an_earlier_demo_are_removed(tmp_path: Path) -> None:
    with directory.fresh(tmp_path / "demo") as path:
        (path / "postgres").mkdir()
        (path / "postgres" / "PG_VERSION").write_text("18")
        (path / "chains.toml").write_text("")
    with directory.fresh(tmp_path / "demo") as path:
        assert [entry.name for entry in path.iterdir()] == [directory.MARKER]


def test_a_directory_of_another_program_is_refused_and_unchanged(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir()
    with (
        pytest.raises(StackError, match="REGALIA_DATA_DIR"),
        directory.fresh(tmp_path),
    ):
        pass
    assert (tmp_path / "keys").is_dir()


def test_a_second_demo_in_the_same_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "PATIENCE_SECONDS", 0.0)
    with (
        directory.fresh(tmp_path),
        pytest.raises(AlreadyRunning, match="another demo is running"),
        directory.fresh(tmp_path),
    ):
        pass
