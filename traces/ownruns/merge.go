package ownruns

import (
	"cmp"
	"errors"
	"fmt"
)

// Merge joins what several files recorded of one run: the fleet, the progress, the bill.
// Their clocks have to be of one kind: all of the world, or all from the run's own
// beginning, in which case they are taken to begin together. The name is that of the first
// where it is empty.
func Merge(name string, runs ...*Run) (*Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("no runs to merge")
	}
	out := &Run{Name: cmp.Or(name, runs[0].Name), Relative: runs[0].Relative}
	for _, r := range runs {
		if r.Relative != out.Relative {
			return nil, fmt.Errorf("%s counts time from the run's own beginning and %s does not; "+
				"say when the run began (--start), or bring both to one clock",
				clocked(runs, true), clocked(runs, false))
		}
		if len(out.Events)+len(r.Events) > MaxEvents {
			return nil, fmt.Errorf("the files have more than %d events together, expected at most that", MaxEvents)
		}
		first := int32(len(out.Files))
		out.Files = append(out.Files, r.Files...)
		for _, e := range r.Events {
			e.File += first
			out.Events = append(out.Events, e)
		}
		for _, note := range r.Notes {
			out.Note("%s", note)
		}
	}
	out.settle()
	return out, out.bounded()
}

// clocked names a run by its clock.
func clocked(runs []*Run, relative bool) string {
	for _, r := range runs {
		if r.Relative == relative {
			return fmt.Sprintf("%q", r.Name)
		}
	}
	return "none"
}

// StartAt puts the beginning of a run with a Relative clock at an instant of the world, us
// UTC. It panics for a run whose clock is the world's.
func (r *Run) StartAt(us int64) {
	if !r.Relative {
		panic("ownruns: StartAt of a run whose clock is the world's")
	}
	for i := range r.Events {
		r.Events[i].T += us
	}
	r.Relative = false
	r.Zero += us
}
