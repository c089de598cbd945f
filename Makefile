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
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
SANITIZED := target/sanitized
ARM := aarch64-unknown-linux-gnu
EMULATED := target/emulated
# Miri runs a thousandth as fast: not what draws hundreds of thousands of rows. It has no vector registers.
MIRI := hash json csv cluster exact intersect verify lsh::run lsh::store lsh::ranked text::buffer text::column parallel \
    --skip simd --skip storm
RUST_SOURCES := Cargo.toml Cargo.lock $(wildcard crates/*/Cargo.toml) $(shell find crates -name '*.rs')

help: ## list these commands
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' Makefile

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

# What follows needs flags of rustc that only nightly takes; RUSTC_BOOTSTRAP makes the stable one take them.
fuzz: $(VENV)/created ## fuzz every target for FUZZ_SECONDS (120) each, one line a target
	@command -v cargo-fuzz >/dev/null || test -x $(BIN)/cargo-fuzz || cargo install --quiet --locked --root $(VENV) cargo-fuzz
	@PATH="$(CURDIR)/$(BIN):$$PATH" fuzz/run

sanitize: ## run the core's tests under AddressSanitizer; under ThreadSanitizer those that start threads
	RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Z sanitizer=address" ASAN_OPTIONS=detect_leaks=0 PROPTEST_CASES=64 \
	    cargo test -p neardup-core --tests --locked --target $(HOST) --target-dir $(SANITIZED)/address
	@# It takes the standard library's own synchronisation for races unless that is instrumented too.
	@if test -d "$$(rustc --print sysroot)/lib/rustlib/src"; then \
	    RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Z sanitizer=thread" PROPTEST_CASES=8 cargo test -Z build-std -p neardup-core --lib \
	        --locked --target $(HOST) --target-dir $(SANITIZED)/thread -- threads parallel; \
	else \
	    echo 'not run: ThreadSanitizer, for want of the sources of the standard library: rustup component add rust-src'; \
	fi

miri: ## run what Miri can of the core's tests (needs nightly with miri and rust-src)
	@cargo +nightly miri --version >/dev/null 2>&1 && test -d "$$(rustc +nightly --print sysroot)/lib/rustlib/src" || \
	    { echo 'missing: Miri and the sources of the standard library: rustup +nightly component add miri rust-src' >&2; exit 1; }
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=2 cargo +nightly miri test -p neardup-core --lib -- $(MIRI)

# Static, so that the emulator needs none of the other machine's libraries. RUSTC may name another compiler.
arm: ## cross-compile the core's tests for ARM and run them under an emulator
	@test -d "$$($${RUSTC:-rustc} --print target-libdir --target $(ARM))" || \
	    { echo 'missing: the standard library for $(ARM): rustup target add $(ARM), or on Debian' \
	        'libstd-rust-web-dev:arm64 with rustc-web, named by RUSTC' >&2; exit 1; }
	@for tool in aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu qemu-aarch64:qemu-user; do \
	    command -v "$${tool%:*}" >/dev/null || \
	        { echo "missing: $${tool%:*}: on Debian and Ubuntu apt-get install $${tool#*:}" >&2; exit 1; }; \
	done
	CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc RUSTFLAGS="-C target-feature=+crt-static" \
	    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64 PROPTEST_CASES=8 \
	    cargo test -p neardup-core --tests --locked --target $(ARM) --target-dir $(EMULATED)

coverage: $(VENV)/dev ## lines and branches of the core that no test reaches (needs LLVM 19 or newer)
	$(BIN)/python tests/coverage.py --uncovered

bench: $(BENCH)/built ## time neardup beside its peers, in an environment of its own (half an hour)
	@$(BENCH)/bin/python benchmarks/run.py

bench-quick: $(BENCH)/built ## the same on less data (two minutes)
	@$(BENCH)/bin/python benchmarks/run.py --quick

accuracy: $(VENV)/built ## hold answers on real corpora to an exact join, write docs/accuracy.md
	NEARDUP_PEERS="$${NEARDUP_PEERS-$(wildcard $(PEERS)/bin/python)}" $(BIN)/python benchmarks/accuracy.py
	$(BIN)/python benchmarks/accuracy_page.py

# In the environment of `make bench`, where there is one: peers live there.
experiments: $(VENV)/built ## rerun what the papers claim, write docs/experiments.md (two minutes)
	PYTHONPATH=python $(firstword $(wildcard $(BENCH)/bin/python) $(BIN)/python) benchmarks/experiments.py

fmt: $(VENV)/dev ## format Rust and Python, apply safe lint fixes, write docs/options.md
	cargo fmt --all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python docs/make_options.py

clean: ## remove everything that was built
	rm -rf $(VENV) $(BENCH) $(PEERS) target demo python/neardup/_native*.so python/neardup/_native*.pyd

# The package, built for release and installed in place: edits of Python need no rebuild, edits of Rust do.
$(VENV)/built: $(VENV)/created pyproject.toml $(RUST_SOURCES)
	@echo "== Building the native core: a few minutes, once"
	@$(BIN)/pip install "$(MATURIN)"
	@env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked
	@touch $@

# What tests and checks need on top: the extras `dev` and `test`. Nothing is compiled again.
$(VENV)/dev: $(VENV)/built
	@echo "== Installing what checks and tests need (pandas, polars, an S3 server, ...): minutes, once"
	@env -u CONDA_PREFIX VIRTUAL_ENV="$(CURDIR)/$(VENV)" $(BIN)/maturin develop --release --locked --extras dev,test
	@touch $@

# Peers are installed away from .venv, so that no version of theirs decides one of ours.
$(BENCH)/built: $(VENV)/built benchmarks/requirements.txt
	"$$(.ci/tools --python)" -m venv --clear $(BENCH)
	$(BIN)/maturin build --release --locked --quiet --out $(BENCH)/wheels
	$(BENCH)/bin/pip install --requirement benchmarks/requirements.txt $(BENCH)/wheels/*.whl
	@touch $@

$(VENV)/created:
	@.ci/tools
	@echo "== Making $(VENV), where everything is installed"
	@"$$(.ci/tools --python)" -m venv --clear $(VENV)
	@touch $@

.PHONY: help demo test check soak fuzz sanitize miri arm coverage bench bench-quick accuracy experiments fmt clean
