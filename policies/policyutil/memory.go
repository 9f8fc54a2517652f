package policyutil

import "github.com/marigram/marigram/sim"

// Kept is what a policy remembers of a job.
type Kept[J any] interface {
	*J
	Pools() int        // of the market that it is of
	Restart(pools int) // makes it that of a job of which nothing is known, reusing its memory
	CopyFrom(*J)       // sharing nothing
}

// Memory is what a policy remembers of a run.
type Memory[J any, P Kept[J]] struct {
	of   sim.Policy
	jobs []J
}

// NewMemory returns the memory of a run of a policy: empty, in the one that an earlier run of it used if there is
// one, or a copy.
func NewMemory[J any, P Kept[J]](of sim.Policy, from, used any) any {
	if m, is := used.(*Memory[J, P]); is && from == nil && m.of == of {
		for j := range m.jobs {
			P(&m.jobs[j]).Restart(P(&m.jobs[j]).Pools())
		}
		return m
	}
	m := &Memory[J, P]{of: of}
	if src, is := from.(*Memory[J, P]); is {
		m.jobs = make([]J, len(src.jobs))
		for j := range src.jobs {
			P(&m.jobs[j]).CopyFrom(&src.jobs[j])
		}
	}
	return m
}

// Job returns what is remembered of job j, on a market of so many pools.
func (m *Memory[J, P]) Job(j, pools int) P {
	for len(m.jobs) <= j {
		m.jobs = append(m.jobs, *new(J))
	}
	job := P(&m.jobs[j])
	if job.Pools() != pools {
		job.Restart(pools)
	}
	return job
}
