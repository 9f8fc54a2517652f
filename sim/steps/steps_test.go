package steps_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/steps"
	"pgregory.net/rapid"
)

// always is a law of one value, seconds.
type always float64

func (a always) Quantile(float64) float64 { return float64(a) }

// exponential of mean 1.
type exponential struct{}

func (exponential) Quantile(p float64) float64 { return -math.Log1p(-p) }

func workers(seconds ...float64) []steps.Worker {
	var list []steps.Worker
	for _, s := range seconds {
		list = append(list, steps.Worker{Seconds: always(s)})
	}
	return list
}

func leaving(at float64, w steps.Worker) steps.Worker { w.Leaves = sim.At(at); return w }

func TestStepsArithmetic(t *testing.T) {
	sec := time.Second
	three := workers(1, 2, 4)
	for name, x := range map[string]struct {
		c                       steps.Config
		end                     float64
		updates, aborted        int
		useful, wasted, waiting time.Duration
	}{
		// 8, 4 and 2 mini-batches in 8 s
		"asp": {steps.Config{Mode: steps.ASP, Workers: three, Clocks: 2}, 8, 14, 0, 24 * sec, 0, 0},
		// two iterations of 4 s
		"bsp": {steps.Config{Mode: steps.BSP, Workers: three, Clocks: 2}, 8, 6, 0, 14 * sec, 0, 10 * sec},
		// half a second for each of the three workers between and after
		"exchange": {steps.Config{Mode: steps.BSP, Workers: three, Clocks: 2, Exchange: sec / 2, ExchangeEach: sec / 2}, 12, 6, 0, 14 * sec, 0, 22 * sec},
		// at most one ahead: at 4 s clocks 2, 2, 1; at 8 s 3, 3, 2
		"ssp": {steps.Config{Mode: steps.SSP, Staleness: 1, Workers: three, Clocks: 2}, 8, 8, 0, 17 * sec, 0, 7 * sec},
		// without the slowest: iterations of 2 s, of which its 2 s are dropped
		"backup": {steps.Config{Mode: steps.Backup, Backups: 1, Workers: three, Clocks: 2}, 4, 4, 0, 6 * sec, 4 * sec, 2 * sec},
		// the third goes at 3 s: what was done is done again by two, from 3 to 5 s
		"bsp, a loss": {steps.Config{Mode: steps.BSP, Workers: append(workers(1, 2), leaving(3, three[2])), Clocks: 1}, 5, 2, 1, 3 * sec, 6 * sec, 4 * sec},
		// the two that are left end the iteration at 3 s
		"flexible, a loss": {steps.Config{Mode: steps.Flexible, Workers: append(workers(1, 2), leaving(3, three[2])), Clocks: 1}, 3, 2, 0, 3 * sec, 3 * sec, 3 * sec},
		// a backup is spare: the loss of one changes nothing
		"backup, a loss": {steps.Config{Mode: steps.Backup, Backups: 1, Workers: append(workers(1, 2), leaving(1.5, three[2])), Clocks: 1}, 2, 2, 0,
			3 * sec, 3 * sec / 2, sec},
		// the slowest goes at 3 s; the first had waited since 2 s and goes on: 3 and 2 mini-batches at 4 s
		"ssp, a loss": {steps.Config{Mode: steps.SSP, Staleness: 1, Workers: append(workers(1, 2), leaving(3, three[2])), Clocks: 2}, 4, 5, 0, 7 * sec, 3 * sec, sec},
		"a straggler": {steps.Config{Mode: steps.BSP, Clocks: 3, Workers: []steps.Worker{{Seconds: always(1)},
			{Seconds: always(1), Slow: []steps.Slowdown{{From: 1e6, To: 2e6, Factor: 3, Delay: sec}}}}}, 6, 6, 0, 9 * sec, 0, 3 * sec},
		// the second joins at 1.5 s and takes part from 2 s
		"a join": {steps.Config{Mode: steps.BSP, Clocks: 3, Workers: []steps.Worker{{Seconds: always(1)}, {Seconds: always(1), Joins: sim.At(1.5)}}},
			3, 4, 0, 4 * sec, 0, sec / 2},
		"all gone": {steps.Config{Mode: steps.BSP, Clocks: 9, Workers: []steps.Worker{leaving(2.5, three[0])}}, 2.5, 2, 1, 2 * sec, sec / 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var s steps.Simulator
			r := s.Run(x.c)
			got := fmt.Sprint(r.End, r.Updates, r.Aborted, r.Useful, r.Wasted, r.Waiting, r.Finished)
			if want := fmt.Sprint(sim.At(x.end), x.updates, x.aborted, x.useful, x.wasted, x.waiting, name != "all gone"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if n := testing.AllocsPerRun(3, func() { s.Run(x.c) }); n != 0 {
				t.Errorf("%v allocations when warm", n)
			}
		})
	}
}

// Every microsecond of a worker is booked once, staleness 0 is flexible BSP in
// its iterations, and infinite staleness is ASP.
func TestStepsProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		c := steps.Config{Mode: steps.Mode(rapid.IntRange(0, 4).Draw(t, "mode")), Seed: rapid.Uint64().Draw(t, "seed"),
			Staleness: rapid.IntRange(0, 4).Draw(t, "staleness"), Backups: rapid.IntRange(0, 3).Draw(t, "backups"),
			Exchange: time.Duration(rapid.IntRange(0, 1000).Draw(t, "exchange")) * time.Millisecond, Updates: 200}
		for range n {
			joins := sim.At(rapid.Float64Range(0, 20).Draw(t, "joins"))
			c.Workers = append(c.Workers, steps.Worker{Seconds: exponential{}, Joins: joins, Leaves: joins + 1 + sim.At(rapid.Float64Range(0, 80).Draw(t, "stays"))})
		}
		var s steps.Simulator
		r := s.Run(c)
		held := sim.MachineTime(0)
		for _, w := range c.Workers {
			held += sim.MachineTime(max(min(w.Leaves, r.End)-w.Joins, 0))
		}
		if booked := r.Useful + r.Wasted + r.Waiting; booked != held {
			t.Fatalf("%v booked, workers were there for %v: %+v", booked, held, *r)
		}
		if c.Mode == steps.ASP {
			want := fmt.Sprint(*r)
			c.Mode, c.Staleness = steps.SSP, 1<<30
			if got := fmt.Sprint(*s.Run(c)); got != want {
				t.Fatalf("SSP with endless staleness: %s, ASP: %s", got, want)
			}
		}
	})
}

func TestStepsStalenessZeroWaitsAsBSP(t *testing.T) {
	c := steps.Config{Mode: steps.BSP, Clocks: 50, Seed: 3}
	for range 5 {
		c.Workers = append(c.Workers, steps.Worker{Seconds: exponential{}})
	}
	var s steps.Simulator
	bsp := s.Run(c).End
	c.Mode = steps.SSP
	if ssp := s.Run(c).End; ssp != bsp {
		t.Errorf("SSP ends at %v, BSP at %v", ssp, bsp)
	}
}

func BenchmarkSteps(b *testing.B) {
	for _, mode := range []steps.Mode{steps.ASP, steps.BSP, steps.SSP} {
		b.Run(mode.String(), func(b *testing.B) {
			c := steps.Config{Mode: mode, Staleness: 3, Updates: 32 * 1000}
			for range 32 {
				c.Workers = append(c.Workers, steps.Worker{Seconds: exponential{}})
			}
			var s steps.Simulator
			for b.Loop() {
				s.Run(c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/32000, "ns/update")
		})
	}
}
