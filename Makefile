# marigram: make run, make test, make reproduce-quick, make reproduce. Everything else is for its makers.

GO          ?= go
OUT         ?= out
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
BENCHSTAT   := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
GORELEASE   := golang.org/x/exp/cmd/gorelease@v0.0.0-20261113113407-e3970619a1a4
ACTIONLINT  := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.8.0
FUZZTIME    ?= 30s
BENCHCOUNT  ?= 6
BENCHTIME   ?= 0.2s
BENCH       ?= .
# One set of flags, so that build, vet, staticcheck and tests compile each package once, and another clone finds it in Go's cache.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath
# A program of tools/, which is run in the root of the repository.
tool         = $(GO) build -C tools -o ../bin/tools/ ./$(1) && bin/tools/$(notdir $(1))
BENCHMARKS   = $(GO) test -run '^$$' -short -bench '$(BENCH)' -benchtime $(BENCHTIME)
# Where the public data sets come from that published numbers, specs and tests need (docs/data.csv): their homes, or a local copy
# in the folder FROM; each file is checked against its SHA-256.
FROM        ?=

.PHONY: help run build test programs documents data reproduce-quick reproduce check check-quick fmt vet staticcheck suites artifact race bench bench-compare bench-record bench-ratio bench-scaling bench-million bench-week bench-parcae bench-peers test-slurm test-kubernetes test-object-store tools test-tools site test-site bench-try FORCE golden figures structure fuzz vuln sensitivity dist dist-verify check-release check-targets image

help:
	@echo 'make run              build, simulate the quickstart, write results and plots to $(OUT)/'
	@echo 'make test             all tests but those of make programs and make documents; at the end, how many recorded rows were compared and how many not'
	@echo 'make programs         tests with programs of others: Python, DuckDB, pandas, GNU parallel; those that are not installed are skipped'
	@echo 'make documents        every command that the documents show, and what it is to print'
	@echo 'make data             the public data sets that tests, specs and published numbers need (docs/data.csv); FROM=folder takes a local copy'
	@echo 'make tools            programs that measure this one: bin/tools/'
	@echo 'make test-tools       the tests of tools/, a module of its own: benchmarks of commands, the structure counter'
	@echo 'make reproduce-quick  every published number that needs no download: $(OUT)/claims.html, under 5 minutes'
	@echo 'make reproduce        all of them: make data first, 80 MB (FROM=folder takes a local copy)'
	@echo 'make check-quick      format, vet, staticcheck, tests with -short: before each commit'
	@echo 'make check            format, vet, staticcheck, tests, programs, documents, all numbers of ARTIFACT.md, race detector: before a merge'
	@echo 'make suites           the suites of policies, plug-ins against Go, runs against the bound, on more markets than make test has'
	@echo 'make artifact         all numbers of ARTIFACT.md but those that take minutes'
	@echo 'make test-slurm       a sweep on an emulated Slurm cluster (installs slurm-wlm where it can)'
	@echo 'make site             the documentation, a report and the page Try as plain files: site/'
	@echo 'make test-site        the same, looked at in Chromium'
	@echo 'make bench-try        time of the page Try (needs Node)'
	@echo 'make test-kubernetes  the Job against the types of its API'
	@echo 'make test-object-store  a sweep in the buckets of an S3 server on this machine, with faults (builds the server once)'
	@echo 'make bench            all benchmarks, or BENCH=pattern, BENCHCOUNT=6 times: $(OUT)/bench/'
	@echo 'make bench-compare    the same of this tree and of REF=commit in turns, and their ratios'
	@echo 'make bench-record     ten benchmarks: their medians become rows of tools/bench/record.csv, and the figure of BENCHMARKS.md'
	@echo 'make bench-ratio      the same ten beside the last record of such a machine; writes nothing'
	@echo 'make bench-scaling    how the time of each command grows with the size of its input: a table with exponents'
	@echo 'make bench-million    a sweep of up to a million runs: time, processor, memory (needs GNU time)'
	@echo 'make bench-week       a week of 1,000,000 jobs on 10,000 GPUs from the command (needs awk and GNU time)'
	@echo 'make bench-peers      the event queue against SimPy, ns-3, akita, simgo, reading Parquet against DuckDB, in one run'
	@echo 'make bench-parcae     two sweeps of 100,000 runs of parcae (needs GNU time and the trace bamboo-aws-p3)'
	@echo 'make dist             a release: programs for six systems, sums, SBOMs, wheels, a formula, in dist/ (needs Python); ONLY=linux-amd64 a part'
	@echo 'make dist-verify      the same once more: are the sums the same?'
	@echo 'make check-release    go vet for macOS and Windows, and the files of releases by their linters'
	@echo 'make check-targets    every make target that a document names, once a release: hours; ONLY="bench-million site" some of them'
	@echo 'make image            the container image from dist/, with docker or buildah; BASE=scratch needs no registry'
	@echo 'make golden           write the golden files anew: look at the difference before you commit'
	@echo 'make figures          the picture of the README'
	@echo 'make structure        packages, the imports between them, and sizes; V=1 also lists circles of files and names used nowhere else'
	@echo 'make fuzz             every fuzz target for FUZZTIME=$(FUZZTIME)'
	@echo 'make vuln             known vulnerabilities, VULNDB=folder with the Go vulnerability database'

