package ownruns

import (
	"cmp"
	"math"
	"slices"

	"github.com/marigram/marigram/sim"
)

// Slow is how many times its usual time a step may take before the rest is a stall.
const Slow = 3

// activityOf says which activity an event begins.
var activityOf = map[Kind]sim.Activity{
	Training: sim.Useful, Saving: sim.Checkpointing, Restoring: sim.Restoring, Reconfiguring: sim.Reconfiguring,
	Waiting: sim.Waiting, Starting: sim.Starting, Restart: sim.Restoring,
}

// piece is a time in which the run does one thing, us. Of training, the steps at its ends.
type piece struct {
	from, to int64
	as       sim.Activity
	stepsAt  [2]float64 // at from and at to
	set      bool       // stepsAt[1] is how far training is at its end
}

// said returns the times of which the record says what the run did, in order and apart from each other.
func (r *Run) said(end int64) []piece {
	var pieces []piece
	unended := -1 // the last piece, where its end is not known yet
	lastTraining := r.lastTraining()
	for i := range r.Events {
		event := &r.Events[i]
		if !event.Kind.OfTraining() && event.Kind != End && event.Kind != Aborted || event.Kind == Loss {
			continue
		}
		if event.Kind == Save {
			if event.Value > 0 {
				began := max(r.Zero, event.T-micros(event.Value))
				pieces = append(pieces, piece{from: began, to: event.T, as: sim.Checkpointing})
			}
			if unended >= 0 && pieces[unended].as == sim.Checkpointing {
				pieces[unended].to = event.T
				unended = -1
			}
			continue
		}
		if unended >= 0 {
			pieces[unended].to = event.T
			unended = -1
		}
		as, begins := activityOf[event.Kind]
		if !begins || event.Kind == Restart && i > lastTraining {
			continue
		}
		next := piece{from: event.T, to: end, as: as}
		if event.Value > 0 {
			next.to = min(end, event.T+micros(event.Value))
		} else {
			unended = len(pieces)
		}
		pieces = append(pieces, next)
	}
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.as == sim.Useful })
	return sortApart(pieces)
}

// lastTraining is the last event that says that the run trains, -1 where there is none: it
// is not known how long the process took to begin after that.
func (r *Run) lastTraining() int {
	for i := len(r.Events) - 1; i >= 0; i-- {
		kind := r.Events[i].Kind
		if kind == Step || kind == Restored || kind == Training {
			return i
		}
	}
	return -1
}

// micros returns seconds in us.
func micros(seconds float64) int64 { return int64(math.Round(min(seconds, MaxValue/1e6) * 1e6)) }

// sortApart sorts pieces and cuts each where the next begins.
func sortApart(pieces []piece) []piece {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(pieces); i++ {
		pieces[i-1].to = min(pieces[i-1].to, pieces[i].from)
	}
	return slices.DeleteFunc(pieces, func(p piece) bool { return p.to <= p.from })
}

// doing works out what the run did over its time.
type doing struct {
	run   *Run
	size  *fleetSize
	pace  paces
	said  []piece // not yet used
	out   []piece
	kept  []int   // pieces of out whose training is not lost
	cut   []piece // lost parts of pieces of out
	end   int64   // of the run
	event int     // the first event that is not before the piece at hand
}

// pieces returns what the run did, from its beginning to its end, without holes.
func (r *Run) pieces(size *fleetSize) []piece {
	end, _ := r.Finish()
	marks := r.marks()
	d := doing{run: r, size: size, pace: pacesOf(marks, size), said: r.said(end), end: end}
	at := r.Zero
	for i, mark := range marks {
		if mark.at > end {
			break
		}
		if i == 0 && Slow*float64(mark.at-at) < (mark.steps-mark.from)*d.pace.between(size, at, mark.at) {
			mark.from = mark.steps // it had begun before the record
		}
		if mark.fell {
			d.lose(mark.from)
		}
		d.fill(at, mark.at, [2]float64{mark.from, mark.steps}, mark.fell || i == 0)
		at = max(at, mark.at)
	}
	d.fill(at, end, [2]float64{}, false) // what it did after the last record is not known
	return sortApart(append(d.out, d.cut...))
}

