"""What a process logs: one format, fields that are bound or given, and no secret by any logger."""

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

LOG_AS_THE_SERVICE_DOES = textwrap.dedent(
    """
    import logging
    from warehouse.logs import bind, configure_logging

    configure_logging()
    with bind(request_id="abc-1"):
        logging.getLogger("regalia").info("indexing %d", 7, extra={"chain": "base"})
    logging.getLogger("regalia").debug("details")
    try:
        raise ValueError("no such block")
    except ValueError:
        logging.getLogger("regalia").exception("failed")
    """
)

LOG_WHAT_STRANGERS_CHOSE = textwrap.dedent(
    r"""
    import logging, sys
    from warehouse.logs import bind, configure_logging

    HOSTILE = "A\n2026-01-01T00:00:00.000000Z INFO regalia: forged \x1b[31m\x9b2J\x07\u202e\u2028\u0085\r"
    configure_logging(layout=sys.argv[1] if sys.argv[1:] else None)
    with bind(symbol=HOSTILE):
        logging.getLogger("regalia").info("found %s", HOSTILE, extra={"agent": HOSTILE, "long": "x" * 100_000})
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        logging.getLogger("regalia").exception("failed")
    """
)

LOG_SECRETS = textwrap.dedent(
    """
    import logging
    from warehouse.logs import configure_logging

    configure_logging()
    SECRETS = [
        "https://node.example/v2/operators-key-1", "https://user:hunter22@node.example",
        "wss://node.example/?apikey=q1w2e3",
        "'X-API-Key': 'rgl_live_0123456789abcdef'", "Authorization: Bearer abcdefghijkl",
        "authorization=Basic dXNlcjpwYXNz",
        "postgresql://regalia:pass%77ord@127.0.0.1:5432/regalia", "somebody@example.com", "given-token-1234",
        "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiIweDEyIn0.c2lnbmF0dXJl", "chains-file-node-key",
        "the-key-of-a-bucket", "correct horse battery",
    ]
    LOGGERS = ["httpx", "httpx2", "web3.providers", "clickhouse_connect.driver", "uvicorn.error", "dagster", "regalia"]
    other = logging.StreamHandler()  # as libraries have that bring a handler of their own
    logging.getLogger("dagster").addHandler(other)
    for name in LOGGERS:
        logger = logging.getLogger(name)
        for secret in SECRETS:
            logger.warning("HTTP Request: POST %s", secret)
            logger.warning("said " + secret, extra={"answer": {"from": secret}, "password": "pw-in-a-field"})
            try:
                raise OSError(secret)
            except OSError:
                logger.exception("could not ask")
    """
)
LEAKS = (
    *("operators-key-1", "hunter22", "q1w2e3", "0123456789abcdef", "abcdefghijkl", "dXNlcjpwYXNz", "pass%77ord"),
    *("somebody@", "given-token-1234", "eyJhbGciOiJFZERTQSJ9", "chains-file-node-key", "pw-in-a-field"),
    *("the-key-of-a-bucket", "correct horse battery"),
)


def log(code: str, *arguments: str, **settings: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REGALIA_")}
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**environment, **settings},
    )
    return run.stderr


def entries(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_lines_for_people_have_date_zone_level_logger_and_fields() -> None:
    first, *rest = log(LOG_AS_THE_SERVICE_DOES).splitlines()
    assert re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z INFO regalia: indexing 7 ", first)
    assert "request_id=abc-1" in first
    assert "chain=base" in first
    assert "ValueError: no such block" in rest[-1]


def test_json_has_one_object_a_line() -> None:
    first, failed = entries(log(LOG_AS_THE_SERVICE_DOES, REGALIA_LOG_FORMAT="json"))
    assert first.pop("timestamp").endswith("Z")
    assert first == {
        "event": "indexing 7", "level": "info", "logger": "regalia", "chain": "base", "request_id": "abc-1"
    }  # fmt: skip
    assert "ValueError: no such block" in failed["exception"]


def test_a_value_forges_no_entry_and_steers_no_terminal() -> None:
    for text in (log(LOG_WHAT_STRANGERS_CHOSE), log(LOG_WHAT_STRANGERS_CHOSE, "%(levelname)s: %(message)s")):
        begins = [line for line in text.splitlines() if not line.startswith("  ")]
        assert len(begins) == 2
        assert all(one.isprintable() for one in text if one != "\n")
        assert r"found A\n2026-01-01T00:00:00.000000Z INFO regalia: forged \x1b[31m" in begins[0]
        assert len(text) < 15_000
    found, failed = entries(log(LOG_WHAT_STRANGERS_CHOSE, REGALIA_LOG_FORMAT="json"))
    assert (len(found["long"]), found["agent"][:2], failed["event"]) == (10_021, "A\n", "failed")


def test_levels_are_chosen_for_all_loggers_and_for_one() -> None:
    assert [entry["level"] for entry in entries(log(LOG_AS_THE_SERVICE_DOES, REGALIA_LOG_FORMAT="json",
            REGALIA_LOG_LEVEL="DEBUG"))] == ["info", "debug", "error"]  # fmt: skip
    only_errors = log(LOG_AS_THE_SERVICE_DOES, REGALIA_LOG_FORMAT="json", REGALIA_LOG_LEVELS='{"regalia": "ERROR"}')
    assert [entry["level"] for entry in entries(only_errors)] == ["error"]


@pytest.mark.parametrize("form", ["console", "json"])
def test_no_logger_tells_a_secret(form: str, tmp_path: Path) -> None:
    chains = tmp_path / "chains.toml"
    chains.write_text('[chains.base]\nrpc_urls = ["https://node.example/v2/chains-file-node-key"]\n')
    text = log(
        LOG_SECRETS,
        REGALIA_LOG_FORMAT=form,
        REGALIA_CHAINS=str(chains),
        REGALIA_SIGNER_TOKEN="given-token-1234",
        AWS_SECRET_ACCESS_KEY="the-key-of-a-bucket",
        REGALIA_BACKUP_PASSPHRASE="correct horse battery",
    )
    assert text.count("could not ask") >= 7 * 13
    assert [leak for leak in LEAKS if leak in text] == []


@pytest.mark.parametrize("package", ["api", "pipelines", "indexer", "warehouse"])
def test_every_process_logs_that_way(package: str) -> None:
    root = Path(__file__).parents[2]
    others = [path for path in (root / package).rglob("*.py") if "logging.basicConfig" in path.read_text()]
    assert others == []
