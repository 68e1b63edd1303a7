# Everything a fresh machine with Python 3.11, make and git needs:
#   make demo   sets up .venv, runs the whole way from scenes to demo/report.html
#   make test   sets up .venv, runs the fast tests
# PYTHON chooses the interpreter (make setup PYTHON=/opt/python3.12/bin/python3).
# CONSTRAINTS= (empty) installs the newest releases instead of those the golden numbers were made with.

PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3),python3)
VENV ?= .venv
CONSTRAINTS ?= constraints.txt
WORKERS ?= 2

BIN := $(VENV)/bin
WANTED := $(shell cat pyproject.toml $(CONSTRAINTS) | cksum | cut -d' ' -f1)
STAMP := $(VENV)/.setup-$(WANTED)
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest

.PHONY: help setup gl demo test test-all lint wheel references judge bench clean

help:
	@echo "make setup | demo | test | test-all | lint | wheel | references | judge | bench | clean"

setup: $(STAMP)

$(STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Quincunx needs Python 3.11 or newer; $(PYTHON) is not: make $(MAKECMDGOALS) PYTHON=/path/to/python3.11" >&2; exit 1; }
	@echo "Installing into $(VENV) (once; PyTorch alone is large, so this takes minutes)"
	@$(PYTHON) -m venv $(VENV) || { echo "$(PYTHON) cannot make a virtual environment; on Debian: sudo apt-get install -y python3-venv" >&2; exit 1; }
	@$(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable '.[dev]'
	@rm -f $(VENV)/.setup-*
	@touch $@

gl: setup
	@.ci/gl $(BIN)/quincunx

demo: gl
	$(BIN)/quincunx demo

test: gl
	$(PYTEST) -n $(WORKERS)

test-all: gl
	@$(BIN)/python -m pip install --quiet $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS)) --editable '.[dev,cluster]'
	$(PYTEST) -n $(WORKERS) -m 'not gpu'

lint: setup
	$(BIN)/ruff check .
	$(BIN)/mypy

wheel: setup
	$(BIN)/python .ci/check_wheel.py

references: gl
	$(BIN)/quincunx references

judge: gl
	$(BIN)/quincunx train

bench: gl
	$(BIN)/python -m benchmarks.speed

clean:
	rm -rf $(VENV) build dist demo *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
