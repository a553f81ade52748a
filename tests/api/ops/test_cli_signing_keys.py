"""``regalia signing-keys``: prints public keys and never private ones."""

import json
from pathlib import Path

import pytest

from api.ops.commands import signing_keys
from api.ops.commands.failures import USAGE, explain
from api.security.signing_keys import SigningKeyError, SigningKeys


@pytest.fixture(autouse=True)
def environment(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGALIA_DATA_DIR", str(data_dir))


def test_a_rotation_is_printed_and_listed(data_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signing_keys.rotate()
    made = json.loads(capsys.readouterr().out)
    signing_keys.list_keys(as_json=True)
    text = capsys.readouterr().out
    current, previous = (json.loads(line) for line in text.splitlines())
    assert current == made
    assert (current["current"], current["retired_at"]) == (True, None)
    assert (previous["current"], previous["retired_at"]) == (False, current["created_at"])
    kept = SigningKeys(data_dir).current()
    assert [key.kid for key in kept.keys] == [current["kid"], previous["kid"]]
    for entry in json.loads(SigningKeys(data_dir).path.read_text())["keys"]:
        assert entry["seed"] not in text
    signing_keys.list_keys(as_json=False)
    table = capsys.readouterr().out
    assert table.index(current["kid"]) < table.index(previous["kid"])


def test_configured_keys_are_not_rotated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGALIA_SIGNING_KEY", "A" * 43 + "=")
    with pytest.raises(SigningKeyError) as refused:
        signing_keys.rotate()
    assert explain(refused.value) == (str(refused.value), USAGE)
