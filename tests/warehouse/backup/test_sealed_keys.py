from pathlib import Path

import pytest

from warehouse.backup import sealed_keys
from warehouse.backup.sealed_keys import Secret, WrongSecret

PASSPHRASE = "correct horse battery"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    folder = tmp_path / "keys"
    folder.mkdir()
    (folder / "signer.key").write_bytes(b"\x00secret\xff")
    (folder / "postgres.password").write_text("p\n")
    (folder / ".signer.key.draft").write_text("half")
    return folder


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "backup.key"
    path.write_bytes(bytes(range(32)))
    return path


def test_keys_come_back_as_they_were_and_nobody_else_may_read_them(keys: Path, key_file: Path, tmp_path: Path) -> None:
    for secret in (Secret.of_passphrase(PASSPHRASE), Secret.of_file(key_file)):
        sealed = sealed_keys.seal(keys, secret, "one")
        assert b"secret" not in sealed
        found = sealed_keys.unseal(sealed, secret, "one")
        assert found == {"signer.key": b"\x00secret\xff", "postgres.password": b"p\n"}
    sealed_keys.write(found, tmp_path / "restored")
    written = list((tmp_path / "restored").iterdir())
    assert {path.stat().st_mode & 0o777 for path in written} == {0o600}
    assert {path.name: path.read_bytes() for path in written} == found


def test_another_secret_or_backup_does_not_open_them(keys: Path, key_file: Path) -> None:
    secret = Secret.of_passphrase(PASSPHRASE)
    sealed = sealed_keys.seal(keys, secret, "one")
    with pytest.raises(WrongSecret, match="does not open"):
        sealed_keys.unseal(sealed, Secret.of_passphrase("incorrect horse battery"), "one")
    with pytest.raises(WrongSecret, match="does not open"):
        sealed_keys.unseal(sealed, secret, "two")
    with pytest.raises(WrongSecret, match="sealed with a passphrase"):
        sealed_keys.unseal(sealed, Secret.of_file(key_file), "one")


def test_a_weak_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"x" * 31)
    with pytest.raises(WrongSecret, match="at least 12"):
        Secret.of_passphrase("password")
    with pytest.raises(WrongSecret, match="holds 31 bytes"):
        Secret.of_file(tmp_path / "short")
