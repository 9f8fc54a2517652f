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
)

// memory is what a Policy remembers of a run.
type memory struct {
	of   *Policy
	jobs []nomad
}

// nomad is one job of a run.
type nomad struct {
	job      Job
	state    State
	pace     Pace
	done     float64 // at the last poll, s
	polled   sim.Time
	zones    []zone // by pool
	dear     int    // the pool on demand that it may take; none
	ref      int    // the pool by whose instances time is counted; none if nothing can train the job
	referred bool   // dear and ref are chosen
	primary  int    // the pool in which the job means to train; none
	late     bool   // on demand from now on
	phase    phase
	options  []option // by worth, from the next to try on
	offers   []Offer  // scratch
}

// zone is what is known of a pool.
type zone struct {
	lives Lives
	Offer
	runs     bool     // instances of ours
	believed bool     // up, as a probe found
	refused  bool     // since the last poll
	asked    bool     // by a probe under way
	probeAt  sim.Time // from which it may be probed again
}

// NewState implements sim.Stateful.
func (p *Policy) NewState(from any) any {
	m := &memory{of: p}
	if src, is := from.(*memory); is {
		m.jobs = make([]nomad, len(src.jobs))
		for j := range src.jobs {
			m.jobs[j].copyFrom(&src.jobs[j])
		}
	}
	return m
}

// Restart implements sim.Restarter.
func (m *memory) Restart(p sim.Policy) bool {
	if of, is := p.(*Policy); !is || of != m.of {
		return false
	}
	for j := range m.jobs {
		m.jobs[j].restart()
	}
	return true
}

// job returns what is remembered of job j.
func (m *memory) job(j int, v sim.View) *nomad {
	for len(m.jobs) <= j {
		m.jobs = append(m.jobs, nomad{})
		m.jobs[len(m.jobs)-1].restart()
	}
	n := &m.jobs[j]
	if n.zones == nil || len(n.zones) != v.Pools() {
		n.zones = make([]zone, v.Pools())
	}
	return n
}

func (n *nomad) restart() {
	*n = nomad{pace: Pace{ticks: n.pace.ticks[:0], offers: n.pace.offers}, zones: n.zones, options: n.options[:0], offers: n.offers[:0],
		primary: none, polled: sim.Never}
	for q := range n.zones {
		z := &n.zones[q]
		z.lives.restart()
		*z = zone{lives: z.lives}
	}
}

func (n *nomad) copyFrom(src *nomad) {
	*n = *src
	n.pace.ticks, n.pace.offers = slices.Clone(src.pace.ticks), nil
	n.options, n.offers, n.zones = slices.Clone(src.options), nil, slices.Clone(src.zones)
	for q := range n.zones {
		n.zones[q].lives.copyFrom(&src.zones[q].lives)
	}
}
