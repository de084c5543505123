# The two commands of the README are `make up` and `make test`. Everything lands in .venv and .matrix.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPING := $(VENV)/.developing

.PHONY: up test lint features bench chaos schema clean

up: $(INSTALLED)
	@$(BIN)/matrix up $(ARGS)

test: $(DEVELOPING)
	@$(BIN)/python -m pytest $(ARGS)

lint: $(DEVELOPING)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy matrix
	@$(BIN)/python -m pytest -q -p no:cacheprovider tests/architecture

features: $(DEVELOPING)
	@$(BIN)/python -m pytest -q --features $(ARGS)

chaos: $(DEVELOPING)
	@MATRIX_CHAOS_ROUNDS=30 $(BIN)/python -m pytest -m chaos --timeout=3600 $(ARGS)

bench: $(DEVELOPING)
	@$(BIN)/python -m benchmarks $(ARGS)

schema: $(DEVELOPING)
	@$(BIN)/python -m matrix.api.graphql.sdl

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Matrix needs Python 3.11 or newer; $(PYTHON) is older. Install one, then: make up PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "Python cannot make a virtual environment. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }

$(INSTALLED): pyproject.toml | $(BIN)/python
	@echo "Installing Matrix into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . || { \
	  echo "The packages could not be installed. Is the package index reachable? Run 'make up' again to go on."; exit 1; }
	@touch $@

$(DEVELOPING): pyproject.toml $(INSTALLED)
	@echo "Installing what tests need …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
