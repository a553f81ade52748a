"""The guide's commands run in a shell unchanged."""

import json
import shlex
from dataclasses import asdict, replace
from pathlib import Path

import pytest

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
    offerer="0x" + "d4" * 20,
    offerer_private_key="0x" + "e5" * 32,
    python="/opt/a folder/python",
)


SOLANA = guide.SolanaPlace(
    rpc_url="http://127.0.0.1:8899",
    ws_url="ws://127.0.0.1:8900",
    chain_id=900900,
    symbol="CORAL",
    mint="8vWZyJFh5AGDkTfMHEAsYy1mmJTg12LpawKCxX2TwvyM",
    registry="Stake11111111111111111111111111111111111111",
    wallet="9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
    secret_key="5x",
    node="/opt/a folder/node",
)
BOTH = replace(PLACE, solana=SOLANA)


@pytest.mark.parametrize("demo", [PLACE, BOTH])
def test_every_suggested_request_carries_the_key(demo: guide.RunningDemo) -> None:
    curls = [line for line in guide.text(demo).splitlines() if line.startswith("  curl")]
    assert len(curls) == len(guide.reads(demo))
    for line, (_, path) in zip(curls, guide.reads(demo), strict=True):
        words = shlex.split(line)
        assert f"X-API-Key: {PLACE.api_key}" in words
        assert words[-1] == PLACE.api_url + path
    assert f"X-Wallet-Address: {PLACE.wallet}" in curls[-1]


@pytest.mark.parametrize("demo", [PLACE, BOTH])
def test_each_command_can_be_pasted_into_a_shell(demo: guide.RunningDemo) -> None:
    suggested = guide.commands(demo)
    assert len(suggested) == (5 if demo.solana else 4)
    for what, words in suggested:
        pasted = guide.text(demo).split(f"# {what}\n")[1].split("\n\n")[0]
        assert shlex.split(pasted.replace("\\\n", "")) == words


@pytest.mark.parametrize("demo", [PLACE, BOTH])
def test_a_demo_is_read_back_from_its_file(demo: guide.RunningDemo) -> None:
    assert guide.RunningDemo.read(json.loads(json.dumps(asdict(demo)))) == demo


def test_the_scripts_are_where_the_guide_says() -> None:
    assert all(Path(words[1]).is_file() for _, words in guide.commands(BOTH))
