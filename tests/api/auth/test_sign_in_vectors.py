"""The vectors in ``vectors/``: our own equivalents of those published for EIP-4361, case by case."""

import copy
import json
from collections import Counter
from typing import Any

import pytest

from tests.api.auth.sign_in_vectors import CHECKS, OWN, cases, failure_of, main

CASES = list(cases(OWN))
POSITIVE = [(file, name, case) for file, name, case in CASES if CHECKS[file][1]]


@pytest.mark.parametrize(("file", "name", "case"), CASES, ids=[f"{file}: {name}" for file, name, _ in CASES])
def test_every_vector_has_the_outcome_of_its_file(file: str, name: str, case: Any) -> None:
    assert failure_of(file, case) is None


def test_there_are_as_many_of_each_kind_as_published() -> None:
    assert Counter(file for file, _, _ in CASES) == {
        "parsing_positive": 19,
        "parsing_negative": 29,
        "parsing_negative_objects": 18,
        "verification_positive": 4,
        "verification_negative": 10,
        "eip1271": 2,
    }


def test_a_vector_that_is_read_otherwise_or_refused_fails() -> None:
    for file, name, case in POSITIVE:
        changed = copy.deepcopy(case)
        if file == "parsing_positive":
            changed["fields"]["nonce"] += "x"
        elif file == "verification_positive":
            changed["signature"] = changed["signature"][:20] + changed["signature"][21:] + "0"
        else:
            changed["message"] += "\n"
        assert failure_of(file, changed) is not None, name


def test_the_command_reports_failures(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    for file in CHECKS:
        content = json.loads((OWN / f"{file}.json").read_text())
        if file == "parsing_negative":
            content["a message that is read"] = json.loads((OWN / "eip1271.json").read_text())[
                "contract whose owner signed"
            ]["message"]
        (tmp_path / f"{file}.json").write_text(json.dumps(content))
    assert main(tmp_path) == 1
    printed = capsys.readouterr().out
    assert "parsing_negative: a message that is read: is accepted" in printed
    assert printed.endswith("83 cases, 1 failures\n")
