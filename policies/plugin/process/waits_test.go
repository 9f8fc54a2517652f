package process_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies/plugin"
	"github.com/marigram/marigram/policies/plugin/process"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// waits is testdata/waits.py in Go.
type waits struct{ at int }

func (*waits) Name() string { return "waits" }

func (w *waits) Decide(v sim.View, plan *sim.Plan) {
	if v.Trigger()&(sim.TriggerStart|sim.TriggerMet) != 0 {
		w.at = (w.at + 1) % v.Pools()
		clear(plan.Jobs[0].Hold)
		plan.Jobs[0].Hold[w.at] = 2
	}
	plan.SetReason(v.Trigger().String())
	plan.WaitFor(sim.TriggerNotice | sim.TriggerGone)
	plan.WakeWhen(sim.Waited(0, 5*time.Minute))
	plan.WakeWhen(sim.PriceOutside(0, 0.28, 0.32).Every(time.Minute))
	plan.WakeWhen(sim.Reached(0, 0.25))
	plan.WakeWhen(sim.OutOfTime(0, 2*time.Hour, 10*time.Minute))
}

// A plug-in that waits for conditions decides as a policy in Go that does, in both forms of the messages.
func TestWaits(t *testing.T) {
	for _, form := range [][]string{nil, {"--binary"}} {
		carrier := start(t, process.Command{Args: python(t, append([]string{"testdata/waits.py"}, form...)...), Policy: "waits"})
		for seed := range uint64(testutil.Size(2, 5)) {
			want, wanted := run(t, &waits{at: -1}, seed, simtest.Jobs(1))
			got, decided := run(t, plugin.New("waits", func() (plugin.Carrier, error) { return carrier, nil }), seed, simtest.Jobs(1))
			if !reflect.DeepEqual(decided, wanted) || !reflect.DeepEqual(got, want) || len(wanted) < 5 {
				t.Fatalf("seed %d%v:\n%+v\n%v\nwant\n%+v\n%v", seed, form, got, decided, want, wanted)
			}
		}
	}
}