build:
	@mkdir -p bin
	$(GO) build -trimpath -ldflags='-s -w' -o bin/marigram .

# The simulator of the page Try. It draws figures, with two of the fonts of gonum/plot. Functions are not inlined: a tenth less to load and to
# compile, which is most of the first answer.
bin/try/go.mod: go.mod go.sum tools/site/fonts.go
	@rm -rf bin/try
	$(call tool,site) -fonts bin/try

bin/try/marigram.wasm: bin/try/go.mod FORCE
	GOOS=js GOARCH=wasm CGO_ENABLED=0 $(GO) build -gcflags=all=-l -modfile=bin/try/go.mod -tags=minimal -trimpath -ldflags='-s -w' -o $@ ./cmd/live/try/module
FORCE:

# The static site, in site/: plain files for any file server. The recorded market and its report need the set skynomad-aws-v100 (make data).
site: build bin/try/marigram.wasm
	cp "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" bin/try/
	$(call tool,site)

# The time of Try without a browser; it needs Node.
bench-try: site
	node cmd/live/try/testdata/time.js bin/try

# The site in Chromium.
test-site: site
	MARIGRAM_SITE=$(CURDIR)/site $(GO) test -C tools -v -count=1 ./site

run: build
	bin/marigram run quickstart --out $(OUT)

# go test ./... that says at the end how many recorded rows were compared. A packed table that no test reads is an error.
# Packages that have benchmarks and no tests need no program here.
TESTED = $$(grep -rlE --include='*_test.go' --exclude-dir=tools --exclude-dir=module '^func (Test|Example|Fuzz)' . | xargs -n1 dirname | sort -u)
# GOGC: a sixth less processor time; what tests hold is small.
test: export GOGC := 400
test:
	$(call tool,recorded) -tables -vet=off -skip '^Test(Documents|Programs)' $(TESTED)

# Tests that take long because they start programs of others, compile one or kill this one, by their names.
programs:
	$(GO) test -vet=off -run '^TestPrograms' $$(grep -rl --include='*_test.go' --exclude-dir=tools '^func TestPrograms' . | xargs -n1 dirname | sort -u)

# Every command that the documents show.
documents:
	$(GO) test ./cmd -run '^TestDocuments'

data: build
	$(call tool,data) $(if $(FROM),-from $(FROM))

# The programs of tools/ that need nothing but Go: bin/tools/record, scaling, prefixes, wakes, structure, recorded, data.
tools:
	$(GO) build -C tools -o ../bin/tools/ ./bench/... ./dist ./structure ./recorded ./data

# The packages of tools/ that need nothing but Go: make bench-peers, test-kubernetes and test-object-store need more.
TOOLS_TESTED = ./bench/... ./dist ./rules ./structure ./objectstore ./recorded ./data ./site
test-tools:
	$(GO) test -C tools $(TOOLS_TESTED)

reproduce-quick: build
	bin/marigram reproduce --report -o $(OUT)/claims.html

reproduce: data
	bin/marigram run systems-p3 --out $(OUT)/systems-p3
	bin/marigram reproduce --report -o $(OUT)/claims.html --out $(OUT)/figures

