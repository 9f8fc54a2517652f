package skynomad

import (
	"slices"

	"github.com/marigram/marigram/sim"
)

// none is no pool.
const none = -1

// phase is what a decision waits for, at one instant.
type phase uint8

const (
	idle    phase = iota
	trying        // whether a request is granted
	probing       // whether probes are
	leaving       // for the save of the work, before the job leaves
	ended         // that what it left is gone
)

// kept is what a policy remembers of a job.
type kept[J any] interface {
	*J
	pools() int        // of the market that it is of
	restart(pools int) // makes it that of a job of which nothing is known, reusing its memory
	copyFrom(*J)       // sharing nothing
}

// memory is what a policy remembers of a run.
type memory[J any, P kept[J]] struct {
	of   sim.Policy
	jobs []J
}

// newMemory returns the memory of a run of a policy: empty, in the one that an earlier run of it used if there is one, or a copy.
func newMemory[J any, P kept[J]](of sim.Policy, from, used any) any {
	if m, is := used.(*memory[J, P]); is && from == nil && m.of == of {
		for j := range m.jobs {
			P(&m.jobs[j]).restart(P(&m.jobs[j]).pools())
		}
		return m
	}
	m := &memory[J, P]{of: of}
	if src, is := from.(*memory[J, P]); is {
		m.jobs = make([]J, len(src.jobs))
		for j := range src.jobs {
			P(&m.jobs[j]).copyFrom(&src.jobs[j])
		}
	}
	return m
}

// job returns what is remembered of job j.
func (m *memory[J, P]) job(j, pools int) P {
	for len(m.jobs) <= j {
		m.jobs = append(m.jobs, *new(J))
	}
	x := P(&m.jobs[j])
	if x.pools() != pools {
		x.restart(pools)
	}
	return x
}

// nomad is one job of a run.
type nomad struct {
	reckoning
	pace    Pace
	done    float64 // at the last poll, s
	polled  sim.Time
	zones   []zone // by pool
	primary int    // the pool in which the job means to train; none
	late    bool   // on demand from now on
	phase   phase
	options []option // by worth, from the next to try on
	offers  []Offer  // scratch
}

// zone is what is known of a pool.
type zone struct {
	lifetimes Lifetimes
	Offer
	runs     bool     // instances of ours
	believed bool     // up, as a probe found
	refused  bool     // since the last poll
	asked    bool     // by a probe under way
	probeAt  sim.Time // from which it may be probed again
}

// NewState implements sim.Stateful.
func (p *Policy) NewState(from, used any) any { return newMemory[nomad, *nomad](p, from, used) }

func (n *nomad) pools() int { return len(n.zones) }

func (n *nomad) restart(pools int) {
	if len(n.zones) != pools {
		n.zones = make([]zone, pools)
	}
	*n = nomad{pace: Pace{ticks: n.pace.ticks[:0], offers: n.pace.offers}, zones: n.zones, options: n.options[:0], offers: n.offers[:0],
		primary: none, polled: sim.Never}
	for q := range n.zones {
		z := &n.zones[q]
		z.lifetimes.restart()
		*z = zone{lifetimes: z.lifetimes}
	}
}

func (n *nomad) copyFrom(src *nomad) {
	*n = *src
	n.pace.ticks, n.pace.offers = slices.Clone(src.pace.ticks), nil
	n.options, n.offers, n.zones = slices.Clone(src.options), nil, slices.Clone(src.zones)
	for q := range n.zones {
		n.zones[q].lifetimes.copyFrom(&src.zones[q].lifetimes)
	}
}
