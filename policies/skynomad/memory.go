package skynomad

import (
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
