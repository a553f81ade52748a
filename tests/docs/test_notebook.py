"""The notebook of the marts runs over a derived chain, and its plots show something."""

import json
import os
import subprocess
import sys
from pathlib import Path

from indexer.devchain.world import World
from pipelines.refresh import refresh
from tests.fixtures.checkout import CHECKOUT
from tests.fixtures.indexing import facts_of, index_history
from warehouse.chains.facts import load as load_chains
from warehouse.clickhouse import Warehouse
from warehouse.marts.database import database_of
from warehouse.postgres import Connection

# What each table of the notebook holds, and the curves or bars of each figure.
REPORT = """
import json, runpy, sys
_, defined = runpy.run_path(sys.argv[1])["app"].run()
tables = {name: defined[name].height for name in ("volume_by_day", "price_by_hour", "largest_holders")}
drawn = {
    name: sum(len(axes.lines) + len(axes.patches) for axes in defined[name].axes)
    for name in ("volume_figure", "price_figure", "holders_figure")
}
print(json.dumps({"tables": tables, "drawn": drawn, "volume": defined["volume_by_day"]["volume_usd"].sum()}))
"""


def test_the_notebook_plots_what_the_marts_hold(
    world: World, warehouse: Warehouse, warehouse_url: str, store: Connection, store_url: str, tmp_path: Path
) -> None:
    index_history(warehouse, store_url, facts_of(world, tmp_path))
    refresh(warehouse, store, load_chains(tmp_path / "chains.toml"))
    server, _, database = warehouse_url.rpartition("/")
    environment = os.environ | {"MARTS_URL": f"{server}/{database_of(database)}", "MPLBACKEND": "Agg"}
    notebook = CHECKOUT / "docs" / "notebooks" / "marts.py"
    run = subprocess.run(
        [sys.executable, "-c", REPORT, str(notebook)], env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert all(found["tables"].values()), found
    assert all(found["drawn"].values()), found
    assert found["tables"]["largest_holders"] == 10
    assert found["volume"] > 0
