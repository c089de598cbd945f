# Every command a developer or a visitor needs. `make` alone lists them. All set-up happens in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
export PATH := $(PATH):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_QUIET := 1

VENV := .venv
BIN := $(VENV)/bin
BENCH := .venv-bench
PEERS := .venv-peers
MATURIN := maturin>=1.9,<2
RUST_SOURCES := Cargo.toml Cargo.lock $(wildcard crates/*/Cargo.toml) $(shell find crates -name '*.rs')

help: ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/built ## build, then remove near-duplicates from the corpus in examples/ and show what was found
	@$(BIN)/python examples/demo.py

# The Python face holds no algorithm and is tested from Python: its own test binary would need libpython.
test: check ## run every check and the whole test suite (Rust and Python)
	cargo test --workspace --exclude neardup-py --locked
	$(BIN)/python -m pytest

check: $(VENV)/dev ## formatting, lints, types, stubs and documentation examples
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest neardup._native
	$(BIN)/python -m pytest --doctest-modules python/neardup tests/docs

soak: $(VENV)/dev ## run the tests that take many minutes
	$(BIN)/python -m pytest -m slow

bench: $(BENCH)/built ## time neardup beside its peers, in an environment of its own
	@for script in benchmarks/bench_*.py; do echo "== $$script"; $(BENCH)/bin/python "$$script"; done

accuracy: $(VENV)/built ## hold answers on real corpora to an exact join, write docs/accuracy.md
	NEARDUP_PEERS="$${NEARDUP_PEERS-$(wildcard $(PEERS)/bin/python)}" $(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/accuracy_page.py

fmt: $(VENV)/dev ## format Rust and Python, apply safe lint fixes, write docs/options.md
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/make_options.py

clean: ## remove everything that was built
	rm -rf $(VENV) $(BENCH) $(PEERS) target python/neardup/_native*.so python/neardup/_native*.pyd

# The package, built for release and installed in place: edits of Python need no rebuild, edits of Rust do.
$(VENV)/built: $(VENV)/created pyproject.toml $(RUST_SOURCES)
	$(BIN)/pip install "$(MATURIN)"
	env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked --quiet
	@touch $@

# What tests and checks need on top: the extras `dev` and `test`. Nothing is compiled again.
$(VENV)/dev: $(VENV)/built
	env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked --quiet --extras dev,test
	@touch $@

# Peers are installed away from .venv, so that no version of theirs decides one of ours.
$(BENCH)/built: $(VENV)/built benchmarks/requirements.txt
	"$$(.ci/tools --python)" -m venv --clear $(BENCH)
	$(BIN)/maturin build --release --locked --quiet --out $(BENCH)/wheels
	$(BENCH)/bin/pip install --requirement benchmarks/requirements.txt $(BENCH)/wheels/*.whl
	@touch $@

$(VENV)/created:
	@.ci/tools
	"$$(.ci/tools --python)" -m venv --clear $(VENV)
	@touch $@

.PHONY: help demo test check soak bench accuracy fmt clean
