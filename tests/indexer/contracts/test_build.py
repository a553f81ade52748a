"""The committed build output is what the pinned compiler makes of the committed source."""

import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest

_ROOT = Path(__file__).parents[3]
_FOLDERS = ("indexer/contracts/build", "indexer/devchain/build", "tests/indexer/contracts/build")


@pytest.mark.slow
def test_a_fresh_compile_equals_the_committed_build(tmp_path: Path) -> None:
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    assert node is not None, "node comes with `make install`"
    subprocess.run([node, "indexer/contracts/compile.js", str(tmp_path)], cwd=_ROOT, check=True, capture_output=True)
    for folder in _FOLDERS:
        made = {path.name: path.read_bytes() for path in (tmp_path / folder).glob("*.json")}
        kept = {path.name: path.read_bytes() for path in (_ROOT / folder).glob("*.json")}
        assert made.keys() == kept.keys(), folder
        assert [name for name in made if made[name] != kept[name]] == [], f"{folder}: run `npm run build`"


def test_contracts_fit_the_size_a_chain_allows() -> None:
    for path in (_ROOT / "indexer/contracts/build").glob("*.json"):
        assert len(orjson.loads(path.read_bytes())["deployedBytecode"]) // 2 <= 24_576


def test_the_lock_file_names_no_registry_and_packages_are_pinned() -> None:
    lock = orjson.loads((_ROOT / "package-lock.json").read_bytes())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]
    wanted = orjson.loads((_ROOT / "package.json").read_bytes())
    for version in (*wanted["devDependencies"].values(), *wanted["optionalDependencies"].values()):
        assert version[0].isdigit(), version
