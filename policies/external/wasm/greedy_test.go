package wasm_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/external"
	"github.com/marigram/marigram/policies/external/wasm"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

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

func TestGreedy(t *testing.T) {
	guest, err := wasm.Open(wasm.Module{Path: goModule(t, "../goguest/greedy")})
	if err != nil {
		t.Fatal(err)
	}
	defer guest.Close()
	markets := uint64(100)
	if testing.Short() {
		markets = 10
	}
	for seed := range markets {
		own, err := policies.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		theirs := external.New("greedy", func() (external.Carrier, error) { return guest, nil })
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
