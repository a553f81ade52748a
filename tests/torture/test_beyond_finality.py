"""A reorganisation deeper than finality, as operators see it: commands, metrics, and an API that keeps serving."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from api.accounts.service import Accounts
from api.app import create_app
from api.services import Services
from api.settings import ApiSettings
from indexer.devchain.world import World
from pipelines.refresh import refresh
from tests.fixtures.indexing import AllRows, all_rows, differences, mine_activity, revert_to
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


class Operator:
    """Runs commands against the engines and the chain of a test."""

    def __init__(self, store_url: str, warehouse_url: str, chains_file: Path, data_dir: Path) -> None:
        self.environment = os.environ | {
            "REGALIA_DATABASE_URL": store_url,
            "REGALIA_CLICKHOUSE_URL": warehouse_url,
            "REGALIA_CHAINS": str(chains_file),
            "REGALIA_DATA_DIR": str(data_dir),
        }

    def regalia(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run ``regalia`` with these arguments."""
        program = "from api.cli import main; main()"
        return subprocess.run(
            [sys.executable, "-c", program, *arguments], env=self.environment, capture_output=True, text=True
        )


async def test_indexing_halts_serving_continues_and_rewind_resolves_it(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, warehouse_url: str, store: Connection,
    store_url: str, tmp_path: Path, data_dir: Path, index_afresh: Callable[[Chain], AllRows],
) -> None:  # fmt: skip
    chains_file = tmp_path / "chains.toml"
    chains_file.write_text(re.sub(r"(?m)^finality_blocks = .*$", "finality_blocks = 3", archive_world.chain_toml()))
    chains = facts.load(chains_file)
    operator = Operator(store_url, warehouse_url, chains_file, data_dir)
    node = archive_world.anvil
    fork, common = node.rpc("evm_snapshot"), node.block_number()
    mine_activity(archive_world, random.Random(3), blocks=8)
    assert operator.regalia("index", "--chain", "base").returncode == 0
    refresh(warehouse, store, chains, steps=("tokens", "documents"))
    published = all_rows(warehouse)

    settings = ApiSettings(data_dir=data_dir, chains=chains_file, clickhouse_url=warehouse_url, database_url=store_url)
    key = Accounts(store_url).create_key("0x00000000000000000000000000000000000ca11e", "free").key
    app = create_app(settings)
    services: Services = app.state.services
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://service.test", headers={"X-API-Key": key}
        ) as client,
    ):

        async def metric() -> str:
            lines = (await services.scrapes.text()).decode().splitlines()
            (found,) = [line for line in lines if line.startswith('regalia_chain_halted{chain="base"')]
            return found

        async def served() -> Any:
            answer = await client.get(f"/api/v2/token/{archive_world.token('aurum').symbol}/base")
            assert answer.status_code == 200, answer.text
            return answer.json()

        before = await served()
        assert (await metric()).endswith(" 0.0")

        revert_to(archive_world, fork)
        mine_activity(archive_world, random.Random(4), blocks=9)
        stopped = operator.regalia("index", "--chain", "base")
        assert stopped.returncode == 1
        assert "regalia index --chain base --rewind BLOCK" in stopped.stderr
        assert operator.regalia("index", "--chain", "base", "--follow").returncode == 1  # it does not resume by itself
        shown = json.loads(operator.regalia("status", "--json").stdout)["chains"][0]
        assert shown["key"] == "base"
        assert shown["state"].startswith("halted: the node has another block ")
        assert "finality_blocks = 3" in shown["state"]
        assert shown["indexed"] == common + 8
        said = await metric()
        assert said.endswith(" 1.0")
        assert "the node has another block" in said
        assert (await client.get("/health/ready")).status_code == 200
        assert await served() == before
        assert differences(all_rows(warehouse), published) == {}

        back = operator.regalia("index", "--chain", "base", "--rewind", str(common))
        assert back.returncode == 0, back.stderr
        assert " blocks reverted, " in back.stdout
        assert operator.regalia("index", "--chain", "base").returncode == 0
        assert (await metric()).endswith(" 0.0")
        assert json.loads(operator.regalia("status", "--json").stdout)["chains"][0]["state"] == "ok"
    assert differences(all_rows(warehouse), index_afresh(archive_chain)) == {}
