# Two commands: `make book` builds the book, `make test` runs everything CI runs.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Optional dependencies to install. `make test EXTRAS=book,test,graders` also runs the tests that need other graders.
EXTRAS ?= book,test
STAMP := $(VENV)/installed-$(EXTRAS)

# One thread per process: the chapters and the tests already run two processes at a time.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# Modules are not compiled at installation: the first process that imports one does, and writes it for all others.
unexport PYTHONDONTWRITEBYTECODE
# What numba compiles, once for chapters and tests alike.
export NUMBA_CACHE_DIR := $(CURDIR)/_build/numba

# uv takes a tenth of pip's time. It does not read pip's settings: where it finds no index, pip installs.
install = $(BIN)/uv pip install --quiet --python $(BIN)/python $(1) \
	|| $(BIN)/pip install --quiet --disable-pip-version-check --no-compile $(1)

.PHONY: book pdf test test-package test-newest test-oldest lint package look clean

book: package
	$(BIN)/python tools/build_book.py

# The whole book as one PDF; without a browser it says so before it builds anything.
pdf: package
	$(BIN)/python tools/print_book.py --browser
	$(BIN)/python tools/build_book.py
	$(BIN)/python tools/print_book.py

# Chapters keep two processors busy. The pages are written mostly by one process, and some tests wait for other programs:
# lint, pages and the tests that do not need the pages share the processors. The package is installed already.
test: package
	$(BIN)/python tools/build_book.py --chapters
	$(MAKE) --jobs --output-sync=target --old-file=package lint book test-package
	$(BIN)/pytest -n 2 --dist worksteal tests/book

# The plus sign shows the tests' progress at once.
test-package: package
	+$(BIN)/pytest -n 2 --dist worksteal --ignore=tests/book

# All tests except those of the pages and of other graders, which need the versions of constraints.txt, with the newest
# releases and with the oldest ones that pyproject.toml allows.
test-oldest: PINS := --constraint constraints-oldest.txt
test-newest test-oldest: test-%:
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	rm -rf build rbnotes.egg-info
	.venv-$*/bin/pip install --disable-pip-version-check --progress-bar off --quiet --upgrade --upgrade-strategy eager $(PINS) ".[test]"
	.venv-$*/bin/pytest -n 2 --ignore=tests/book --ignore=tests/viewer --ignore=tests/coursework/grading/test_graders.py

lint: package
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/codespell

# The package as a reader gets it: built and installed, not imported from this folder.
package: $(STAMP)
	$(BIN)/python tools/build_scripts.py
	rm -rf build rbnotes.egg-info
	$(call install,--no-deps --force-reinstall .)

$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing the dependencies: a minute or two the first time"
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	$(call install,--constraint constraints.txt ".[$(EXTRAS)]")
	touch $@

# The written pages in a browser (Chromium): accessibility, width on a phone, requests, console.
look:
	$(BIN)/python tools/inspect_pages.py

clean:
	rm -rf _build build dist rbnotes.egg-info book/_generated
