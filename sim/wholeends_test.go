package sim_test

import (
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// A job whose exact end is a whole microsecond ends there, whatever its speed and however often that changes on the
// way: a job of two hours meets a deadline of two hours.
func TestWholeEnds(t *testing.T) {
	for tenths := 1; tenths <= 40; tenths++ {
		speed := float64(tenths) / 10
		for _, seconds := range []int{1, 7, 7200, 86_400, 30 * 86_400} {
			for _, changes := range []int{0, 1, 100} {
				if changes >= seconds {
					continue
				}
				steps := tenths * seconds // tenths of steps on one worker
				steps += tenths * changes // and a second on a second one, at every change
				m, err := sim.NewMarket(sim.Never/4, []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 2}, Prices: []sim.Price{{USD: 1}}}})
				if err != nil {
					t.Fatal(err)
				}
				w, err := sim.New(sim.Config{Market: m, Policy: &inTurns{changes: changes}, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: speed},
					Objective: sim.Objective{Loss: simtest.LossAt(float64(steps) / 10), Within: time.Duration(seconds) * time.Second}}}})
				if err != nil {
					t.Fatal(err)
				}
				if job := w.Run().Jobs[0]; !job.Finished || job.Elapsed != time.Duration(seconds)*time.Second {
					t.Errorf("%v steps at %v a second, %d changes: %v, expected %d s", float64(steps)/10, speed, changes, job.Elapsed, seconds)
				}
			}
		}
	}
}

// Less than a microsecond of work more is a microsecond more: an end is never before the work is done.
func TestEndsAreNotEarly(t *testing.T) {
	for _, more := range []float64{1e-9, 1e-7, 5e-7} {
		m, err := sim.NewMarket(sim.At(1e6), []sim.Trace{{Pool: sim.Pool{Name: "a", Quota: 2}, Prices: []sim.Price{{USD: 1}}}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := sim.New(sim.Config{Market: m, Policy: &inTurns{}, Jobs: []sim.Job{{Model: simtest.Linear{PerWorker: 0.7},
			Objective: sim.Objective{Loss: simtest.LossAt(0.7 * (100 + more)), Within: time.Hour}}}})
		if err != nil {
			t.Fatal(err)
		}
		if got := w.Run().Jobs[0].Elapsed; got != 100*time.Second+time.Microsecond {
			t.Errorf("%v s of work more: %v", more, got)
		}
	}
}

// inTurns holds one instance, and a second one for the second second of every two, so often.
type inTurns struct{ changes int }

func (*inTurns) Name() string { return "in-turns" }

func (x *inTurns) Decide(v sim.View, plan *sim.Plan) {
	second := int(math.Floor(v.Now().Seconds()))
	plan.Jobs[0].Hold[0] = 1
	if second%2 == 1 && second < 2*x.changes {
		plan.Jobs[0].Hold[0] = 2
	}
	if second < 2*x.changes {
		plan.WakeIn(time.Second)
	}
}
