# `make demo` and `make test` are all that a newcomer needs; both work on a bare machine
# with Python 3.11 or newer, and need the network for their first install only.
.DEFAULT_GOAL := help
.PHONY: help demo test check lint types golden wheel bench clean

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3 python; do \
	command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2

help:  ## say what there is
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.installed  ## build the bundled sample, offline once installed
	$(BIN)/screenset demo

test: check  ## lint, types and all tests

check: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy schemas transforms pipelines
	$(BIN)/pytest -n $(JOBS) --dist loadfile -q

golden: $(VENV)/.installed-test  ## write the golden files anew, and show what changed
	$(BIN)/pytest -q tests/pipelines/test_golden.py --refresh-goldens
	git diff --stat -- tests/goldens

wheel: $(VENV)/.installed-test  ## build the wheel into dist/
	$(BIN)/python -m build --no-isolation --wheel

bench: $(VENV)/.installed-test  ## time a build beside a plain script (long; see CONTRIBUTING)
	$(BIN)/python benchmarks/screens.py

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist *.egg-info screenset-demo .screenset-demo.building

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed and was not found"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# Without --no-compile pip compiles every module of every package, which takes as long again.
$(VENV)/.installed: $(VENV)/bin/python pyproject.toml setup.py constraints.txt
	@echo "installing into $(VENV), which takes a minute or so …"
	@$(BIN)/python -m pip install --quiet --no-compile --use-pep517 --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-test: $(VENV)/bin/python pyproject.toml setup.py constraints.txt
	@echo "installing into $(VENV), which takes a minute or so …"
	@$(BIN)/python -m pip install --quiet --no-compile --use-pep517 --disable-pip-version-check -c constraints.txt -e '.[test]'
	@touch $@ $(VENV)/.installed
