package adrs

import (
	"context"
	"iter"
	"math"
	"runtime"

	"github.com/marigram/marigram/internal/parallel"
)

// Optimum is the least that a case can cost: all availability known from the start, the job in time, and each launch
// and each move of what runs costs a restart. The guard does not bind it: it only raises what is asked for.
type Optimum struct {
	USD float64
	// Paid is by tick what a run has paid for its decision there above the best decision from where it was: its cost is
	// the optimum and the sum. nil: no run was given.
	Paid []float64
}

// foresight is the search for an optimum, from the last tick to the first. A state is what is held, and for how many
// ticks since its launch, up to that after which a tick is all work; with the work left, in units.
type foresight struct {
	c      *Case
	ticks  int
	work   []int // by tick since a launch: units of work; the last goes on
	all    int   // units of the job
	states int
	usd    []float64 // of a tick: on demand, then spot by zone
	after  []float64 // values of the next tick, by units left and state
	now    []float64
}

// optimum searches one case; path is a run of it, or nil.
func optimum(c *Case, path []Choice) Optimum {
	gap := c.Zones[0].GapS
	unit := gap
	for _, seconds := range []float64{c.RestartS, c.WorkS} {
		unit = common(unit, seconds)
	}
	f := &foresight{c: c, ticks: min(int(c.DeadlineS/gap), c.ticks()), all: int(c.WorkS / unit),
		usd: []float64{onDemandUSD * gap / 3600}}
	for left := c.RestartS; left > 0; left -= gap {
		f.work = append(f.work, int(max(gap-left, 0)/unit))
	}
	f.work = append(f.work, int(gap/unit))
	for _, zone := range c.Zones {
		f.usd = append(f.usd, zone.USD*gap/3600)
	}
	f.states = 1 + len(f.usd)*(len(f.work)-1)
	f.after = make([]float64, (f.all+1)*f.states)
	f.now = make([]float64, len(f.after))
	steps := f.follow(path)
	var paid []float64
	if path != nil {
		paid = make([]float64, len(path))
	}
	for i := range f.after { // after the last tick
		f.after[i] = math.Inf(1)
	}
	for s := range f.states {
		f.after[s] = 0
	}
	for tick := f.ticks - 1; tick >= 0; tick-- {
		f.solve(tick)
		if tick < len(steps) {
			s := steps[tick]
			paid[tick] = s.usd + f.after[s.left*f.states+s.state] - f.now[s.leftBefore*f.states+s.before]
		}
		f.after, f.now = f.now, f.after
	}
	return Optimum{f.after[f.all*f.states], paid}
}

// common returns the greatest common divisor of two whole numbers of seconds.
func common(a, b float64) float64 {
	for b >= 1 {
		a, b = b, math.Mod(a, b)
	}
	return a
}

// state returns the number of the state of what runs (0: on demand, from 1: spot by zone), so many ticks after its launch.
func (f *foresight) state(runs, since int) int {
	return 1 + runs*(len(f.work)-1) + min(since, len(f.work)-1) - 1
}

// solve fills in the values of a tick.
func (f *foresight) solve(tick int) {
	full := f.work[len(f.work)-1]
	least := max(0, f.all-tick*full)
	most := min(f.all, (f.ticks-tick)*full)
	launch := f.work[0]
	for left := least; left <= most; left++ {
		now := f.now[left*f.states : (left+1)*f.states]
		if left == 0 {
			clear(now)
			continue
		}
		idle := f.value(left, 0)
		started := math.Inf(1)
		for runs, usd := range f.usd {
			if f.up(tick, runs) {
				started = min(started, usd+f.value(left-launch, f.state(runs, 1)))
			}
		}
		best := min(idle, started)
		now[0] = best
		for runs, usd := range f.usd {
			there := f.up(tick, runs)
			for since := 1; since < len(f.work); since++ {
				value := best
				if there {
					value = min(value, usd+f.value(left-f.work[since], f.state(runs, since+1)))
				}
				now[f.state(runs, since)] = value
			}
		}
	}
	for left := most + 1; left <= min(f.all, most+full); left++ { // what the tick before may reach, and no one can mend
		for s := range f.states {
			f.now[left*f.states+s] = math.Inf(1)
		}
	}
}

func (f *foresight) up(tick, runs int) bool { return runs == 0 || f.c.Zones[runs-1].Up[tick] }

func (f *foresight) value(left, state int) float64 {
	if left <= 0 {
		return 0
	}
	return f.after[left*f.states+state]
}

// taken is a tick of a run: the state before and after it.
type taken struct {
	leftBefore, before int
	left, state        int
	usd                float64
}

// follow returns the states of a run.
func (f *foresight) follow(path []Choice) (steps []taken) {
	left := f.all
	runs := -1
	since := 0
	for tick, ran := range path {
		if tick >= f.ticks || left <= 0 {
			break
		}
		s := taken{leftBefore: left}
		if runs >= 0 {
			s.before = f.state(runs, since)
		}
		now := -1
		switch ran.Kind {
		case Spot:
			now = 1 + ran.Zone
		case OnDemand:
			now = 0
		}
		switch {
		case now < 0:
			since = 0
		case now == runs && f.up(tick, runs):
			left -= f.work[min(since, len(f.work)-1)]
			since++
		default:
			left -= f.work[0]
			since = 1
		}
		if runs = now; runs >= 0 {
			s.state = f.state(runs, since)
			s.usd = f.usd[runs]
		}
		left = max(left, 0)
		s.left = left
		steps = append(steps, s)
	}
	return steps
}

// optima searches all cases; paths are runs of them, or nil.
func optima(ctx context.Context, cases []Case, paths [][]Choice) ([]Optimum, error) {
	all := make([]Optimum, len(cases))
	err := parallel.Each(ctx, runtime.GOMAXPROCS(0), len(cases), func(_ context.Context, numbers iter.Seq[int]) error {
		for n := range numbers {
			var path []Choice
			if paths != nil {
				path = paths[n]
			}
			all[n] = optimum(&cases[n], path)
		}
		return nil
	})
	return all, err
}
