"""Secrets encrypted at rest."""

import base64
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from api.security.sealing import Sealer, SealingKeyError, Unsealable, key_path, load_or_create

KEY = base64.b64encode(bytes(range(32))).decode()


def test_sealed_data_opens_for_its_purpose_only() -> None:
    sealer = Sealer(bytes(32))
    sealed = sealer.seal(b"secret", "one")
    assert b"secret" not in sealed
    assert sealed != sealer.seal(b"secret", "one")
    assert sealer.unseal(sealed, "one") == b"secret"
    for wrong in (sealed[:-1], b"\x01" + sealed[1:], b"\x03" + sealed[1:], sealed[:-1] + b"x", b"", sealed[:5]):
        with pytest.raises(Unsealable):
            sealer.unseal(wrong, "one")
    with pytest.raises(Unsealable):
        sealer.unseal(sealed, "two")
    with pytest.raises(Unsealable):
        Sealer(bytes(31) + b"x").unseal(sealed, "one")


def test_the_previous_key_opens_what_it_sealed() -> None:
    old, new = bytes(32), bytes(range(32))
    sealed, mac = Sealer(old).seal(b"secret", "one"), Sealer(old).sign(b"text", "one")
    rotated = Sealer(new, old)
    assert rotated.unseal(sealed, "one") == b"secret"
    with pytest.raises(Unsealable):
        Sealer(old).unseal(rotated.seal(b"secret", "one"), "one")
    assert rotated.is_signed(b"text", mac, "one")
    assert not rotated.is_signed(b"text", mac, "two")
    assert not Sealer(new).is_signed(b"text", mac, "one")


def test_what_was_sealed_before_keys_had_ids_can_be_read() -> None:
    nonce, key = bytes(12), bytes(32)
    sealed = b"\x01" + nonce + AESGCM(key).encrypt(nonce, b"secret", b"one")
    assert Sealer(bytes(range(32)), key).unseal(sealed, "one") == b"secret"


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        sealers = list(pool.map(load_or_create, [tmp_path] * 16))
    sealed = sealers[0].seal(b"secret", "p")
    assert all(sealer.unseal(sealed, "p") == b"secret" for sealer in sealers)
    assert stat.S_IMODE(key_path(tmp_path).stat().st_mode) == 0o600
    assert [path.name for path in key_path(tmp_path).parent.iterdir()] == ["sealing.key"]


def test_a_configured_key_is_used_and_leaves_no_file(tmp_path: Path) -> None:
    sealed = load_or_create(tmp_path, KEY).seal(b"secret", "p")
    assert Sealer(bytes(range(32))).unseal(sealed, "p") == b"secret"
    assert not key_path(tmp_path).exists()


@pytest.mark.parametrize("text", ["c2hvcnQ=", "not base64!", KEY[:-4]])
def test_an_invalid_sealing_key_is_refused_without_showing_it(tmp_path: Path, text: str) -> None:
    with pytest.raises(SealingKeyError) as raised:
        load_or_create(tmp_path, text)
    assert text not in str(raised.value)
    key_path(tmp_path).parent.mkdir(parents=True)
    key_path(tmp_path).write_text(text)
    with pytest.raises(SealingKeyError) as raised:
        load_or_create(tmp_path)
    assert text not in str(raised.value)
