# What users and those who change the code need each day. Benchmarks, tests with other systems and releases: make -C tools help.

GO          ?= go
OUT         ?= out
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Its own checks, and that the comment of an exported name begins with the name.
CHECKS      := -checks inherit,ST1020,ST1021,ST1022
# One set of flags, so that build, vet, staticcheck and tests compile each package once, and another clone finds it in Go's cache.
export GOFLAGS := $(shell $(GO) env GOFLAGS) -trimpath
# A program of tools/, which is run in the root of the repository.
tool         = $(GO) build -C tools -o ../bin/tools/ ./$(1) && bin/tools/$(notdir $(1))
# Where the public data sets come from that published numbers, specs and tests need (docs/data.csv): their homes, or a local copy
# in the folder FROM; each file is checked against its SHA-256.
FROM        ?=
HELP_OF     ?= make

.PHONY: help build run test check check-quick fmt vet staticcheck data reproduce reproduce-quick golden structure dist

help: ## this list
	@sed -nE 's/^([a-z-]+):.* ## (.*)/$(HELP_OF) \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F '\t' '{ printf "%-32s %s\n", $$1, $$2 }'

build: ## bin/marigram
	@mkdir -p bin
	$(GO) build -trimpath -ldflags='-s -w' -o bin/marigram .

run: build ## build, simulate the quickstart, write results and plots to OUT=out
	bin/marigram run quickstart --out $(OUT)

# go test ./... that says at the end how many recorded rows were compared. A packed table that no test reads is an error.
# Packages that have benchmarks and no tests need no program here.
TESTED = $$(grep -rlE --include='*_test.go' --exclude-dir=tools --exclude-dir=module '^func (Test|Example|Fuzz)' . | xargs -n1 dirname | sort -u)
# GOGC: a sixth less processor time; what tests hold is small.
test: export GOGC := 400
test: ## all tests but those of documents and of other programs; the end says how many recorded rows were compared
	$(call tool,recorded) -tables -vet=off -skip '^Test(Documents|Programs)' $(TESTED)

check: fmt vet staticcheck test ## all that a merge needs: format, vet, lint, tests, documents, published numbers, race detector
	$(MAKE) -f tools/Makefile programs documents test-tools artifact race

check-quick: fmt vet staticcheck ## format, vet, lint, tests with -short: before each commit
	$(GO) test -vet=off -short ./...
	$(GO) test -C tools ./rules

fmt: ## is everything formatted?
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "not formatted (gofmt -w): $$bad"; exit 1; fi

vet: ## go vet
	$(GO) vet ./...
	$(GO) vet -C tools ./...
	@# docs/module is copied beside a checkout, as whoever starts from it does: it has no go.sum of its own.
	@rm -rf $(OUT)/module && mkdir -p $(OUT)/module && cp -r docs/module $(OUT)/module/steady && cp go.sum $(OUT)/module/steady/
	@ln -s $(CURDIR) $(OUT)/module/marigram
	GOFLAGS='$(GOFLAGS) -mod=mod' $(GO) vet -C $(OUT)/module/steady ./...

staticcheck: ## lint
	$(GO) run $(STATICCHECK) $(CHECKS) ./...
	cd tools && $(GO) run $(STATICCHECK) $(CHECKS) ./...

data: build ## public data sets of tests, specs and published numbers (docs/data.csv); FROM=folder takes a local copy
	$(call tool,data) $(if $(FROM),-from $(FROM))

reproduce-quick: build ## each published number that needs no download: OUT/claims.html, under 5 minutes
	bin/marigram reproduce --report -o $(OUT)/claims.html

reproduce: data ## all of them; 80 MB of data first (FROM=folder takes a local copy)
	bin/marigram run systems-p3 --out $(OUT)/systems-p3
	bin/marigram reproduce --report -o $(OUT)/claims.html --out $(OUT)/figures

# The packages whose tests take -update.
golden: ## write the golden files anew: look at the difference before you commit
	$(GO) test $$(grep -rlE 'flag.Bool\("update"|GoldenText|UpdateGolden' --include='*_test.go' . | xargs -n 1 dirname | sort -u) -update

structure: ## packages, the imports between them, and sizes; V=1 also lists circles of files and names used nowhere else
	@$(call tool,structure) $(if $(V),-back -unused)

# From a tree without changes: the same commit and Go give the same bytes.
dist: ## a release: programs for six systems, sums, SBOMs, wheels, a formula, in dist/ (needs Python); ONLY=linux-amd64 a part
	$(call tool,dist) $(if $(ONLY),-only $(ONLY))
