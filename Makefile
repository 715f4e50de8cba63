# `make check` is the one entry: what continuous integration runs, in the same order. All parts run even if one fails.
MAKEFLAGS += --keep-going
.NOTPARALLEL:
.PHONY: check quick format lint types imports collection site test nightly changed docs lowest

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

# the tests but for the nightly ones, with a third of the examples; about 20 minutes, and a failure after 60
test:
	timeout --foreground --signal=INT 60m pytest -m "not nightly" --hypothesis-profile=ci --durations=10

# every test, with all examples, drawn anew; a failure prints how to repeat it
nightly:
	pytest -m "" --hypothesis-profile=nightly

# the tests of the rooms that a change can reach, and one from end to end for each kind of recoding
changed:
	pytest -m "not slow and not nightly or recoding" $$(python tests/changed.py)

# rewrites the outputs and tables in the documentation by what the commands print now
docs:
	python tests/documentation.py --write

# the fast tests on the lowest versions that pyproject.toml allows, in a virtual environment of their own
lowest:
	bash .ci/lowest
