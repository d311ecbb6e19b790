# make builds for itself in .cache; pictures and tables go to out, trained networks to runs. Git ignores all three.

# Version 3.81, which macOS has, ignores .SHELLFLAGS: failures would pass unseen.
ifneq ($(filter 3.80 3.81,$(MAKE_VERSION)),)
$(error this is GNU make $(MAKE_VERSION), but 3.82 or newer is needed: on macOS, brew install make, and call it as gmake)
endif

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help

NOTEBOOK := lesson-1
IMAGE_NOTEBOOKS ?= lesson-2 lesson-9
PYTHON := python3
VENV := .cache/venv
PORT := 8888
TARGET := cpu
BIN := .cache/bin

# What starts goroutines, each package with a pattern of the tests that make it do so. GoMLX's matrix products fail the race
# detector's pointer check, so that check is off in GoMLX.
RACE := internal/parallel:. internal/purego/kernel:ParallelDoes|ParallelCalls|HelpersStay|IdleWork internal/shapes10:Golden \
	corrupt:Generator internal/corrupted:MakeInPieces|MakeStops dataset:AddedSetIs|CorruptedPictures|AddStops cmd/sweep:Status$$ lab:LiveView|Follow|CellEnds \
	nbbnn/network:StepNoise|BatchIsMixed|AbandonedStepper nbbnn:Together|SlowStep|FastStep|TrainedOnceByTwo cmd/command:Cells$$|ParentOpensNoGPU
UNCHECKED := github.com/gomlx/compute/...=-d=checkptr=0

# The program looks for XLA plugins in a folder next to itself.
PLUGINS := bin/plugins
CPU_PLUGIN := pjrt_c_api_cpu_plugin.so

# Flags of notebook cells: no XLA, no cgo, and no debug information, which would cost linking time. The kernel's programs have no
# debug information either, so that they share the compiled standard library with the cells.
CELLS := -tags=noxla,netgo,osusergo -gcflags=all=-dwarf=false
LEAN := $(filter -gcflags=%,$(CELLS))

# Go modules beside the main one.
ASSEMBLY := internal/purego/assembly

# Tests choose their engine and kernels themselves. Their heaps are small: collected as often as Go would, a third of their time is
# garbage collection.
NEUTRAL := env -u GOMLX_BACKEND -u NBBNN_KERNELS GOGC=400
# Debug information takes a third of the time that a test's program is linked in.
UNVETTED := -vet=off -ldflags=-w

export PATH := $(CURDIR)/$(BIN):$(PATH)
export GOWORK := off
# A Go older than the one that go.mod names fetches that, also in Go's official images, which forbid it.
export GOTOOLCHAIN := auto
export GOFLAGS := $(strip $(GOFLAGS) -mod=readonly)

# Without a C compiler, or without the headers of the C library, everything but XLA and the race detector works.
ifndef CGO_ENABLED
CGO_ENABLED := $(shell printf '\043include <stdlib.h>\nint main(void) { return abs(0); }\n' | \
	$$(go env CC 2> /dev/null) -x c -fsyntax-only - > /dev/null 2>&1 && echo 1 || echo 0)
endif
export CGO_ENABLED

# Records name the commit of the program, which Go finds in the repository; without one, the sources' checksum.
STAMP = $(if $(wildcard .git),,-ldflags=-X=github.com/nbbnn/workbench/internal/machine.built=$(shell sh tools/sources.sh))

.PHONY: help demo build test check check-tests check-others nightly size format vet staticcheck lint race test-race test-changed test-nbgrader test-own-notebook test-latex test-xla test-cuda test-plan test-assembly test-arm cross test-runner \
	test-figures test-notebooks test-browser test-kubernetes test-cluster attack bench bench-peers peers lab notebooks lock image image-test setup \
	xla-cpu xla-cpu-package xla-cpu-go-xla kernel kernel-here vulnerabilities notices release test-reproducible test-module tidy clean go python warm missing gallery site

##@ First result

help: ## Show this list
	@awk -F ':.*## ' '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-18s %s\n", $$1, $$2}' Makefile

