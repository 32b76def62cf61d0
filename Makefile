# Everything a fresh machine needs is Python 3.11+ and make; the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-slow bench soak lint check clean measure

demo: $(VENV)/.installed  ## run the built-in benchmark against the built-in model
	$(BIN)/vlbench run

test: $(VENV)/.test-installed  ## the whole test suite
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

test-slow: $(VENV)/.test-installed  ## what takes minutes: long crash tests, servers others wrote
	$(BIN)/python -m pytest -m slow

bench: $(VENV)/.test-installed  ## what a request costs beside bare HTTP clients, memory, the view (minutes)
	$(BIN)/python -m tests.perf.bench_requests
	$(BIN)/python -m tests.perf.bench_memory
	$(BIN)/python -m tests.perf.bench_view
	$(BIN)/python -m tests.perf.bench_beside
	$(BIN)/python -m tests.perf.bench_reading

measure: $(VENV)/.test-installed  ## rates and capacities on a real clock (a quarter of an hour, an idle machine)
	$(BIN)/python -m pytest -m measured

soak: $(VENV)/.test-installed  ## a hundred kills and other mishaps of real runs (some minutes)
	$(BIN)/python -m tests.soak --kills 100

check: lint test  ## everything a change must pass

lint: $(VENV)/.test-installed  ## format, lint, types, import layers, catalogs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vlbench catalog check

clean:
	rm -rf $(VENV)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --editable .
	touch $@

$(VENV)/.test-installed: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) --editable '.[test]'
	touch $@ $(VENV)/.installed
