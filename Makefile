# `make check` is the one entry: what continuous integration runs, in the same order. All parts run even if one fails.
MAKEFLAGS += --keep-going
.NOTPARALLEL:
.PHONY: check quick format lint types imports collection site test docs lowest

check: format lint types imports collection site test

# what answers while one waits: formatting, lint, and the tests marked quick, collected from the files that hold them
quick: format lint
	pytest -m quick $$(grep -rl --include='test_*.py' 'mark\.quick' tests)

format:
	ruff format --check .

lint:
	ruff check .

types:
	mypy

imports:
	lint-imports

# two processes collect the same tests, or workers disagree
collection:
	bash .ci/collection

# the documentation as a site, in build/site; a link that leads nowhere fails
site:
	NO_MKDOCS_2_WARNING=1 mkdocs build --quiet --strict

# every test with all its examples; `pytest` alone leaves out the slow ones, and takes fewer examples
test:
	pytest -m "slow or not slow" --hypothesis-profile=ci

# rewrites the outputs and tables in the documentation by what the commands print now
docs:
	python tests/documentation.py --write

# the fast tests on the lowest versions that pyproject.toml allows, in a virtual environment of their own
lowest:
	bash .ci/lowest
