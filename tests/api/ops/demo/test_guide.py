"""The guide's commands run in a shell unchanged."""

import shlex

from api.ops.demo import guide

PLACE = guide.RunningDemo(
    api_url="http://127.0.0.1:8000",
    dagster_url="http://127.0.0.1:3000",
    rpc_url="http://127.0.0.1:8545",
    chain_key="base",
    chain_id=8453,
    api_key="rgl_live_abc",
    symbol="AURUM",
    token="0x" + "a1" * 20,
    wallet="0x" + "b2" * 20,
    private_key="0x" + "c3" * 32,
    python="/opt/a folder/python",
)


def test_every_suggested_request_carries_the_key() -> None:
    curls = [line for line in guide.text(PLACE).splitlines() if line.startswith("  curl")]
    assert len(curls) == len(guide.reads(PLACE))
    for line, (_, path) in zip(curls, guide.reads(PLACE), strict=True):
        words = shlex.split(line)
        assert f"X-API-Key: {PLACE.api_key}" in words
        assert words[-1] == PLACE.api_url + path
    assert f"X-Wallet-Address: {PLACE.wallet}" in curls[-1]


def test_the_claim_is_one_shell_command() -> None:
    guide_text = guide.text(PLACE)
    start = guide_text.index(shlex.quote(PLACE.python))
    command = guide_text[start : guide_text.index("\n\n", start)].replace("\\\n", "")
    assert shlex.split(command) == guide.claim_command(PLACE)


def test_the_claim_script_is_where_the_guide_says() -> None:
    assert guide.CLAIM_SCRIPT.is_file()
