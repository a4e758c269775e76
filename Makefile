# Needs Python 3.11 or newer and make; everything else is installed into .venv by package name.
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3.14 python3; do \
	if $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$p; break; fi; done)
BIN := .venv/bin
STAMP := .venv/.installed
DOCS_STAMP := .venv/.docs-installed
NATIVE := .venv/.native-built
NATIVE_SOURCES := $(wildcard src/endspiel/native/core/*.* src/endspiel/native/core/builds/*) src/endspiel/native/build.py

.PHONY: demo test test-slow test-explore test-gpu bench blueprint docs package lint types check mutants sanitize clean

demo: $(NATIVE)
	$(BIN)/endspiel demo

# Bytecode is written, whatever the environment says: tests start hundreds of processes, each of
# which would compile the package again.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(NATIVE)
	$(BIN)/python -m pytest -n auto --dist worksteal --durations 25 --durations-min 2

test-slow: $(NATIVE)
	$(BIN)/python -m pytest -m slow

# Property tests with fresh examples and long searches; each run tells the seed that repeats it.
RUNS ?= 1
test-explore: $(NATIVE)
	@failed=0; for run in $$(seq $(RUNS)); do \
		seed=$${SEED:-$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')}; \
		echo "Run $$run of $(RUNS): make test-explore SEED=$$seed repeats it."; \
		$(BIN)/python -m pytest -n auto --dist worksteal -m 'hypothesis or explore' --hypothesis-profile=explore \
			--hypothesis-seed=$$seed || failed=1; \
	done; exit $$failed

# The kernels on this machine's GPU, against their twin.
test-gpu: $(NATIVE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[gpu]'
	$(BIN)/python -m pytest -m gpu tests/gpu

bench: $(NATIVE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/endspiel bench --all

# Trains a strategy of the size of the one that comes with the package, and puts it in its place:
# about an hour on two cores, resumed if stopped. (The one that comes was trained on a GPU.)
blueprint: $(NATIVE)
	mkdir -p build/blueprint src/endspiel/blueprint/data
	test -f build/blueprint/8-12-4-4.es || $(BIN)/endspiel abstract --branching 8-12-4-4 \
		--out build/blueprint/8-12-4-4.es
	$(BIN)/endspiel train --abstraction build/blueprint/8-12-4-4.es --target 0.002 \
		--resume build/blueprint/training --out src/endspiel/blueprint/data/default.blueprint

# The site of docs/ and of the docstrings, into build/site; whatever warns stops it.
docs: $(STAMP) $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "build/site/index.html"

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $(DOCS_STAMP)

# sdist and wheel, the wheel installed in a fresh environment and tried there.
package: $(STAMP)
	$(BIN)/python tools/check_package.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

check: lint types test

# A C++ compiler, from the package index where this machine has none.
define A_COMPILER
@$(BIN)/python src/endspiel/native/build.py --compiler >/dev/null 2>&1 || { \
	echo "No C++ compiler on the PATH: fetching the package ziglang (100 MB), whose compiler serves."; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ziglang; }
endef

$(STAMP): pyproject.toml setup.py
	@test -n "$(PYTHON)" || { echo "Endspiel needs Python 3.11 or newer on the PATH."; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(A_COMPILER)
	@echo "Installing what Endspiel needs into .venv (a minute or two, once)."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $(STAMP)

# The kernels, compiled again where their sources are newer than the library.
$(NATIVE): $(STAMP) $(NATIVE_SOURCES)
	$(A_COMPILER)
	$(BIN)/python -m endspiel.native.build
	@touch $(NATIVE)

# Kernel tests and three solves under the compiler's sanitizers of addresses, of undefined behavior
# and of threads.
sanitize: $(NATIVE)
	$(BIN)/python tools/sanitize.py

# How many small faults the tests let pass, by a seeded sample: see docs/mutants.md.
# PACKAGE=betting runs one package's part of it, SAMPLE=all every mutant there is.
SAMPLE ?= 400
SEED ?= 1
PACKAGE ?=
mutants: $(NATIVE)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[mutants]'
	$(BIN)/python tools/mutants.py --sample $(SAMPLE) --seed $(SEED) --package '$(PACKAGE)'

clean:
	rm -rf mutants .venv build dist src/endspiel/native/lib .mypy_cache .ruff_cache .pytest_cache
