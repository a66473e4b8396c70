# The front door. Every target first installs what it needs (.ci/setup, which says so and does nothing twice); the work itself
# stands in the scripts of .ci, pkg-config and tests.
.PHONY: help setup build package test test-page lint vectors prove bench matrix interop fuzz mutants chaos storm accept demo www www-static clean
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 12

setup: ## install all that most targets need: Rust targets, wasm-bindgen, npm packages, types of platforms, workerd, Chromium, cargo-deny, valgrind
	@.ci/setup targets bindgen node types worker chromium deny valgrind

build: ## compile the wasm and its JavaScript glue; print the sizes of their parts
	@.ci/setup targets bindgen node
	@node pkg-config/build.mjs

package: ## build, then pack the npm package into pkg-config/dist/
	@.ci/setup targets bindgen node
	@node pkg-config/build.mjs --pack

test: setup ## run every test and lint; ends with one line "N passed, N failed"
	@node .ci/test.mjs

lint: ## formatting, clippy, documentation, no_std, dependencies; no tests
	@.ci/setup targets node deny
	@node .ci/test.mjs --only lint

vectors: ## run the public test vectors (of the folder in REGATE_VECTORS, else tests/vectors)
	@cargo test --quiet --locked --test vectors

prove: setup ## the longer proofs: failover times, 20,000 operations through kills, a million random worlds (a quarter of an hour)
	@node pkg-config/build.mjs --pack --quiet
	@node tests/prove/prove.mjs

bench: ## regate beside what else one would use, tables and charts in benches/results; SECTION=bundle,throughput QUICK=1
	@.ci/setup targets bindgen node chromium bench valgrind
	@node pkg-config/build.mjs --pack --quiet
	@node benches/bench.mjs --wait-for-quiet 30 $(if $(SECTION),--section $(SECTION)) $(if $(QUICK),--quick)

accept: ## record the instruction counts and byte sizes of now, which `make test` compares with, in benches/recorded.json
	@.ci/setup targets bindgen node valgrind
	@node pkg-config/build.mjs --pack --quiet
	@node benches/recorded.mjs --accept

interop: setup ## MQTT.js, graphql-ws and eth_subscribe through kills of mosquitto, graphql-ws and ganache; KILLS=20
	@.ci/setup interop
	@node pkg-config/build.mjs --pack --quiet
	@KILLS=$(KILLS) node tests/interop/interop.mjs

matrix: setup ## the packed package in browsers, workers, bundlers and runtimes, one table; ONLY=Vite,Deno (six minutes in all)
	@.ci/setup firefox matrix
	@node pkg-config/build.mjs --pack --quiet
	@node tests/matrix/matrix.mjs $(if $(ONLY),--only "$(ONLY)")

chaos: setup ## clients under faults of every kind, judged by a journal; SEED=7 DURATION=600
	@node pkg-config/build.mjs --pack --quiet
	@SEED=$(SEED) DURATION=$(DURATION) node tests/chaos/chaos.mjs

storm: ## a million simulated clients whose gateways fail, into benches/results/storm; CLIENTS=100000 SEED=7 (five to ten minutes)
	@cargo run --quiet --locked --manifest-path benches/storm/Cargo.toml --target-dir $(or $(CARGO_TARGET_DIR),target) --features charts -- \
	  $(if $(CLIENTS),--clients $(CLIENTS)) $(if $(SEED),--seed $(SEED))

fuzz: setup ## throw random input at everything, each target for DURATION seconds (60); needs a nightly toolchain
	@.ci/setup fuzz
	@node pkg-config/build.mjs --pack --quiet
	@node tests/fuzz/fuzz.mjs

mutants: ## break src/policy in every way and see whether a test notices; goes on where it stopped (an hour in all)
	@.ci/setup mutants
	@node tests/mutants/mutants.mjs

demo: setup ## watch the packed client in a real Chromium while its gateways fail (30 s)
	@node pkg-config/build.mjs --pack --quiet
	@node tests/demo/demo.mjs

www: setup ## serve the explorer, and the live page with three gateways to break, for your own browser
	@node pkg-config/build.mjs --pack --quiet
	@node www/build.mjs --quiet
	@node tests/demo/serve.mjs

www-static: ## build the explorer into www/dist, a folder for any file host
	@.ci/setup targets bindgen node
	@node www/build.mjs

test-page: setup ## the explorer and the live page in Chromium: stories, editing, sharing, axe-core, bytes (a part of `make test`)
	@node .ci/test.mjs --only package,tests-page

clean: ## delete what was built; installed tools stay (they are in .tools and node_modules)
	rm -rf target pkg-config/dist pkg-config/wasm/pkg pkg www/dist www/explorer/dist .tools/logs