// takeSaid takes what the record says of a time, and returns how much of it is left.
func (d *doing) takeSaid(from, to int64) (said []piece, free int64) {
	free = to - from
	for len(d.said) > 0 && d.said[0].from < to {
		next := d.said[0]
		if next.to > to {
			d.said[0].from = to
		} else {
			d.said = d.said[1:]
		}
		next.from = max(next.from, from)
		next.to = min(next.to, to)
		if next.to > next.from {
			said = append(said, next)
			free -= next.to - next.from
		}
	}
	return said, free
}

// fill adds what the run did between two marks, which have these steps: what the record says, and in the rest training,
// after a stall. Where training began anew, all that is longer than usual is one.
func (d *doing) fill(from, to int64, steps [2]float64, anew bool) {
	if to <= from {
		return
	}
	said, free := d.takeSaid(from, to)
	trains := steps[1] > steps[0]
	stall := free
	if trains {
		usual := (steps[1] - steps[0]) * d.pace.between(d.size, from, to)
		stall = 0
		if usual > 0 && (float64(free) > Slow*usual || anew && float64(free) > usual) {
			stall = free - int64(usual)
		}
	}
	rest := filler{
		doing:   d,
		stall:   stall,
		train:   free - stall,
		reached: steps[0],
		goal:    steps[1],
		anew:    anew,
		cause:   sim.Waiting,
	}
	if stall > 0 && (to < d.end || trains) {
		rest.cause = d.cause(from, to, anew && steps[0] > 0)
	}
	for _, recorded := range said {
		rest.add(from, recorded.from)
		recorded.stepsAt = [2]float64{rest.reached, rest.reached}
		recorded.set = anew
		d.out = append(d.out, recorded)
		from = recorded.to
	}
	rest.add(from, to)
}

// filler spends a stall, and then training, on the times of which the record says nothing.
type filler struct {
	doing         *doing
	stall, train  int64 // what is left, us
	reached, goal float64
	anew          bool // training began anew
	cause         sim.Activity
}

// add spends what is left on a time.
func (f *filler) add(from, to int64) {
	stalled := min(f.stall, to-from)
	if stalled > 0 {
		f.doing.out = append(f.doing.out,
			piece{from: from, to: from + stalled, as: f.cause, stepsAt: [2]float64{f.reached, f.reached}, set: f.anew})
		f.stall -= stalled
		from += stalled
	}
	trained := to - from
	if trained > 0 {
		reached := f.goal
		if trained < f.train {
			reached = f.reached + (f.goal-f.reached)*float64(trained)/float64(f.train)
		}
		f.doing.train(piece{from: from, to: to, as: sim.Useful, stepsAt: [2]float64{f.reached, reached}, set: true})
		f.reached = reached
		f.train -= trained
	}
}

// cause returns what a stall counts as: loading a checkpoint after machines went or the process
// began again, changing the layout after machines came, else waiting.
func (d *doing) cause(from, to int64, fell bool) sim.Activity {
	events := d.run.Events
	as := sim.Waiting
	for d.event < len(events) && events[d.event].T < from {
		d.event++
	}
	for i := d.event; i < len(events) && events[i].T <= to; i++ {
		switch events[i].Kind {
		case Preempted, Failed, Terminated, Restart, Restored:
			return sim.Restoring
		case Ready, Launched, Released:
			as = sim.Reconfiguring
		}
	}
	if fell {
		return sim.Restoring
	}
	return as
}

// lose marks the training behind a number of steps as lost.
func (d *doing) lose(steps float64) {
	for n := len(d.kept); n > 0; n-- {
		p := &d.out[d.kept[n-1]]
		began := p.stepsAt[0]
		ended := p.stepsAt[1]
		if ended <= steps {
			break
		}
		if began < steps {
			cut := p.from + int64(float64(p.to-p.from)*(steps-began)/(ended-began))
			redone := [2]float64{steps, ended}
			d.cut = append(d.cut, piece{from: cut, to: p.to, as: sim.Redone, stepsAt: redone, set: true})
			p.to = cut
			p.stepsAt[1] = steps
			break
		}
		p.as = sim.Redone
		d.kept = d.kept[:n-1]
	}
}

// train adds training.
func (d *doing) train(p piece) {
	d.kept = append(d.kept, len(d.out))
	d.out = append(d.out, p)
}
