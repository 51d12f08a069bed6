# make demo   set up, show two crawlers side by side in a browser, until Ctrl-C
# make test   set up, run the tests that a developer needs before a commit: at most four minutes on two idle cores
# make test-slow  set up, run the slow ones
# make test-all   set up, run all
# make check  set up, lint, types
# make bench  measure speed and memory beside others: BENCH="crawl --json" (see python -m benchmarks --help)
# make size   install what `pip install sought` brings into a fresh environment, print how large it is
# make soak   crawl, serve, search and edit for ten minutes: does anything still grow?  SOAK="--minutes 120" for longer
# make chaos  kill commands at the worst moments, 200 times: is anything lost?
# make docs   build the documentation into dist/site; a dead link is an error
# make pictures  take those of docs/tutorial/tour.md again
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PYTEST := $(BIN)/pytest -n auto --dist worksteal

.PHONY: demo test test-slow test-all check format docs pictures bench size soak chaos clean

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Sought needs Python 3.11 or newer (set PYTHON=...)"; exit 2; }
	@$(PYTHON) -m venv $(VENV) || { echo "cannot make a virtual environment: on Debian, apt-get install python3-venv"; exit 2; }
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.installed
	$(BIN)/pip install --quiet --editable '.[lab]' --group dev
	@touch $@

demo: $(VENV)/.installed
	$(BIN)/sought demo

# Tests start hundreds of processes: machine code and bytecode are made once, before them.
test test-slow test-all: export PYTHONDONTWRITEBYTECODE :=
$(VENV)/.compiled: $(VENV)/.dev $(shell find src -name '*.py')
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m tests.testing.compile_all
	@touch $@

test: $(VENV)/.compiled
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.compiled
	$(PYTEST) -m slow

test-all: $(VENV)/.compiled
	$(PYTEST)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers auto

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

$(VENV)/.docs: $(VENV)/.dev
	$(BIN)/pip install --quiet --group docs
	@touch $@

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

pictures: $(VENV)/.dev
	SOUGHT_SCREENSHOTS=dist/pictures $(BIN)/pytest tests/demo/test_tour.py tests/console/test_budget.py
	cd dist/pictures && cp tour-*.png budget-light-1200.png ../../docs/pictures/

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/pip install --quiet --group bench
	@touch $@

bench: $(VENV)/.bench
	$(BIN)/python -m benchmarks $(BENCH)

size: $(VENV)/.installed
	$(BIN)/python packaging/size.py

soak: $(VENV)/.compiled
	$(BIN)/python -m tests.endurance.soak $(SOAK)

chaos: $(VENV)/.compiled
	$(BIN)/python -m tests.endurance.chaos $(CHAOS)

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