# What the claims notice, papers/SYSTEM/sensitivity.csv; some minutes. It needs the public data sets (make data).
sensitivity: build
	mkdir -p $(OUT)
	bin/marigram reproduce --sensitivity > $(OUT)/sensitivity.csv
	awk -F/ 'NR == 1 { head = $$0; next } { file = "papers/" $$1 "/sensitivity.csv" } !seen[file]++ { print head > file } { print > file }' $(OUT)/sensitivity.csv

check: fmt vet staticcheck test programs documents test-tools artifact race

# Before each commit.
check-quick: fmt vet staticcheck
	$(GO) test -vet=off -short ./...
	$(GO) test -C tools ./rules

fmt:
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not formatted (gofmt -w): $$bad"; exit 1; fi

vet:
	$(GO) vet ./...
	$(GO) vet -C tools ./...
	@# docs/module is copied beside a checkout, as whoever starts from it does: it has no go.sum of its own.
	@rm -rf $(OUT)/module && mkdir -p $(OUT)/module && cp -r docs/module $(OUT)/module/steady && cp go.sum $(OUT)/module/steady/
	@ln -s $(CURDIR) $(OUT)/module/marigram
	GOFLAGS='$(GOFLAGS) -mod=mod' $(GO) vet -C $(OUT)/module/steady ./...

staticcheck:
	$(GO) run $(STATICCHECK) ./...
	cd tools && $(GO) run $(STATICCHECK) ./...

# What make test asks on a few markets, on as many as the suite of simtest has for a policy of a user, and more.
suites:
	$(GO) test ./policies -run 'Suite|Cheaper|UnusedPools|SafeInHostile|WorkInPipelines' -args -suites 12 -audits 50 -full
	$(GO) test -timeout 20m ./policies/safe -run Promise -args -promises 100 -promise-seed 2 -grid 16
	$(GO) test ./policies/plugin/process -run Greedy -args -markets 100
	$(GO) test ./policies/plugin/process ./experiments ./papers/gavel/reference ./papers/parcae ./traces/formats ./internal/columnar \
	  -run '^Test(Sees|Waits|JobsAreTheBill|TrainingModes|MeansOfOurOptima|ParcaeQuirksCost|FlatMemory|ImportTo|FlippedBitsUnchecked)$$' -args -full
	$(GO) test -timeout 20m ./experiments/bound -run 'Climb|Beats|Better' -skip Whole -v -args -markets 500
	$(GO) test ./experiments/bound -run Whole -v -args -markets 100 -full
	$(GO) test ./experiments/bound -run 'ExactPage|TinyMarkets' -v -args -exact 60 -tiny 20

# All numbers of ARTIFACT.md but those that take minutes; make test compares the table for figures that take no time.
artifact:
	$(GO) test -v -count=1 -run 'TestArtifact$$' ./cmd/reproduce -args -all

# The race detector needs a C compiler. It can find something only where goroutines run: the packages that start some, and the commands that run
# many simulations at once.
CONCURRENT = $$(grep -rlE --include='*.go' --exclude-dir=tools '^[[:space:]]*go [a-z]|\.Go\(|t\.Parallel\(' . | xargs -n1 dirname | sort -u | grep -vx ./cmd)
race:
	@if command -v gcc >/dev/null 2>&1; then set -e; \
	  $(GO) test -race -short $(CONCURRENT); \
	  $(GO) test -race -short ./cmd -run 'TestScripts/^(run|sweep|tune|bound|backtest|interrupt)$$|TestProgramsScripts/^judge$$'; \
	else echo 'race detector skipped: no gcc'; fi

test-slurm: build
	experiments/slurm/test.sh bin/marigram

test-kubernetes: build
	$(GO) test -C tools ./kubernetes -args -marigram=$(abspath bin/marigram)

# The server's program is built once, into the cache folder of the user.
test-object-store: build
	$(GO) test -C tools -v -timeout 20m -count 1 ./objectstore -args -marigram=$(abspath bin/marigram)

