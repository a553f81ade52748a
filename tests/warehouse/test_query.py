import csv
import json
from pathlib import Path

import polars
import pytest

from warehouse import query
from warehouse.engines import EngineUrls
from warehouse.errors import WarehouseError
from warehouse.query import Format, NoAnalyst
from warehouse.settings import EngineSettings

STATEMENT = "SELECT toUInt8(number) AS n, 'a,b' AS text, toDateTime(0, 'UTC') AS at FROM numbers(2);\n"


@pytest.fixture
def settings(engine_settings: EngineSettings, engines: EngineUrls) -> EngineSettings:
    """Settings whose engines run."""
    assert engines.clickhouse_url
    return engine_settings


@pytest.mark.parametrize("form", Format)
def test_a_result_is_written_in_every_format(form: Format, settings: EngineSettings, tmp_path: Path) -> None:
    path = tmp_path / "result"
    query.run(settings, STATEMENT, form, path)
    if form is Format.PARQUET:
        frame = polars.read_parquet(path)
        assert frame["n"].to_list() == [0, 1]
        assert frame["text"].to_list() == ["a,b", "a,b"]
        assert isinstance(frame["at"].dtype, polars.Datetime)
        return
    text = path.read_text()
    if form is Format.CSV:
        first = "1970-01-01 00:00:00"
        assert list(csv.reader(text.splitlines())) == [["n", "text", "at"], ["0", "a,b", first], ["1", "a,b", first]]
    elif form is Format.JSON:
        assert [json.loads(line)["n"] for line in text.splitlines()] == [0, 1]
    else:
        assert "┌─n─┬─text─┬" in text
        assert "\x1b" not in text


def test_the_marts_are_what_it_reads(settings: EngineSettings, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    query.run(settings, "SHOW TABLES", Format.CSV, None)
    assert b'"tokens"' in capfdbinary.readouterr().out


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("SELECT 1 FRO tokens", "Syntax error"),
        ("DROP VIEW tokens", "only reading statements are allowed"),
        ("SELECT * FROM file('/etc/passwd', 'LineAsString')", "denied|not allowed|ACCESS"),
        ("SELECT * FROM regalia.account_of_nobody", "account_of_nobody|denied|ACCESS"),
    ],
)
def test_what_the_analyst_may_not_do_is_refused_in_clickhouses_words(
    statement: str, message: str, settings: EngineSettings, tmp_path: Path
) -> None:
    with pytest.raises(WarehouseError, match=message):
        query.run(settings, statement, Format.CSV, tmp_path / "result")
    assert list(tmp_path.iterdir()) == []


def test_a_server_of_ones_own_needs_a_reader(tmp_path: Path) -> None:
    url = "http://owner:secret@127.0.0.1:1/regalia"
    with pytest.raises(NoAnalyst, match="REGALIA_ANALYST_URL"):
        query.url_of_analyst(EngineSettings(data_dir=tmp_path, clickhouse_url=url))
    reader = "http://reader:secret@127.0.0.1:1/marts"
    assert query.url_of_analyst(EngineSettings(data_dir=tmp_path, clickhouse_url=url, analyst_url=reader)) == reader
