"""Contents in the data directory are written whole or not at all."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from api.metadata.cids import cid_of, read_cid
from api.metadata.contents import ContentsDown
from api.metadata.local import LocalContents

DATA = b"a frog" * 1000
NAME = cid_of(DATA)
CID = read_cid(NAME)
# Stops after the data is written and before the rename.
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from api.metadata.local import LocalContents
os.fsync = lambda descriptor: os.kill(os.getpid(), signal.SIGKILL)
asyncio.run(LocalContents(Path(sys.argv[1])).put(sys.argv[2], b"a frog" * 1000))
"""


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


async def test_the_same_bytes_are_one_file(tmp_path: Path) -> None:
    contents = LocalContents(tmp_path / "metadata")
    assert CID is not None
    assert await contents.get(CID, 10_000) is None
    for _ in range(2):
        await contents.put(NAME, DATA)
    assert files(tmp_path) == [contents.path_of(NAME)]
    assert await contents.get(CID, 10_000) == DATA
    assert await contents.get(CID, len(DATA) - 1) is None


def test_a_killed_write_leaves_no_file(tmp_path: Path) -> None:
    contents = LocalContents(tmp_path)
    assert CID is not None
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), NAME], timeout=240, check=False)
    assert done.returncode == -signal.SIGKILL
    (left,) = files(tmp_path)
    assert asyncio.run(contents.get(CID, 10_000)) is None
    contents.sweep()
    assert files(tmp_path) == [left], "another process may still be writing it"
    os.utime(left, (0, 0))
    contents.sweep()
    asyncio.run(contents.put(NAME, DATA))
    assert files(tmp_path) == [contents.path_of(NAME)]


async def test_a_damaged_file_is_not_served_and_the_next_upload_replaces_it(tmp_path: Path) -> None:
    contents = LocalContents(tmp_path)
    assert CID is not None
    await contents.put(NAME, DATA)
    contents.path_of(NAME).write_bytes(b"b" + DATA[1:])
    assert await contents.get(CID, 10_000) is None
    await contents.put(NAME, DATA)
    assert await contents.get(CID, 10_000) == DATA


async def test_an_unwritable_folder_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "metadata").write_text("no folder")
    with pytest.raises(ContentsDown):
        await LocalContents(tmp_path / "metadata").put(NAME, DATA)
