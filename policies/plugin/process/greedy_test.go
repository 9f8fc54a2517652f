package process_test

import (
	"flag"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// python returns the command of a plug-in in Python, and skips the test where there is none.
func python(t testing.TB, args ...string) []string {
	t.Helper()
	return append([]string{testutil.Python(t)}, args...)
}

// slow is the patience with plug-ins that do no harm: on a busy machine their interpreter takes a while to start.
const slow = 10 * time.Minute

// start starts a plug-in that all policies of a test share.
func start(t testing.TB, c process.Command) plugin.Carrier {
	t.Helper()
	c.Patience = slow
	carrier, err := process.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { carrier.Close() })
	return carrier
}

// diary keeps what was decided.
type diary struct{ decisions []string }

func (d *diary) Decision(v sim.View, plan *sim.Plan, changed bool) {
	line := fmt.Sprintln(v.Now(), plan.Reason(), changed, plan.Wake(), plan.Inputs(), plan.Candidates())
	for _, j := range v.ActiveJobs() {
		line += fmt.Sprint(plan.Jobs[j])
	}
	d.decisions = append(d.decisions, line)
}

func (*diary) Span(*sim.Span) {}

// With -args -markets 100 the plug-in is compared on 100 (make -C tools suites).
var markets = flag.Int("markets", 8, "seeds of the markets on which greedy in Python is compared with greedy in Go")

// TestGreedy compares greedy in Python with greedy in Go: totals and every decision are the same.
func TestGreedy(t *testing.T) {
	markets := *markets
	if testing.Short() {
		markets = 10
	}
	carrier := start(t, process.Command{Args: python(t, "testdata/greedy.py"), Policy: "greedy"})
	for seed := range uint64(markets) {
		own, err := policies.New("greedy")
		if err != nil {
			t.Fatal(err)
		}
		theirs := plugin.New("greedy", func() (plugin.Carrier, error) { return carrier, nil })
		jobs := simtest.Jobs(1 + int(seed%2))
		want, wanted := run(t, own, seed, jobs)
		got, decided := run(t, theirs, seed, jobs)
		for i := range min(len(wanted), len(decided)) {
			if wanted[i] != decided[i] {
				t.Fatalf("seed %d, decision %d:\n%s\nwant\n%s", seed, i, decided[i], wanted[i])
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d:\n%+v\nwant\n%+v", seed, got, want)
		}
	}
}

func run(t *testing.T, p sim.Policy, seed uint64, jobs []sim.Job) (*sim.Totals, []string) {
	t.Helper()
	d := &diary{}
	w, err := sim.New(sim.Config{Market: simtest.Market(seed, 6*time.Hour, sim.Never), Jobs: jobs, Policy: p, Seed: seed,
		Billing: sim.PerSecond(), Recorder: d})
	if err != nil {
		t.Fatal(err)
	}
	return w.Run(), d.decisions
}
