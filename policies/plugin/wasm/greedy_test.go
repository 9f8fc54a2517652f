package wasm_test

import (
	_ "embed"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/wasm"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// slow is the patience with modules that do no harm: on a busy machine they take minutes to be compiled.
const slow = 10 * time.Minute

// goModule compiles a package to a module.
func goModule(t testing.TB, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.wasm")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-ldflags=-s -w", "-o", path, pkg)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return path
}

// cModule compiles a file in C; the test is skipped without a compiler of C for WebAssembly.
func cModule(t testing.TB, file string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.wasm")
	build := exec.Command("clang", "--target=wasm32", "-O2", "-nostdlib", "-mbulk-memory", "-ffp-contract=off", "-I../templates/c", "-Wl,--no-entry",
		"-o", path, file)
	if text, err := build.CombinedOutput(); err != nil {
		t.Skipf("no compiler of C for WebAssembly: %v %s", err, text)
	}
	return path
}

// greedy is testdata/greedy.c, compiled once.
//
//go:embed testdata/greedy.wasm
var greedy []byte

// shipped is greedy in C as it is kept.
func shipped(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "greedy.wasm")
	if err := os.WriteFile(path, greedy, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProgramsGreedy compares greedy in Go, in C and in C as it is kept, compiled to WebAssembly, with the
// built-in one: totals are the same.
func TestProgramsGreedy(t *testing.T) {
	for name, module := range map[string]func(testing.TB) string{
		"Go": func(t testing.TB) string { return goModule(t, "./testdata/greedy") }, "C, kept": shipped,
		"C": func(t testing.TB) string { return cModule(t, "testdata/greedy.c") },
	} {
		t.Run(name, func(t *testing.T) { equalGreedy(t, module(t)) })
	}
}

// With -args -markets 100 each plug-in is compared on 100 (make suites).
var markets = flag.Uint64("markets", 10, "seeds of the markets on which greedy in a module is compared with greedy in Go")

func equalGreedy(t *testing.T, module string) {
	carrier, err := wasm.Open(wasm.Module{Path: module, Patience: slow})
	if err != nil {
		t.Fatal(err)
	}
	defer carrier.Close()
	markets := *markets
	if testing.Short() {
		markets = 10
	}
	for seed := range markets {
		own, err := policies.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		theirs := plugin.New("greedy", func() (plugin.Carrier, error) { return carrier, nil })
		jobs := simtest.Jobs(1 + int(seed%2))
		if want, got := run(t, own, seed, jobs), run(t, theirs, seed, jobs); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%+v\nwant\n%+v", seed, got, want)
		}
	}
}

func run(t *testing.T, p sim.Policy, seed uint64, jobs []sim.Job) *sim.Totals {
	t.Helper()
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 6*time.Hour, sim.Never), Jobs: jobs, Policy: p, Seed: seed,
		Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run()
}
