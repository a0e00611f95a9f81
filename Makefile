# Each target sets up what it needs first: .venv from requirements.lock and, on Debian, the packages Qt asks for;
# those that need development tools add them to it, from requirements-dev.lock.
#
#   make run      open the window; make run ARGS="evaluate ..." works without one
#   make test     run the tests
#   make fuzz     read mutated files of every kind, 300 each; make fuzz ARGS="-n 1000 dot"
#   make check    format, lint, types, contracts and tests: what CI asks for
#   make format   let ruff put the source in order
#   make bench    time what must stay fast
#   make lock     resolve both locks again after a change to pyproject.toml (UPGRADE=1: newest of everything)

PYTHON := .venv/bin/python

# Two set-ups at once would make one .venv twice.
.NOTPARALLEL:

.PHONY: run test fuzz check lint format-check ruff-check types contracts format bench lock run-setup test-setup tools-setup

run: run-setup
	@$(PYTHON) main.py $(ARGS)

test: test-setup
	$(PYTHON) -m pytest $(ARGS)

fuzz: test-setup
	$(PYTHON) -m tests.fuzz $(ARGS)

check: lint types contracts test

lint: format-check ruff-check

format-check: tools-setup
	$(PYTHON) -m ruff format --check .

ruff-check: tools-setup
	$(PYTHON) -m ruff check .

types: tools-setup
	$(PYTHON) -m mypy

contracts: tools-setup
	$(PYTHON) .venv/bin/lint-imports

format: tools-setup
	$(PYTHON) -m ruff check --fix .
	$(PYTHON) -m ruff format .

bench: test-setup
	$(PYTHON) -m pytest -n 0 tests/benchmarks $(ARGS)

lock: tools-setup
	@.ci/lock.sh $(UPGRADE)

run-setup test-setup tools-setup:
	@.ci/setup.sh $(@:-setup=)
