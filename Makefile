# Everything a fresh machine needs is Python 3.11+ and make; the rest is installed into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-slow lint check clean

demo: $(VENV)/.installed  ## run the built-in benchmark against the built-in model
	$(BIN)/vlbench run

test: $(VENV)/.test-installed  ## the whole test suite
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal

test-slow: $(VENV)/.test-installed  ## what takes minutes: long crash tests, servers others wrote
	$(BIN)/python -m pytest -m slow

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