demo: build ## Does noise on the nodes help? Train and test 15 small networks, and draw the answer
	@echo "demo     about four minutes on two cores after the build; seconds after that. After an interrupt, run it again to continue"
	@bin/nbbnn figure demo

build: ## Build bin/nbbnn
	go build -trimpath $(STAMP) -o bin/nbbnn ./cmd/nbbnn

##@ Checks

test: format vet ## Check the format, vet and test all Go code: minutes, without Python or set-up
	$(NEUTRAL) go test -timeout 30m $(UNVETTED) ./...
	$(NEUTRAL) go -C notebooks test $(UNVETTED) ./...
	$(NEUTRAL) go -C $(ASSEMBLY) test $(UNVETTED) ./...

# Each runs targets in turn and prints the seconds that each took.
each = @for target in $(1); do begin=$$SECONDS; $(MAKE) --no-print-directory $$target; \
	printf 'make %-18s %4d s\n' $$target $$((SECONDS - begin)); done

# Tests, linters and notebooks each leave a core idle for a part of their time, so two run side by side.
check: ## What a push has to pass: the tests, staticcheck, races, assembly, changed notebooks, a browser; about 11 minutes
	@$(MAKE) --no-print-directory -j2 check-tests check-others

check-tests:
	+$(call each,test)
check-others:
	+$(call each,staticcheck setup test-changed test-own-notebook race test-assembly)

nightly: ## All other tests, an hour: figures, notebooks, XLA, attacks, other processors, clusters, images; says what this machine lacks
	.ci/run nightly

format: ## Report Go files that gofmt would change
	@files=$$(find . -name .cache -prune -o -name '*.go' -print); \
	if [ -z "$$files" ]; then echo "format: no Go files here: run make in the clone's folder"; exit 1; fi; \
	changed=$$("$$(go env GOROOT)/bin/gofmt" -l $$files); \
	if [ -n "$$changed" ]; then echo "format: gofmt -w would change:"; echo "$$changed"; exit 1; fi

vet: ## Run go vet on all modules
	go vet -tags attack ./...
	go -C notebooks vet ./...
	go -C tools/site vet .
	GOOS=js GOARCH=wasm go -C tools/site vet ./explorer ./curve
	GOOS=js GOARCH=wasm go -C notebooks vet ./micro/page.go ./micro/main.go
	go -C $(ASSEMBLY) vet ./...

staticcheck: $(BIN)/staticcheck ## Run the pinned staticcheck
	$(BIN)/staticcheck -tags attack ./...

lint: format vet staticcheck ## Run all linters; golangci-lint if installed
	@if command -v golangci-lint > /dev/null; then golangci-lint run; \
	else echo "lint     golangci-lint is not installed: its checks were SKIPPED"; fi

