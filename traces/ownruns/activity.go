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
	n0, n1   float64
	set      bool // n1 is how far training is at its end
}

// said are the times of which the record says what the run did, in order and apart from
// each other.
func (r *Run) said(end int64) []piece {
	var out []piece
	open := -1 // the last one, whose end is not known yet
	last := r.lastTraining()
	for i := range r.Events {
		e := &r.Events[i]
		if !e.Kind.OfTraining() && e.Kind != End && e.Kind != Aborted || e.Kind == Loss {
			continue
		}
		if e.Kind == Save {
			if e.Value > 0 {
				out = append(out, piece{from: max(r.Zero, e.T-micros(e.Value)), to: e.T, as: sim.Checkpointing})
			}
			if open >= 0 && out[open].as == sim.Checkpointing {
				out[open].to, open = e.T, -1
			}
			continue
		}
		if open >= 0 {
			out[open].to, open = e.T, -1
		}
		as, begins := activityOf[e.Kind]
		if !begins || e.Kind == Restart && i > last {
			continue
		}
		out = append(out, piece{from: e.T, to: end, as: as})
		if e.Value > 0 {
			out[len(out)-1].to = min(end, e.T+micros(e.Value))
		} else {
			open = len(out) - 1
		}
	}
	out = slices.DeleteFunc(out, func(p piece) bool { return p.as == sim.Useful })
	return apart(out)
}

// lastTraining is the last event that says that the run trains, -1 where there is none: it
// is not known how long the process took to begin after that.
func (r *Run) lastTraining() int {
	for i := len(r.Events) - 1; i >= 0; i-- {
		if k := r.Events[i].Kind; k == Step || k == Restored || k == Training {
			return i
		}
	}
	return -1
}

// micros are seconds in us.
func micros(seconds float64) int64 { return int64(math.Round(min(seconds, MaxValue/1e6) * 1e6)) }

// apart sorts pieces and cuts each where the next begins.
func apart(p []piece) []piece {
	slices.SortStableFunc(p, func(a, b piece) int { return cmp.Compare(a.from, b.from) })
	for i := range p[:max(0, len(p)-1)] {
		p[i].to = min(p[i].to, p[i+1].from)
	}
	return slices.DeleteFunc(p, func(x piece) bool { return x.to <= x.from })
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

// pieces are what the run did, from its beginning to its end, without holes.
func (r *Run) pieces(size *fleetSize) []piece {
	end, _ := r.Finish()
	marks := r.marks()
	d := doing{run: r, size: size, pace: pacesOf(marks, size), said: r.said(end), end: end}
	at := r.Zero
	for i, m := range marks {
		if m.at > end {
			break
		}
		if i == 0 && Slow*float64(m.at-at) < (m.steps-m.from)*d.pace.between(size, at, m.at) {
			m.from = m.steps // it had begun before the record
		}
		if m.fell {
			d.lose(m.from)
		}
		d.fill(at, m.at, m.from, m.steps, m.fell || i == 0)
		at = max(at, m.at)
	}
	d.fill(at, end, 0, 0, false) // what it did after the last record is not known
	return apart(append(d.out, d.cut...))
}

// saidIn takes what the record says of a time, and returns how much of it is left.
func (d *doing) saidIn(from, to int64) (said []piece, free int64) {
	free = to - from
	for len(d.said) > 0 && d.said[0].from < to {
		p := d.said[0]
		if p.to > to {
			d.said[0].from = to
		} else {
			d.said = d.said[1:]
		}
		if p.from, p.to = max(p.from, from), min(p.to, to); p.to > p.from {
			said = append(said, p)
			free -= p.to - p.from
		}
	}
	return said, free
}

// fill adds what the run did between two marks: what the record says, and in the rest
// training, after a stall. Where training began anew, all that is longer than usual is one.
func (d *doing) fill(from, to int64, n0, n1 float64, anew bool) {
	if to <= from {
		return
	}
	said, free := d.saidIn(from, to)
	stall := free
	if n1 > n0 {
		usual := (n1 - n0) * d.pace.between(d.size, from, to)
		stall = 0
		if usual > 0 && (float64(free) > Slow*usual || anew && float64(free) > usual) {
			stall = free - int64(usual)
		}
	}
	f := filler{d: d, stall: stall, train: free - stall, n0: n0, n1: n1, set: anew, cause: sim.Waiting}
	if stall > 0 && (to < d.end || n1 > n0) {
		f.cause = d.cause(from, to, anew && n0 > 0)
	}
	for _, p := range said {
		f.add(from, p.from)
		p.n0, p.n1, p.set = f.n0, f.n0, anew
		d.out = append(d.out, p)
		from = p.to
	}
	f.add(from, to)
}

// filler spends a stall, and then training, on the times of which the record says nothing.
type filler struct {
	d            *doing
	stall, train int64 // what is left
	n0, n1       float64
	set          bool // training began anew, from n0
	cause        sim.Activity
}

func (f *filler) add(from, to int64) {
	if n := min(f.stall, to-from); n > 0 {
		f.d.out = append(f.d.out, piece{from: from, to: from + n, as: f.cause, n0: f.n0, n1: f.n0, set: f.set})
		f.stall -= n
		from += n
	}
	if n := to - from; n > 0 {
		reached := f.n1
		if n < f.train {
			reached = f.n0 + (f.n1-f.n0)*float64(n)/float64(f.train)
		}
		f.d.train(piece{from, to, sim.Useful, f.n0, reached, true})
		f.n0 = reached
		f.train -= n
	}
}

// cause is what a stall counts as: loading a checkpoint after machines went or the process
// began again, changing the layout after machines came, else waiting.
func (d *doing) cause(from, to int64, fell bool) sim.Activity {
	events := d.run.Events
	as := sim.Waiting
	for d.event < len(events) && events[d.event].T < from {
		d.event++
	}
	for i := d.event; i < len(events) && events[i].T <= to; i++ {
		switch k := events[i].Kind; {
		case k == Preempted || k == Failed || k == Terminated || k == Restart || k == Restored:
			return sim.Restoring
		case k == Ready || k == Launched || k == Released:
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
		if p.n1 <= steps {
			break
		}
		if p.n0 < steps {
			cut := p.from + int64(float64(p.to-p.from)*(steps-p.n0)/(p.n1-p.n0))
			d.cut = append(d.cut, piece{cut, p.to, sim.Redone, steps, p.n1, true})
			p.to, p.n1 = cut, steps
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
