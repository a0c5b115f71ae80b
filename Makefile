# Everything that a newcomer types. Each target does all of its own set-up first and says what it does;
# a second run starts at once, because the set-up remembers what it has done.

BIN := .venv/bin
# Options for the command behind a target: make test ARGS='-k lifecycle'
ARGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL: # two set-ups at once would be in each other's way
.PHONY: help demo serve test test-long chaos mutants bench check format pictures pages lock previous clean setup-demo setup-test

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F '|' '{printf "%-18s %s\n", $$1, $$2}'

demo: setup-demo ## See it work: a sample store, one export, its archive
	@$(BIN)/sheaf demo $(ARGS)

serve: setup-demo ## Run it here, embedded, with its data in ./data
	@$(BIN)/sheaf serve --data data $(ARGS)

# Two at a time: most tests wait for processes of their own, and each half has its own servers.
test: setup-test ## Run the tests against private PostgreSQL and Redis servers (at most 15 minutes)
	@$(BIN)/pytest -n 2 --dist worksteal $(ARGS)

test-long: setup-test ## Run the tests that take minutes each
	@$(BIN)/pytest -m long $(ARGS)

# Each guard is taken away in a copy of the tree. make mutants ARGS='--machine' asks the state machine alone.
mutants: setup-test ## Take each guard away in turn and name the test that misses it (some minutes)
	@$(BIN)/python -m tests.mutants $(ARGS)

# Hundreds of exports while everything is killed, restarted and frozen: ARGS='--jobs 5000 --owners 40 --seed 2'
chaos: setup-test ## Kill everything at random under load and check every promise
	@$(BIN)/python -m tests.chaos $(ARGS)

# Ratios are taken side by side in one run; as root, real-time priority keeps other work out: chrt -r 5 make bench
bench: setup-test ## Measure: each table beside its baseline, in some five minutes (ARGS=--full takes half an hour)
	@$(BIN)/python -m bench $(ARGS)

check: setup-demo ## Lint, format, types, layers, and migrations against the tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/sheaf db check

format: setup-demo ## Put the code into its agreed form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

pictures: setup-test ## Draw docs/pictures: every document type, short and long
	@$(BIN)/python samples/make_pictures.py

pages: setup-test ## Draw docs/pages: every page of the console, light and dark, wide and narrow
	@$(BIN)/python -m tests.web.pictures

# One lock for Python 3.11 to 3.13, with hashes and without any address. Pins stay while pyproject.toml
# allows them; make lock ARGS=--upgrade takes the newest of everything.
lock: setup-demo ## Write requirements.lock from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
		--no-annotate --no-header --quiet --output-file requirements.lock $(ARGS)

# The tests run the previous release against this one's schema, and beside this one; history may be absent there.
previous: ## Keep release REV=<commit> as the previous one for the tests, right after it was made
	git archive --format=tar $(REV) app worker migrations | xz -9e > tests/previous/sheaf-previous.tar.xz

clean: ## Remove what the targets made, but not ./data
	rm -rf .venv .make build dist demo *.egg-info .hypothesis .*_cache
	find app worker migrations tests bench -name __pycache__ -prune -exec rm -rf {} +

setup-demo: ## Only the set-up of make demo
	@sh scripts/setup.sh demo

setup-test: ## Only the set-up of make test
	@sh scripts/setup.sh test
