package ownruns

import (
	"slices"

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
	timeline := &Timeline{Pools: size.pools}
	nextChange := 0 // of the fleet
	counts := make([]Count, len(size.pools))
	training := 0 // machines
	steps := 0.0
	for _, piece := range r.pieces(size) {
		for at := piece.from; at < piece.to; {
			for nextChange < len(size.at) && size.at[nextChange] <= at {
				counts = size.counts[nextChange]
				training = size.total[nextChange]
				nextChange++
			}
			to := piece.to
			if nextChange < len(size.at) {
				to = min(to, size.at[nextChange])
			}
			if piece.set {
				steps = piece.stepsBy(to)
			}
			timeline.Stretches = append(timeline.Stretches, Stretch{
				From:   at,
				To:     to,
				As:     activity(piece.as, counts, training),
				Steps:  steps,
				Counts: counts,
			})
			at = to
		}
	}
	return timeline
}

// stepsBy returns how far training is at an instant of the piece.
func (p *piece) stepsBy(at int64) float64 {
	began := p.stepsAt[0]
	ended := p.stepsAt[1]
	return began + (ended-began)*float64(at-p.from)/float64(p.to-p.from)
}

// activity returns what the run does: where no machine is ready, it starts or waits for one.
func activity(as sim.Activity, counts []Count, training int) sim.Activity {
	if training > 0 || len(counts) == 0 {
		return as
	}
	for _, count := range counts {
		if count.Starting > 0 {
			return sim.Starting
		}
	}
	return sim.Waiting
}

// Hours are instance-hours by activity: machines that boot are starting, all others do what
// the run does. A record without machines has the hours of the run, as if it were one.
func (t *Timeline) Hours() (hours [sim.Activities]float64) {
	for i := range t.Stretches {
		stretch := &t.Stretches[i]
		length := float64(stretch.To-stretch.From) / 3600e6
		if len(t.Pools) == 0 {
			hours[stretch.As] += length
		}
		for _, count := range stretch.Counts {
			hours[sim.Starting] += length * float64(count.Starting)
			hours[stretch.As] += length * float64(count.Training())
		}
	}
	return hours
}

// Stall is a time in which steps were not done.
type Stall struct {
	From, To int64        // us
	As       sim.Activity // what took most of it
}

// Stalls are the times between the first step and the last in which the run neither trained
// nor saved, in order.
func (t *Timeline) Stalls() []Stall {
	trains := func(s Stretch) bool { return s.trains() }
	first := slices.IndexFunc(t.Stretches, trains)
	if first < 0 {
		return nil
	}
	last := first
	for i := first; i < len(t.Stretches); i++ {
		if t.Stretches[i].trains() {
			last = i
		}
	}
	var stalls []Stall
	var spent [sim.Activities]int64 // of the stall at hand
	stalled := false
	for i := first; i <= last; i++ {
		stretch := &t.Stretches[i]
		if stretch.trains() || stretch.As == sim.Checkpointing {
			stalled = false
			continue
		}
		if !stalled {
			stalls = append(stalls, Stall{From: stretch.From})
			spent = [sim.Activities]int64{}
			stalled = true
		}
		stall := &stalls[len(stalls)-1]
		stall.To = stretch.To
		spent[stretch.As] += stretch.To - stretch.From
		if spent[stretch.As] > spent[stall.As] {
			stall.As = stretch.As
		}
	}
	return stalls
}

// trains reports whether steps were done in a stretch, lost or not.
func (s *Stretch) trains() bool { return s.As == sim.Useful || s.As == sim.Redone }
