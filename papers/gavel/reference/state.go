package reference

import (
	"math"

	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/policies/schedulers/share"
)

const (
	round     = 360.0  // s: L
	recompute = 1920.0 // s: shares are worked out at most so often
	credit    = round / 2
	fair      = 1e9 // priority over the share of a unit that has had no time
	patience  = 5   // rounds in a row that may fail
)

// unit is a job, or two on the same GPUs.
type unit struct {
	a, b     int  // places in Config.Jobs; b is Alone
	shared   bool // it was there when the shares were worked out
	x        []float64
	received []float64 // s by model
	deficit  []float64
	priority float64
	ran      int // the last round in which it ran, until that is ordered
	task     int // its place in running then
}

// task is what a unit does in a round.
type task struct {
	u      int
	model  int
	steps  [2]float64
	finish float64
}

// end is when a task ends.
type end struct {
	at   float64
	task int // place in running
}

// job is the changing part of a job.
type job struct {
	steps    float64
	seen     float64 // when the scheduler saw it
	failures int
	over     bool
	unit     int // its own
}

// rounds is a simulation under way.
type rounds struct {
	Config
	random  *pyrandom.Rand
	jobs    []job
	result  []Result
	units   []unit
	active  []int // units in order of insertion
	alive   []int // jobs that are there, ascending
	sharing []int // units of active with a share of some model
	next    int   // the next job to arrive
	open    int   // jobs before Until that are not over

	t, start, end float64 // start and end of the round; end is NaN before the first
	last          float64
	need          bool
	worker        []float64 // time given to units, by model
	running       []task
	ends          []end // of running, latest first
	ended         []int // units in the order of ends of the round before
	shares        share.Shares
	pairShares    PairShares
	input         PairInput
	taken         []int // by job: the last round in which it was given GPUs
	count         int   // rounds
	order         []int
	sorted        []int
	pairs         map[Unit]int
}

// later orders tasks: latest first, jobs alone before pairs, lower jobs first.
func (r *rounds) later(x, y end) int {
	switch {
	case x.at > y.at:
		return -1
	case x.at < y.at:
		return 1
	}
	a, b := &r.units[r.running[x.task].u], &r.units[r.running[y.task].u]
	if (a.b == Alone) != (b.b == Alone) {
		if a.b == Alone {
			return -1
		}
		return 1
	}
	if a.a != b.a {
		return a.a - b.a
	}
	return a.b - b.b
}

// add adds a unit that has received some time on every model.
func (r *rounds) add(a, b int, received float64) int {
	n := len(r.GPUs)
	memory := make([]float64, 3*n)
	u := unit{a: a, b: b, x: memory[:n:n], received: memory[n : 2*n : 2*n], deficit: memory[2*n:]}
	for m := range u.received {
		u.received[m] = received
	}
	r.units = append(r.units, u)
	r.active = append(r.active, len(r.units)-1)
	return len(r.units) - 1
}

// speed returns the steps a second of a unit's first job and of its second.
func (r *rounds) speed(u *unit, m int) (of, other float64) {
	if u.b == Alone {
		return r.Jobs[u.a].Speed[m], math.Inf(1)
	}
	return r.Together(u.a, u.b, m)
}
