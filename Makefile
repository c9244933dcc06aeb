# What people and .ci/run type. `make` alone lists it.

SWIFT ?= swift
PYTHON ?= python3
# Where the black-box suites are looked for; those that are not there are skipped.
SHARED ?= ../shared
FUZZ_ROUNDS ?= 20
FUZZ_SEED ?= 1
FUZZ_SECONDS ?= 60
KILL_ROUNDS ?= 25
RELAY_ROUNDS ?= 3
SOAK_MINUTES ?= 0.35
# Where `make install` puts things; DESTDIR goes in front, for those who make packages.
PREFIX ?= /usr/local
DESTDIR ?=

STATIC = $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
BINARY = .build/release/historywatch
# A build with the trait NATS has a place of its own, so that neither makes the other build anew.
NATS = --traits NATS --scratch-path .build/nats
FORMATTED = $(wildcard Sources Tests Fuzz Benchmarks Examples Package.swift)

.DEFAULT_GOAL := help
.PHONY: help demo build release nats test unit suites kill soak faults real-input page requirements test-requirements browser \
	examples docs install uninstall deb package format lint sanitize fuzz benchmark counts clean

help: ## List what can be made
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: release ## Show the whole idea in ten seconds
	@$(BINARY) demo

build: requirements ## Build everything for debugging
	$(SWIFT) build --build-tests

# With Swift's library inside, the program starts faster, takes less memory, and runs where there is no Swift.
release: requirements
	@$(SWIFT) build --configuration release --product historywatch $(STATIC)

# Debian has the server where not everybody looks for programs.
nats: export PATH := $(PATH):/usr/sbin
nats: ## Build .build/nats/release/historywatch, which can relay to NATS, and test it with real servers
	@Scripts/install-requirements --nats
	$(SWIFT) build $(NATS) --configuration release --product historywatch $(STATIC)
	$(SWIFT) test $(NATS) --filter 'JetStreamTests|RelayTests'
	$(PYTHON) Tests/KillTests/relay.py --binary .build/nats/release/historywatch --rounds $(RELAY_ROUNDS)
	$(PYTHON) Tests/KillTests/relay.py --binary .build/nats/release/historywatch --rounds 1 --nodes 3

TESTS = unit suites kill soak faults real-input page

# One failure does not hide the next: every step is run, and those that failed are named at the end.
test: test-requirements ## Run every test there is (steps: unit, suites, kill, soak, faults, real-input, page)
	$(SWIFT) build
	@failed=; for step in $(TESTS); do $(MAKE) --no-print-directory $$step || failed="$$failed $$step"; done; \
	if [ -n "$$failed" ]; then echo "make test: FAILED:$$failed"; exit 1; fi

unit: requirements
	$(PYTHON) Scripts/run-tests --swift $(SWIFT)

suites: release
	$(PYTHON) Scripts/run-suites --binary $(BINARY) --shared $(SHARED) --rounds $(FUZZ_ROUNDS) --seed $(FUZZ_SEED)

kill: release
	$(PYTHON) Tests/KillTests/run.py --binary $(BINARY) --rounds $(KILL_ROUNDS)
	$(PYTHON) Tests/KillTests/sync.py --binary $(BINARY) --rounds $(KILL_ROUNDS)

soak: release
	$(PYTHON) Tests/SoakTests/store.py --binary $(BINARY) --minutes $(SOAK_MINUTES)

faults: release ## Run the program where calls fail and there is no room (the unit tests do it to the library)
	$(PYTHON) Tests/ConditionTests/run.py --binary $(BINARY)

real-input: release
	$(PYTHON) Tests/RealInput/run.py --binary $(BINARY)

page: release browser
	$(PYTHON) Tests/PageTests/run.py --binary $(BINARY) --picture .build/page.png

examples: release ## Build and run the examples and the README's program
	$(PYTHON) Scripts/run-examples --binary $(BINARY)

install: release ## Install the program, its manual, completions and units (PREFIX=/usr/local, DESTDIR=)
	@Scripts/install-program --binary $(BINARY) --prefix $(PREFIX) --destdir "$(DESTDIR)"

uninstall: release ## Remove what `make install` installed
	@Scripts/install-program --binary $(BINARY) --prefix $(PREFIX) --destdir "$(DESTDIR)" --uninstall

deb: release ## Build a Debian package, .build/historywatch_VERSION_ARCHITECTURE.deb
	@Scripts/install-requirements --package
	@Scripts/build-deb --binary $(BINARY)

package: deb ## Test the package in a fresh Debian, and the libraries in a package that depends on them by URL
	$(PYTHON) Tests/PackageTests/run.py --package "$$(Scripts/build-deb --binary $(BINARY))"
	$(PYTHON) Tests/PackageTests/library.py --swift $(SWIFT)

requirements:
	@Scripts/install-requirements

test-requirements:
	@Scripts/install-requirements --tests

browser:
	@Scripts/install-requirements --browser

docs: requirements ## Build the pages of the library's modules
	$(PYTHON) Scripts/build-docs

format: ## Format the Swift sources in place
	$(SWIFT) format format --in-place --parallel --recursive $(FORMATTED)

lint: ## Run the checks of Scripts/
	@failed=0; for check in Scripts/check-*; do $$check || failed=1; done; exit $$failed

sanitize: requirements ## Run the unit tests under Thread and Address Sanitizer (QUICK=--quick: where it matters most)
	$(PYTHON) Scripts/run-tests --swift $(SWIFT) --sanitize thread $(QUICK)
	$(PYTHON) Scripts/run-tests --swift $(SWIFT) --sanitize address $(QUICK)

fuzz: ## Search for bytes from outside that are not taken as they should (FUZZ_SECONDS=60)
	$(PYTHON) Scripts/fuzz --seconds $(FUZZ_SECONDS)

benchmark: requirements release ## Measure speed and memory
	$(PYTHON) Benchmarks/run --binary $(BINARY)

counts: release ## Count what does not depend on the machine, and fail above a limit
	@Scripts/install-requirements --counts
	$(PYTHON) Benchmarks/run --binary $(BINARY) --check counts events

clean: ## Remove everything that was built
	rm -rf .build Benchmarks/.build Examples/.build