# Results go to $(OUT)/bench; metrics named cpu- are processor time, which a busy
# machine moves less than wall time.
bench:
	@mkdir -p $(OUT)/bench
	$(BENCHMARKS) -count $(BENCHCOUNT) ./... >$(OUT)/bench/bench.txt || { cat $(OUT)/bench/bench.txt; exit 1; }
	@$(GO) run $(BENCHSTAT) $(OUT)/bench/bench.txt | tee $(OUT)/bench/table.txt

bench-compare:
	@test -n "$(REF)" || { echo 'usage: make bench-compare REF=commit [BENCH=pattern] [BENCHCOUNT=rounds]'; exit 2; }
	@mkdir -p $(OUT)/bench && rm -f $(OUT)/bench/ref.txt $(OUT)/bench/this.txt
	@out=$$(cd $(OUT)/bench && pwd) && tmp=$$(mktemp -d) && trap 'git worktree remove --force $$tmp/ref 2>/dev/null; rm -rf $$tmp' EXIT && \
	git worktree add --quiet --detach $$tmp/ref $(REF) && \
	for round in $$(seq $(BENCHCOUNT)); do \
	  echo "round $$round of $(BENCHCOUNT)" && \
	  (cd $$tmp/ref && $(BENCHMARKS) ./... >>$$out/ref.txt) && \
	  $(BENCHMARKS) ./... >>$$out/this.txt || { tail -20 $$out/ref.txt $$out/this.txt; exit 1; }; \
	done && $(GO) run $(BENCHSTAT) $(REF)=$$out/ref.txt this=$$out/this.txt | tee $$out/compared.txt

bench-record:
	$(call tool,bench/record) -append -figure docs/bench-record.svg

bench-ratio:
	$(call tool,bench/record) -rounds 1

bench-scaling: build
	$(call tool,bench/scaling)

bench-million: build
	tools/bench/million/run.sh

bench-week: build
	tools/bench/week/run.sh bin/marigram

bench-parcae: build
	tools/bench/plans/run.sh

bench-peers:
	$(call tool,peers)

# The packages whose tests take -update.
golden:
	$(GO) test $$(grep -rlE 'flag.Bool\("update"|GoldenText|UpdateGolden' --include='*_test.go' . | xargs -n 1 dirname | sort -u) -update

# A figure of a document whose target does not work is a figure of nothing.
check-targets:
	tools/targets.sh $(ONLY)

# A release, from a tree without changes: the same commit and Go give the same bytes.
dist:
	$(call tool,dist) $(if $(ONLY),-only $(ONLY))

dist-verify:
	$(call tool,dist) -verify dist $(if $(ONLY),-only $(ONLY))

image:
	@build=$$(command -v docker >/dev/null && docker info >/dev/null 2>&1 && echo 'docker build' || echo 'buildah build') && \
	$$build $(if $(BASE),--build-arg BASE=$(BASE)) -f release/Dockerfile -t marigram dist

# What is not run here is at least compiled and vetted. What changed in the exported names since the last release is
# printed: it belongs into CHANGELOG.md with [BREAKS].
check-release:
	@if last=$$(git describe --tags --abbrev=0 2>/dev/null); then $(GO) run $(GORELEASE) -base=$$last; \
	else echo 'no release yet: exported names are compared with nothing'; fi
	for os in darwin windows; do GOOS=$$os GOARCH=arm64 CGO_ENABLED=0 $(GO) vet ./... || exit 1; done
	$(GO) run $(ACTIONLINT) .github/workflows/*.yml
	@if command -v shellcheck >/dev/null; then shellcheck release/install.sh; else echo 'shellcheck is not installed'; fi
	$(GO) test -C tools -count=1 ./dist

figures: build
	@tmp=$$(mktemp -d) && trap 'rm -rf $$tmp' EXIT && bin/marigram run recorded --pull --out $$tmp && \
	cp $$tmp/timeline-recorded-loss-0.54-in-6h-spotdnn.png docs/recorded-timeline.png

structure:
	@$(call tool,structure) $(if $(V),-back -unused)

fuzz:
	@for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
	    echo "$$pkg $$target" && $(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5s $$pkg || exit 1; \
	  done; \
	done

vuln:
	@test -n "$(VULNDB)" || { echo 'usage: make vuln VULNDB=folder'; exit 2; }
	$(GO) run $(GOVULNCHECK) -db file://$(abspath $(VULNDB)) ./...
