import pytest

from warehouse import sql


def test_a_statement_is_loaded_by_its_path() -> None:
    assert "CREATE TABLE raw_block" in sql.load("warehouse/0001_chain_facts")


@pytest.mark.parametrize("name", ["nowhere/nothing", "../pyproject", "/etc/passwd"])
def test_loading_an_unknown_statement_is_an_error(name: str) -> None:
    with pytest.raises(sql.UnknownStatement):
        sql.load(name)
