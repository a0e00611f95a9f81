# Each target first sets up its requirements: .venv from requirements.lock and, on Debian, the packages that Qt needs.
# Targets with development tools add them to .venv from requirements-dev.lock. The site of the documentation is built by
# .venv-docs, from requirements-docs.lock.
#
#   make run      open the window; make run ARGS="evaluate ..." works without one
#   make test     run the tests
#   make wheel    test the command line and Python against the wheel, beside packages of the same names
#   make bundle   make a folder that starts without Python, and test it: build/fabriscope
#   make docs     build the documentation as a site: build/docs/index.html
#   make fuzz     read 300 mutated files of every kind; make fuzz ARGS="-n 1000 dot"
#   make check    check format, lint, types and contracts, and run the tests, as CI does
#   make format   format the source with ruff
#   make bench    measure the speed, and update tests/benchmarks/RESULTS.md
#   make lock     resolve all locks after a change to pyproject.toml (UPGRADE=1: upgrade all packages)

PYTHON := .venv/bin/python

# Parallel set-ups would create the same .venv twice.
.NOTPARALLEL:

.PHONY: run test wheel docs bundle fuzz check lint format-check ruff-check types contracts format bench lock \
	run-setup test-setup tools-setup docs-setup bundle-setup

run: run-setup
	@$(PYTHON) main.py $(ARGS)

test: test-setup
	$(PYTHON) -m pytest $(ARGS)

wheel: test-setup
	$(PYTHON) -m tests.relocated $(ARGS)

docs: run-setup docs-setup
	QT_LOGGING_RULES=default.warning=false $(PYTHON) -m app.docs build/docs-sources
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/python -m mkdocs build --strict --quiet --config-file build/docs-sources/mkdocs.yml \
		--site-dir $(CURDIR)/build/docs

bundle: test-setup bundle-setup
	.venv-bundle/bin/pyinstaller --noconfirm --log-level ERROR --distpath build --workpath build/bundle-work .ci/bundle.spec
	$(PYTHON) -m pytest -n 0 tests/test_bundle.py

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

run-setup test-setup tools-setup docs-setup bundle-setup:
	@.ci/setup.sh $(@:-setup=)
