# Two commands do everything on a fresh machine with Python 3.11+: make report, make test.
.PHONY: report test setup lint format lock docs bench clean help
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORES ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(VENV)/.ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

setup: $(VENV)/.ready ## create .venv from the hash-locked requirements

report: setup ## build tables, figures and site of your benchmarks (or the demonstration)
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores $(CORES) report

test: setup ## run every test
	$(BIN)/python -m pytest -n $(CORES) --dist loadfile

lint: setup ## linters, types, workflow checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile rules
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --lint

format: setup ## format code and rules
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile rules

docs: setup ## regenerate the rule graph, schemas and reference pages
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m analysis.reference

bench: setup ## measure speed and memory against what a user would use instead
	$(BIN)/python -m bench

lock: ## renew requirements.lock (needs uv)
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes \
	  --no-header --no-annotate --output-file requirements.lock

clean: ## remove everything that was built
	rm -rf results/derived results/figures results/site results/logs results/raw/demo .snakemake
