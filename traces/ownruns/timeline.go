package ownruns

import (
	"github.com/marigram/marigram/sim"
)

// Stretch is a time in which nothing changed but, at a constant speed, the steps.
type Stretch struct {
	From, To int64 // us
	As       sim.Activity
	Steps    float64 // done at its end, those included that were lost later
	Counts   []Count // by pool, as Timeline.Pools; not to be changed
}

// Timeline is a run over its time: what it held, and what it did.
type Timeline struct {
	Pools     []Pool
	Stretches []Stretch // without holes, from the run's beginning to its end
}

// Timeline returns what the run held and did over its time. What it did is what the record
// says (activities, restarts, saves with the time that they took), and else training from
// one record of steps to the next. What is longer than Slow times the usual time of n
// steps on n machines is a stall: restoring after machines went or the process began
// again, reconfiguring after machines came, else waiting. Training behind the checkpoint to
// which the run went back is redone. Where neither steps nor activities were recorded,
// instances that are ready count as waiting.
func (r *Run) Timeline() *Timeline {
	size := sizeOf(r.Holdings())
	t := &Timeline{Pools: size.pools}
	none := make([]Count, len(size.pools))
	next := 0 // change of the fleet
	counts, total := none, 0
	steps := 0.0
	for _, p := range r.pieces(size) {
		for at := p.from; at < p.to; {
			for next < len(size.at) && size.at[next] <= at {
				counts, total = size.counts[next], size.total[next]
				next++
			}
			to := p.to
			if next < len(size.at) {
				to = min(to, size.at[next])
			}
			if p.set {
				steps = p.n0 + (p.n1-p.n0)*float64(to-p.from)/float64(p.to-p.from)
			}
			t.Stretches = append(t.Stretches, Stretch{at, to, activity(p.as, counts, total), steps, counts})
			at = to
		}
	}
	return t
}

// activity is what the run does: where no machine is ready, it starts or waits for one.
func activity(as sim.Activity, counts []Count, training int) sim.Activity {
	if training > 0 || len(counts) == 0 {
		return as
	}
	for _, c := range counts {
		if c.Starting > 0 {
			return sim.Starting
		}
	}
	return sim.Waiting
}

// Hours are instance-hours by activity: machines that boot are starting, all others do what
// the run does. A record without machines has the hours of the run, as if it were one.
func (t *Timeline) Hours() (h [sim.Activities]float64) {
	for i := range t.Stretches {
		s := &t.Stretches[i]
		hours := float64(s.To-s.From) / 3600e6
		if len(t.Pools) == 0 {
			h[s.As] += hours
		}
		for _, c := range s.Counts {
			h[sim.Starting] += hours * float64(c.Starting)
			h[s.As] += hours * float64(c.Training())
		}
	}
	return h
}

// Stall is a time in which steps were not done.
type Stall struct {
	From, To int64        // us
	As       sim.Activity // what took most of it
}

// Stalls are the times between the first step and the last in which the run neither trained
// nor saved, in order.
func (t *Timeline) Stalls() []Stall {
	first, last := -1, -1
	for i := range t.Stretches {
		if s := &t.Stretches[i]; s.trains() {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	var out []Stall
	for i := max(first, 0); i <= last; {
		if s := &t.Stretches[i]; s.trains() || s.As == sim.Checkpointing {
			i++
			continue
		}
		stall := Stall{From: t.Stretches[i].From}
		var spent [sim.Activities]int64
		for ; i <= last && !t.Stretches[i].trains() && t.Stretches[i].As != sim.Checkpointing; i++ {
			s := &t.Stretches[i]
			stall.To = s.To
			if spent[s.As] += s.To - s.From; spent[s.As] > spent[stall.As] {
				stall.As = s.As
			}
		}
		out = append(out, stall)
	}
	return out
}

// trains reports whether steps were done in a stretch, lost or not.
func (s *Stretch) trains() bool { return s.As == sim.Useful || s.As == sim.Redone }
