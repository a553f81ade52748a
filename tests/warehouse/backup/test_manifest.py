"""Manifests that somebody wrote who can write to the target: none reaches outside the backup."""

import hashlib
import io
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from warehouse.backup.manifest import DamagedBackup, Manifest, StoreCopy, StoredFile, WarehouseCopy
from warehouse.backup.repository import Repository, manifest_path
from warehouse.storage import open_storage

NAME = "20260501T120000.000Z"
FILE = {"path": "ab/cid", "size": 3, "sha256": "ab" * 32}
GOOD = Manifest(
    name=NAME, created_at="2026-05-01T12:00:00+00:00", version="1", paused_seconds=0.1, blocks={}, publication=0,
    store=StoreCopy("0033", ()), warehouse=WarehouseCopy("regalia", (1,), NAME, (), {}),
    uploads=(StoredFile(**FILE),), keys=StoredFile(**FILE),
)  # fmt: skip


def encoded(**changed: Any) -> bytes:
    """The good manifest with other members, and the checksum over them."""
    body = {**asdict(GOOD), **changed}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
    return json.dumps({"manifest": body, "sha256": digest}).encode()


@pytest.mark.parametrize("path", ["../keys/x", "/etc/passwd", "a/../../b", "", ".", "a\\..\\b", "a\0b", "..", "a/.."])
def test_a_file_outside_the_backup_is_refused(path: str) -> None:
    hostile = {**FILE, "path": path}
    for changed in (
        {"uploads": [hostile]},
        {"keys": hostile},
        {"store": {**asdict(GOOD.store), "files": [hostile]}},
        {"warehouse": {**asdict(GOOD.warehouse), "files": [hostile]}},
    ):
        with pytest.raises(DamagedBackup, match="is no file of a backup"):
            Manifest.decode(encoded(**changed), "it")


@pytest.mark.parametrize(
    "changed",
    [
        {"uploads": [{**FILE, "sha256": "../../../../etc/passwd"}]},
        {"uploads": [{**FILE, "sha256": None}]},
        {"uploads": [{**FILE, "size": -1}]},
        {"uploads": [{**FILE, "size": "3"}]},
        {"uploads": [{**FILE, "mode": "0777"}]},
        {"uploads": 7},
        {"name": "../x"},
        {"warehouse": {**asdict(GOOD.warehouse), "full": "../../x"}},
        {"warehouse": []},
        {"surprise": 1},
    ],
)  # fmt: skip
def test_members_of_other_kinds_are_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(DamagedBackup, match="is not a manifest of this format"):
        Manifest.decode(encoded(**changed), "it")


def test_a_manifest_under_another_name_is_refused(tmp_path: Path) -> None:
    repository = Repository(open_storage(str(tmp_path)))
    repository.write(GOOD)
    assert repository.read(NAME) == GOOD
    repository.storage.write(manifest_path("20260601T120000.000Z"), io.BytesIO(GOOD.encode()))
    with pytest.raises(DamagedBackup, match=f"is the manifest of backup {NAME}"):
        repository.read()
