import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from eth_account import Account

from indexer.contracts.signer import ENVIRONMENT_NAME, SignerKeyError, key_path, load_or_create


@pytest.fixture(autouse=True)
def _no_key_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT_NAME, raising=False)


def test_the_key_is_created_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    first = load_or_create(tmp_path / "data")
    assert load_or_create(tmp_path / "data").address == first.address
    path = key_path(tmp_path / "data")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_concurrent_processes_get_the_same_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: load_or_create(tmp_path).address, range(64)))
    assert len(set(found)) == 1


def test_the_environments_key_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Account.create()
    monkeypatch.setenv(ENVIRONMENT_NAME, "0x" + given.key.hex().removeprefix("0x"))
    assert load_or_create(tmp_path).address == given.address
    assert not key_path(tmp_path).exists()


@pytest.mark.parametrize("text", ["", "zz", "12" * 31, "00" * 32, "ff" * 32])
def test_an_invalid_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    path = key_path(tmp_path)
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(SignerKeyError, match="does not hold a private key") as caught:
        load_or_create(tmp_path)
    assert not text or text not in str(caught.value)
    assert caught.value.__suppress_context__


def test_an_unusable_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("in the way")
    with pytest.raises(SignerKeyError, match="keys"):
        load_or_create(tmp_path)
