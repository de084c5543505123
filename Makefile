# The two commands of the README are `make up` and `make test`. Everything lands in .venv and .matrix.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPING := $(VENV)/.developing
PIP := $(BIN)/python -m pip --disable-pip-version-check
NO_INDEX := The packages could not be installed. Is the package index reachable? The same command again goes on.

.PHONY: up down test lint features bench chaos schema clean

up: $(INSTALLED)
	@$(BIN)/matrix up $(ARGS)

down: $(INSTALLED)
	@$(BIN)/matrix down $(ARGS)

# Two processes, each with a Neo4j of its own; files stay whole and in order, so that the long ones do not come last.
SIDE_BY_SIDE := -n auto --maxprocesses 2 --dist loadfile --no-loadscope-reorder

# An external database of the user is nothing to test on: MATRIX_TEST_NEO4J_URI names one that is. There is one of it.
test: $(DEVELOPING)
	@env -u NEO4J_URI $(BIN)/python -m pytest $(if $(MATRIX_TEST_NEO4J_URI),,$(SIDE_BY_SIDE)) $(ARGS)

lint: $(DEVELOPING)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy matrix benchmarks
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/architecture

features: $(DEVELOPING)
	@env -u NEO4J_URI $(BIN)/python -m pytest -q -p tests.feature_table --features $(ARGS)

chaos: $(DEVELOPING)
	@env -u NEO4J_URI MATRIX_CHAOS_ROUNDS=30 $(BIN)/python -m pytest -s -m chaos $(ARGS)

bench: $(DEVELOPING)
	@$(BIN)/python -m benchmarks $(ARGS)

schema: $(DEVELOPING)
	@$(BIN)/python -m matrix.cli.sdl graph_schema/schema.graphql

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "There is no $(PYTHON). Matrix needs Python 3.11 or newer; then: make up PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Matrix needs Python 3.11 or newer; $(PYTHON) is older. Install one, then: make up PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null && $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python cannot make a virtual environment. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "Installing Matrix into $(VENV) (once, some minutes) …"
	@$(PIP) install --quiet --editable . || { echo "$(NO_INDEX)"; exit 1; }
	@touch $@

$(DEVELOPING): pyproject.toml $(INSTALLED)
	@echo "Installing what tests need …"
	@$(PIP) install --quiet --editable '.[dev]' || { echo "$(NO_INDEX)"; exit 1; }
	@touch $@
