# `make check` is the one entry: what continuous integration runs, in the same order. All parts run even if one fails.
MAKEFLAGS += --keep-going
.NOTPARALLEL:
.PHONY: check format lint types imports test docs lowest

check: format lint types imports test

format:
	ruff format --check .

lint:
	ruff check .

types:
	mypy

imports:
	lint-imports

test:
	pytest

# rewrites the outputs and tables in the documentation by what the commands print now
docs:
	python tests/documentation.py --write

# the fast tests on the lowest versions that pyproject.toml allows, in a virtual environment of their own
lowest:
	bash .ci/lowest