# go test succeeds if a pattern fits no test, so each part of a pattern is looked for first.
race: ## Run what starts goroutines under the race detector
	@if [ "$(CGO_ENABLED)" != 1 ]; then echo "race     no C compiler with the C library's headers: SKIPPED (Debian: apt install gcc libc6-dev)"; exit 0; fi; \
	for what in $(foreach pair,$(RACE),'$(pair)'); do package=$${what%%:*} pattern=$${what#*:}; \
	tests=$$(sed -n 's/^func \(Test[^(]*\)(.*/\1/p' $$package/*_test.go); \
	for part in $${pattern//|/ }; do grep -q -e "$$part" <<< "$$tests" || { echo "race: no test of $$package is called $$part"; exit 1; }; done; \
	$(NEUTRAL) go test -race -short $(UNVETTED) -gcflags='$(UNCHECKED)' -run "$$pattern" ./$$package; done

test-race: ## Run all tests of the packages that start goroutines under the race detector, minutes
	$(NEUTRAL) go test -race -short -vet=off -gcflags='$(UNCHECKED)' ./corrupt ./dataset ./viz ./cmd/sweep ./lab ./nbbnn/network ./internal/...

test-xla: ## Compare XLA with the pure-Go engine; needs make xla-cpu
	@if [ "$(CGO_ENABLED)" != 1 ]; then echo "test     no C compiler with the C library's headers, which XLA needs: XLA was NOT TESTED"; \
	elif [ ! -e $(PLUGINS)/$(CPU_PLUGIN) ]; then echo "test     no XLA plugin here (make xla-cpu brings one): XLA was NOT TESTED"; \
	else echo "go test -run XLA ./internal/engine ./tools/bench ./nbbnn/..."; \
	$(NEUTRAL) PJRT_PLUGIN_LIBRARY_PATH="$(CURDIR)/$(PLUGINS)" go test -run XLA ./internal/engine ./tools/bench ./nbbnn/...; fi

# JAX's plugin for NVIDIA GPUs, of the version in tools/gpu/plugin.txt.
CUDA_PLUGIN := .cache/xla-cuda

test-cuda: python ## Call the functions of XLA's CUDA plugin without a GPU; downloads 134 MB
	@if [ "$$(uname -sm)" != "Linux x86_64" ]; then echo "test     the CUDA plugin is for Linux on x86-64, this is $$(uname -sm): it was NOT TESTED"; exit 0; fi; \
	if [ "$(CGO_ENABLED)" != 1 ]; then echo "test     no C compiler with the C library's headers: the CUDA plugin was NOT TESTED"; exit 0; fi; \
	cmp -s tools/gpu/plugin.txt $(CUDA_PLUGIN)/plugin.txt || { rm -rf $(CUDA_PLUGIN); \
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps \
	--target $(CUDA_PLUGIN) -r tools/gpu/plugin.txt && cp tools/gpu/plugin.txt $(CUDA_PLUGIN)/plugin.txt; } || \
	{ rm -rf $(CUDA_PLUGIN); echo "test-cuda: the package index has no such package, or can't be reached"; exit 1; }; \
	echo "go test -run CUDAPlugin ./internal/engine"; \
	$(NEUTRAL) PJRT_PLUGIN_LIBRARY_PATH="$(CURDIR)/$(CUDA_PLUGIN)/jax_plugins/xla_cuda13" go test -run CUDAPlugin ./internal/engine

# JAX and that plugin compile a step for a described H200; the program of the step comes from XLA for processors.
PLAN := .cache/plan

test-plan: ## Hold the bytes that XLA plans for a training step on an H200, without a GPU; needs make xla-cpu, downloads 400 MB
	@if [ "$$(uname -sm)" != "Linux x86_64" ]; then echo "test     the CUDA plugin is for Linux on x86-64, this is $$(uname -sm): the plan was NOT TESTED"; exit 0; fi; \
	if [ "$(CGO_ENABLED)" != 1 ]; then echo "test     no C compiler with the C library's headers: the plan was NOT TESTED"; exit 0; fi; \
	if [ ! -e $(PLUGINS)/$(CPU_PLUGIN) ]; then echo "test     no XLA plugin here (make xla-cpu brings one): the plan was NOT TESTED"; exit 0; fi; \
	cmp -s tools/gpu/plan.txt $(PLAN)/plan.txt || $(MAKE) --no-print-directory $(PLAN) || { echo "test     no JAX with a CUDA plugin: the plan was NOT TESTED"; exit 0; }; \
	echo "go test -run Plan ./tools/gpu"; \
	$(NEUTRAL) NBBNN_PLAN_PYTHON="$(CURDIR)/$(PLAN)/bin/python" PJRT_PLUGIN_LIBRARY_PATH="$(CURDIR)/$(PLUGINS)" go test -count=1 -run Plan ./tools/gpu

.PHONY: $(PLAN)
$(PLAN):
	@$(call need-python,test-plan,11)
	@echo "setup    JAX with the CUDA plugin in $(PLAN), some 1.5 GB"
	@rm -rf $(PLAN)
	@$(PYTHON) -m venv $(PLAN)
	@$(PLAN)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r tools/gpu/plan.txt || \
	{ rm -rf $(PLAN); echo "test-plan: the package index lacks one of these packages, or can't be reached"; exit 1; }
	@cp tools/gpu/plan.txt $(PLAN)/plan.txt

# Other systems have no C compiler here, so they are compiled without cgo, and so without XLA.
CROSS := darwin/arm64 darwin/amd64 linux/arm64 linux/riscv64 windows/amd64

cross: ## Compile all packages and their tests for other systems and processors
	@for target in $(CROSS); do echo "go vet ./... for $$target"; CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} go vet ./...; done

test-arm: ## Run the kernels' tests for arm64, in qemu-aarch64 on other processors
	@if [ "$$(go env GOHOSTARCH)" = arm64 ]; then echo "go test -short ./internal/purego/kernel"; $(NEUTRAL) go test -short ./internal/purego/kernel; \
	elif ! command -v qemu-aarch64 > /dev/null; then echo "test     no qemu-aarch64, which runs programs for arm64: the kernels were NOT TESTED there (Debian: apt install qemu-user)"; else \
	echo "go test -short ./internal/purego/kernel for linux/arm64"; \
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go test -short -exec qemu-aarch64 ./internal/purego/kernel; fi

test-latex: ## Typeset the LaTeX tables with pdflatex
	@if ! command -v pdflatex > /dev/null; then echo "test     no pdflatex (Debian: apt install texlive-latex-recommended): the LaTeX tables were NOT TESTED"; \
	else echo "go test -run LaTeX ./viz"; go test -count=1 -run LaTeX ./viz; fi

test-assembly: ## Check that the committed assembly is what its generator writes
	@rm -rf .cache/generated && mkdir -p .cache/generated/kernel
	@cp -R $(ASSEMBLY) .cache/generated && cp internal/purego/kernel/doc.go .cache/generated/kernel
	@cd .cache/generated/kernel && go generate doc.go
	@for file in .cache/generated/kernel/*; do cmp $$file internal/purego/kernel/$${file##*/} || \
	{ echo "test-assembly: run go generate ./internal/purego/kernel"; exit 1; }; done
	@go -C $(ASSEMBLY) test ./...

test-runner: setup ## Test the notebook runner with the real kernel
	$(VENV)/bin/python -m unittest discover --start-directory tools/notebook

test-kubernetes: go ## Compare the Job of cmd/sweep/deploy/kubernetes with the types of Kubernetes, which it downloads
	$(NEUTRAL) go -C tools/kubernetes test ./...

# HyperQueue gets a Python environment of its own, unless HQ_PYTHON names one that has it.
HYPERQUEUE := .cache/hyperqueue

test-cluster: build ## Test sweeps on Slurm, HyperQueue and Snakemake on this machine; as root, see docs/cluster.md
	@[ -n "$$HQ_PYTHON" ] || cmp -s tools/cluster/requirements.txt $(HYPERQUEUE)/requirements.txt || $(MAKE) --no-print-directory $(HYPERQUEUE) || \
	{ rm -rf $(HYPERQUEUE); echo "cluster  the package index has no hyperqueue for this machine, or can't be reached"; }
	@tools/cluster/test.sh

.PHONY: $(HYPERQUEUE)
$(HYPERQUEUE):
	@echo "setup    HyperQueue in $(HYPERQUEUE)"
	@rm -rf $(HYPERQUEUE)
	@$(PYTHON) -m venv $(HYPERQUEUE)
	@$(HYPERQUEUE)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r tools/cluster/requirements.txt
	@cp tools/cluster/requirements.txt $(HYPERQUEUE)/requirements.txt

# The notebooks take their networks from the same folder, so after this they only draw.
test-figures: build ## Make every figure of the paper at smoke scale in out, in minutes
	for number in $$(seq 1 13) $$(seq 16 24); do bin/nbbnn figure $$number --scale smoke --runs runs --out out || exit; done

# notebook checks, verifies and runs the notebooks whose sources are given.
notebook = for source in $(1); do name=$$(basename "$$source" .md); \
	go run ./tools/notebook verify "$$source"; \
	$(VENV)/bin/python tools/notebook/run.py "notebooks/$$name.ipynb" --output ".cache/test/$$name.ipynb"; done

test-notebooks: setup ## Check and run every notebook
	@go run ./tools/notebook check notebooks/*.md
	@$(call notebook,notebooks/*.md)

# The commit that changes are counted from: CI_SINCE, or the tenth before this one.
SINCE = $(or $(CI_SINCE),$(shell git rev-parse --verify --quiet HEAD~10 || git rev-list --max-parents=0 HEAD 2> /dev/null | tail -n 1))

# A change of a package shows in the check of all notebooks, which compiles their cells.
test-changed: setup ## Check every notebook, and run a short one and those whose sources changed
	@go run ./tools/notebook check notebooks/*.md
	@$(call notebook,$$({ echo notebooks/$(NOTEBOOK).md; git diff --name-only --diff-filter=d $(SINCE) -- 'notebooks/*.md'; } | sort -u))

test-browser: setup ## Test the notebooks in JupyterLab with Chromium; SCREENSHOTS=docs/images FULL=1 keeps screenshots
	$(VENV)/bin/python -m unittest discover --verbose --start-directory tools/browser

test-nbgrader: setup ## Release, grade and return a lesson with nbgrader from the package index
	@[ -x .cache/nbgrader/bin/nbgrader ] || { $(PYTHON) -m venv .cache/nbgrader && .cache/nbgrader/bin/pip install --quiet nbgrader==0.9.6; }
	cd tools/notebook && $(CURDIR)/.cache/nbgrader/bin/python -m unittest test_nbgrader

test-own-notebook: setup ## Write and run a notebook in JupyterLab with Chromium, the shortest of those tests
	cd tools/browser && $(CURDIR)/$(VENV)/bin/python -m unittest --verbose test_lab.TestLab.test_own_notebook

size: ## Count tokens and lines of Go, its tests and its files in each folder
	@go test -count=1 -v -run SizeIsTold ./internal/architecture | sed -n 's/^.*size_test.go:[0-9]*: /size     /p'

##@ Faults

TRIES := 4
SEED := 1

attack: ## Damage a file of each kind, kill commands, let each step of writing fail; TRIES=28 takes an hour, SEED=2 chooses others
	$(NEUTRAL) go test -count=1 -tags attack -timeout 3h -run Attack ./cmd/command -tries $(TRIES) -attack-seed $(SEED)
	$(NEUTRAL) go test -count=1 -run FailingDisk ./nbbnn -disk-every 1

##@ Speed

# PyTorch gets a Python environment of its own, unless PEERS_PYTHON names one that has it.
PEERS := .cache/peers
PEERS_PYTHON := $(PEERS)/bin/python
PEERS_FLAGS :=
BENCHMARKS := TrainingStep|MethodStep|Prediction|Corruption

bench: $(BIN)/benchstat ## Time steps of networks and methods, predictions and corruptions with Go's benchmarks; BENCHMARKS=Prediction chooses
	@mkdir -p out
	$(NEUTRAL) go test -run '^$$' -bench '$(BENCHMARKS)' -count 6 -benchtime 0.3s ./internal/trial ./corrupt > out/bench.txt
	$(BIN)/benchstat out/bench.txt
	@echo "bench    out/bench.txt; compare with another of yours: $(BIN)/benchstat before.txt out/bench.txt"

bench-peers: build $(if $(filter $(PEERS)/%,$(PEERS_PYTHON)),peers) ## Compare with PyTorch, in turn; PEERS_FLAGS="--networks resnet18:16 --what train" chooses
	@mkdir -p out
	go build -o $(BIN)/bench ./tools/bench
	$(PEERS_PYTHON) -c 'import torch; print("peers    PyTorch", torch.__version__)'
	@for network in allcnnc:8 vgg16:8 resnet18:8 preactresnet18:8; do name=$${network%:*}; \
	$(BIN)/bench train --network "$$name" --width 8 --images 8 --steps 3 --warm-up 0 --learning-rate 0.05 --components 2 \
	--save out/peers.safetensors --json > out/peers.json; status=0; \
	$(PEERS_PYTHON) tools/bench/pytorch/check.py out/peers.safetensors out/peers.json || status=$$?; \
	case $$status in 0) ;; \
	132|134|135|136|139) echo "peers    PyTorch crashed with signal $$((status - 128)) on $$network: its losses were NOT COMPARED" ;; \
	*) exit $$status ;; esac; done
	$(BIN)/bench peers --python $(PEERS_PYTHON) $(PEERS_FLAGS)

peers:
	@if ! cmp -s tools/bench/pytorch/requirements.txt $(PEERS)/requirements.txt; then \
	echo "setup    PyTorch in $(PEERS), some 4 GB"; rm -rf $(PEERS); $(PYTHON) -m venv $(PEERS); \
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r tools/bench/pytorch/requirements.txt; \
	cp tools/bench/pytorch/requirements.txt $(PEERS)/requirements.txt; fi

gallery: build ## Write the pages of docs/results
	bin/nbbnn figure gallery docs/results

##@ Supply

# A known vulnerability in code that is called is an error, with which govulncheck exits 3. Without its database a message says so.
VULNERABILITIES := https://vuln.go.dev

vulnerabilities: ## Look for known vulnerabilities in all modules that are shipped
	@$(MAKE) --no-print-directory $(BIN)/govulncheck || { echo "supply   govulncheck can't be built: vulnerabilities were NOT LOOKED FOR"; exit 0; }; \
	for what in ".:./..." "notebooks:./..." "tools/programs:tool" "tools/gopls:tool"; do module=$${what%%:*}; \
	echo "govulncheck in $$module"; status=0; \
	(cd "$$module" && $(CURDIR)/$(BIN)/govulncheck -db $(VULNERABILITIES) $${what#*:}) || status=$$?; \
	case $$status in 0) ;; 3) exit 3 ;; *) echo "supply   see above: vulnerabilities were NOT LOOKED FOR in $$module" ;; esac; done

# go-licenses looks for the address of each licence, which the page doesn't need: a proxy that refuses ends that at once.
NOWHERE := http://127.0.0.1:9

notices: python $(BIN)/go-licenses ## Collect the licences of all modules and packages in NOTICES.md
	@mkdir -p .cache/notices
	@for module in . notebooks tools/programs tools/gopls; do go -C "$$module" mod download; done
	@$(VENV)/bin/python tools/notices/python.py notebooks/requirements.txt > .cache/notices/python.json
	@for what in ".:./cmd/nbbnn" "notebooks:./..." "tools/programs:github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports" \
	"tools/gopls:golang.org/x/tools/gopls"; do module=$${what%%:*}; echo "go-licenses in $$module"; \
	report=".cache/notices/$$(echo "$$module" | tr ./ __)"; \
	(cd "$$module" && http_proxy=$(NOWHERE) https_proxy=$(NOWHERE) GOPROXY=off $(CURDIR)/$(BIN)/go-licenses report --template $(CURDIR)/tools/notices/report.tmpl $${what#*:} 2> "$(CURDIR)/$$report.log") | \
	sed '/^$$/d' > "$$report.csv" || { tail -n 5 "$$report.log" >&2; echo "notices  go-licenses failed in $$module: see $$report.log" >&2; exit 1; }; done
	go run ./tools/notices NOTICES.md .cache/notices/python.json .cache/notices/*.csv

##@ Release

# Without cgo, and so without XLA.
RELEASES := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64

release: go ## Build programs for Linux, macOS and Windows in out/release, with checksums, licences and an SBOM; ten minutes
	@tools/release/build.sh $(RELEASES)

test-reproducible: go ## Build a release twice, in two clones with two build caches, and compare the bytes; minutes
	@tools/release/reproduce.sh

test-module: go ## Install the commit through a file proxy, and require it in another module, without the clone; minutes
	@tools/release/module.sh

##@ Notebooks

lab: setup $(BIN)/gopls ## Open JupyterLab on copies of the notebooks in work; PORT=8889 chooses another port
	@$(VENV)/bin/python tools/notebook/lab.py notebooks --work work --port $(PORT) $(LAB)

notebooks: setup ## Write every notebook from its source, with outputs
	@for source in notebooks/*.md; do name=$$(basename "$$source" .md); \
	go run ./tools/notebook check "$$source"; \
	go run ./tools/notebook build --out .cache/notebooks "$$source"; \
	$(VENV)/bin/python tools/notebook/run.py ".cache/notebooks/$$name.ipynb" --directory notebooks --output "notebooks/$$name.ipynb"; done

# The pages with the saved outputs of the notebooks. The pages' programs are compressed here: not every server does that.
site: go ## Write the course, the results and a corruption explorer as static pages in out/site; needs no Python
	@rm -rf out/site && mkdir -p out/site
	@go -C tools/site run .
	@cp tools/site/style.css out/site
	@for source in tools/site/explorer tools/site/curve notebooks/micro; do page=$${source##*/}; mkdir -p out/site/$$page; \
	cat "$$(go -C tools/site env GOROOT)/lib/wasm/wasm_exec.js" tools/site/program.js tools/site/$$page/$$page.js > out/site/$$page/$$page.js; \
	CGO_ENABLED=0 GOOS=js GOARCH=wasm go -C $${source%/*} build -trimpath -ldflags="-s -w" -o $(CURDIR)/out/site/$$page/$$page.wasm ./$$page; \
	gzip -9n out/site/$$page/$$page.wasm; done

# Optional parts of jsonschema, which would slow each start of JupyterLab by over a second.
LEFT_OUT := --no-emit-package rfc3987-syntax --no-emit-package lark

lock: python ## Pin the Python packages again; needs uv
	@command -v uv > /dev/null || { echo "lock: uv is not installed: see docs/developing.md"; exit 1; }
	cd notebooks && uv pip compile --quiet --universal --python-version 3.11 --generate-hashes $(LEFT_OUT) \
	--no-header --no-emit-index-url --no-emit-find-links --output-file requirements.txt requirements.in
	cd docker && uv pip compile --quiet --python-platform x86_64-manylinux_2_28 --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links --output-file cuda.txt cuda.in
	cd tools/gpu && uv pip compile --quiet --python-platform x86_64-manylinux_2_28 --python-version 3.11 --generate-hashes \
	--no-header --no-emit-index-url --no-emit-find-links --output-file plan.txt plan.in

##@ Images

image: ## Build the image with docker or buildah; TARGET=cuda builds the one for NVIDIA GPUs
	@docker/build.sh $(TARGET)

image-test: ## Build and test the image without Docker, offline; TARGET=cuda or binder; needs buildah and root
	@tools/image/test.sh $(TARGET) $(IMAGE_NOTEBOOKS)

##@ Set-up

setup: ## Prepare Python, the GoNB kernel and the build cache of the notebooks
	@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j3) kernel-here warm

# The pinned package is for Linux on x86-64. Elsewhere, and with XLA_INSTALLER=go-xla, go-xla's own installer brings the plugin.
XLA_INSTALLER := $(if $(filter Linux-x86_64,$(shell uname -s)-$(shell uname -m)),package,go-xla)

xla-cpu: ## Download XLA's plugin for processors, some 60 MB
	@$(MAKE) --no-print-directory xla-cpu-$(XLA_INSTALLER)
	@echo "use      GOMLX_BACKEND=xla:cpu bin/nbbnn ..., which finds it; elsewhere set PJRT_PLUGIN_LIBRARY_PATH=$(CURDIR)/$(PLUGINS)"

xla-cpu-package: python
	@echo "xla-cpu  package xla-cpu-pjrt 0.0.1, pinned by its hash: OpenXLA's engine for x86-64 processors on Linux, 259 MB unpacked."
	@echo "         It names the OpenXLA authors and no licence; we did not verify who uploaded it. Nothing needs it."
	@rm -rf .cache/xla-cpu
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps \
	--target .cache/xla-cpu -r docker/xla-cpu.txt || { rm -rf .cache/xla-cpu; echo "xla-cpu: the package index has no such package, or can't be reached"; exit 1; }
	@mkdir -p $(PLUGINS)
	@ln -sf ../../.cache/xla-cpu/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so $(PLUGINS)/$(CPU_PLUGIN)
	@echo "wrote    $(PLUGINS)/$(CPU_PLUGIN)"

xla-cpu-go-xla: go
	@echo "xla-cpu  the release of gomlx/pjrt-cpu-binaries that go-xla's installer chooses; it has no checksum. Nothing needs it."
	@go run ./tools/plugin $(PLUGINS)
	@echo "wrote    $(PLUGINS)/$(CPU_PLUGIN)"

kernel: $(BIN)/ready $(BIN)/gopls ## Add the GoNB kernel to your own Jupyter
	@$(call need-python,kernel,8)
	@$(PYTHON) tools/notebook/kernel.py --programs $(BIN) --workbench . --flags="$(CELLS) -ldflags=-s"

kernel-here: python $(BIN)/ready
	@$(VENV)/bin/python tools/notebook/kernel.py --programs $(BIN) --workbench . --prefix $(VENV) --flags="$(CELLS) -ldflags=-s"

tidy: ## Update go.mod and go.sum of all modules
	for module in . notebooks tools/programs tools/gopls tools/supply tools/kubernetes tools/site $(ASSEMBLY); do GOFLAGS= go -C $$module mod tidy; done

clean: ## Remove .cache, bin and out; trained networks in runs stay
	rm -rf .cache bin out

go:
	@command -v go > /dev/null || { echo "setup: there's no go on the PATH: install Go 1.27 or newer (https://go.dev/dl; macOS: brew install go)"; exit 1; }

# need-python fails with advice unless PYTHON is Python 3.N or newer.
define need-python
command -v $(PYTHON) > /dev/null || { echo "$(1): there's no $(PYTHON) here: install Python 3.11 or newer (Debian: apt install python3-venv; macOS: brew install python), or name one with make PYTHON=..."; exit 1; }; \
$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, $(2)))' || \
{ echo "$(1): $(PYTHON) is $$($(PYTHON) --version 2>&1), but 3.$(2) or newer is needed: name another with make PYTHON=..."; exit 1; }
endef

# Rebuild the environment if its packages have changed or its Python no longer runs.
python:
	@if ! cmp -s notebooks/requirements.txt $(VENV)/requirements.txt || ! $(VENV)/bin/python -c 'import importlib.util as u, sys; sys.exit(u.find_spec("nbclient") is None)' 2> /dev/null; then \
	$(MAKE) --no-print-directory $(VENV); fi

.PHONY: $(VENV)
$(VENV):
	@$(call need-python,setup,11)
	@echo "setup    Python environment in $(VENV)"
	@rm -rf $(VENV)
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "setup: Python can't make virtual environments (Debian: apt install python3-venv)"; exit 1; }
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --no-deps -r notebooks/requirements.txt
	@cp notebooks/requirements.txt $(VENV)/requirements.txt

# Rebuild the programs if one was removed.
MISSING := $(if $(and $(wildcard $(BIN)/gonb),$(wildcard $(BIN)/goimports)),,missing)

$(BIN)/ready: tools/programs/go.mod tools/programs/go.sum $(MISSING) | go
	@echo "setup    GoNB kernel and goimports in $(BIN)"
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/programs install $(LEAN) github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
	@touch $@

$(BIN)/staticcheck: tools/programs/go.mod tools/programs/go.sum | go
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/programs install honnef.co/go/tools/cmd/staticcheck
	@touch $@

$(BIN)/benchstat: tools/supply/go.mod tools/supply/go.sum | go
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/supply install golang.org/x/perf/cmd/benchstat
	@touch $@

$(BIN)/govulncheck: tools/supply/go.mod tools/supply/go.sum | go
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/supply install golang.org/x/vuln/cmd/govulncheck
	@touch $@

$(BIN)/go-licenses: tools/supply/go.mod tools/supply/go.sum | go
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/supply install github.com/google/go-licenses
	@touch $@

# gopls has a module of its own: it needs a release candidate of staticcheck's packages.
$(BIN)/gopls: tools/gopls/go.mod tools/gopls/go.sum | go
	@echo "setup    gopls, which completes code in a browser, in $(BIN)"
	@GOBIN="$(CURDIR)/$(BIN)" go -C tools/gopls install $(LEAN) golang.org/x/tools/gopls
	@touch $@

# Compile the cells' packages if a source or the Go version changed; asking go itself takes a second or two.
warm: go
	@if [ "$$(cat .cache/warm 2> /dev/null)" != "$$(go version)" ] || \
	[ -n "$$(find . -name .cache -prune -o \( -name '*.go' -o -name '*.s' -o -name '*.js' -o -name go.sum \) -newer .cache/warm -print)" ]; then \
	echo "setup    packages that cells use"; go -C notebooks build $(CELLS) ./...; mkdir -p .cache; go version > .cache/warm; fi
