# What make builds for itself stands in .cache, pictures and tables in out, trained networks in runs; git ignores all three.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help

NOTEBOOK := figure-03
PYTHON := python3
VENV := .cache/venv
BIN := .cache/bin

# Packages that start goroutines of their own.
RACE := ./corrupt ./dataset ./internal/...

export PATH := $(CURDIR)/$(BIN):$(PATH)
export GOWORK := off
export GOFLAGS := $(strip $(GOFLAGS) -mod=readonly)

##@ First result

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: setup ## Train, evaluate and draw Figure 3 at smoke scale in its notebook, without a browser
	@echo "run      notebooks/$(NOTEBOOK).ipynb, every cell, about a minute and a half at first, seconds after that"
	@$(VENV)/bin/python tools/notebook/run.py notebooks/$(NOTEBOOK).ipynb --output out/$(NOTEBOOK).ipynb
	@echo "wrote    $$(echo out/$(NOTEBOOK)*)"

.PHONY: build
build: ## Build bin/nbbnn
	go build -o bin/nbbnn ./cmd/nbbnn

##@ Checks

.PHONY: test
test: setup format vet staticcheck test-go test-race test-runner test-notebooks ## Run every test there is, with all set-up that it needs
	@echo "test     everything passed"

.PHONY: format
format: ## Report Go files that gofmt would change
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [ -n "$$files" ]; then echo "format: gofmt -w would change:"; echo "$$files"; exit 1; fi

.PHONY: vet
vet: ## Run go vet on all modules
	go vet ./...
	go -C notebooks vet -tags=noxla ./...

.PHONY: staticcheck
staticcheck: $(BIN)/staticcheck ## Run the pinned staticcheck
	$(BIN)/staticcheck ./...

.PHONY: lint
lint: format vet staticcheck ## Run all linters; golangci-lint where it is installed
	@if command -v golangci-lint > /dev/null; then golangci-lint run; \
	else echo "lint     golangci-lint is not installed: its checks were SKIPPED"; fi

.PHONY: test-go
test-go: ## Run the Go tests of all modules
	go test ./...
	go -C notebooks test -tags=noxla ./...

.PHONY: test-race
test-race: ## Run the tests of the concurrent packages under the race detector
	@if [ "$$(go env CGO_ENABLED)" = 1 ] && command -v "$$(go env CC)" > /dev/null; then \
	echo "go test -race -short $(RACE)"; go test -race -short $(RACE); \
	else echo "test     no C compiler, which the race detector needs: SKIPPED (Debian: apt install gcc)"; fi

.PHONY: test-runner
test-runner: kernel ## Test the program that runs notebooks against the real kernel
	$(VENV)/bin/python -m unittest discover --start-directory tools/notebook

.PHONY: test-notebooks
test-notebooks: setup ## Check and run every notebook
	@for source in notebooks/*.md; do name=$$(basename "$$source" .md); \
	go run ./internal/notebook/cmd/notebook check "$$source"; \
	go run ./internal/notebook/cmd/notebook verify "$$source"; \
	$(VENV)/bin/python tools/notebook/run.py "notebooks/$$name.ipynb" --output ".cache/test/$$name.ipynb"; done

##@ Notebooks

.PHONY: notebooks
notebooks: setup ## Write every notebook anew from its source, with outputs
	@for source in notebooks/*.md; do name=$$(basename "$$source" .md); \
	go run ./internal/notebook/cmd/notebook check "$$source"; \
	go run ./internal/notebook/cmd/notebook generate "$$source" .cache/notebooks; \
	$(VENV)/bin/python tools/notebook/run.py ".cache/notebooks/$$name.ipynb" --directory notebooks --output "notebooks/$$name.ipynb"; done

.PHONY: lock
lock: $(VENV)/ready ## Write notebooks/requirements.txt anew from requirements.in; needs uv
	@command -v uv > /dev/null || { echo "lock: uv is not installed: see CONTRIBUTING.md"; exit 1; }
	cd notebooks && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links --output-file requirements.txt requirements.in

##@ Set-up

.PHONY: setup
setup: ## Prepare Python, the GoNB kernel and the build cache of the notebooks
	@$(MAKE) --no-print-directory -j3 kernel warm

.PHONY: kernel
kernel: $(VENV)/ready $(BIN)/ready
	@JUPYTER_DATA_DIR="$(CURDIR)/$(VENV)/share/jupyter" $(BIN)/gonb --install --force_deps 2> .cache/kernel.log || { cat .cache/kernel.log; exit 1; }

.PHONY: tidy
tidy: ## Bring go.mod and go.sum of all modules up to date; needs a network
	for module in . notebooks tools; do GOFLAGS= go -C $$module mod tidy; done

.PHONY: clean
clean: ## Remove .cache, bin and out; trained networks in runs stay
	rm -rf .cache bin out

$(VENV)/ready: notebooks/requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "setup: Python 3.11 or newer is needed: make PYTHON=python3.12 (or the like) chooses one"; exit 1; }
	@echo "setup    Python environment in $(VENV)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "setup: Python can't make virtual environments: apt install python3-venv"; exit 1; }
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r notebooks/requirements.txt
	@touch $@

$(BIN)/ready: tools/go.mod tools/go.sum
	@echo "setup    GoNB kernel and goimports in $(BIN)"
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools install github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	@touch $@

$(BIN)/staticcheck: tools/go.mod tools/go.sum
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools install honnef.co/go/tools/cmd/staticcheck
	@touch $@

.PHONY: warm
warm:
	@echo "setup    packages that cells use"
	@go -C notebooks build -tags=noxla ./...
