package ownruns

import (
	"cmp"
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

// Count is the machines of a pool by state.
type Count struct {
	Starting int // launched, not yet ready
	Ready    int // able to train, not counting those under notice
	Noticed  int // able to train, under notice
	Waiting  int // asked for, not yet launched
}

// Training is the machines that can train.
func (c Count) Training() int { return c.Ready + c.Noticed }

// Held is the machines that are paid for.
func (c Count) Held() int { return c.Starting + c.Training() }

// Pool is what the run held machines of.
type Pool struct {
	Name       string // Holding.Pool
	Type, Zone string // empty: not recorded
	OnDemand   bool
}

// fleetSize is the machines by pool, as a function of time.
type fleetSize struct {
	pools  []Pool
	at     []int64   // from each of them on
	counts [][]Count // by pool
	total  []int     // machines that can train
}

// ReadyAt returns when the machine could train: when that was recorded, or else when it was
// there first.
func (h *Holding) ReadyAt() int64 {
	if h.Ready != Missing {
		return h.Ready
	}
	return h.Seen
}

// change is one more or one fewer machine in a state of a pool.
type change struct {
	at   int64
	pool int
	by   Count
}

// sizeOf counts machines over time.
func sizeOf(held []Holding) *fleetSize {
	s := &fleetSize{}
	for i := range held {
		h := &held[i]
		s.pools = append(s.pools, Pool{h.Pool(), h.Type, h.Zone, h.OnDemand})
	}
	slices.SortFunc(s.pools, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	s.pools = slices.Compact(s.pools)
	var changes []change
	for i := range held {
		h := &held[i]
		pool, _ := slices.BinarySearchFunc(s.pools, h.Pool(), func(p Pool, name string) int { return cmp.Compare(p.Name, name) })
		changes = h.changes(changes, pool)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	now := make([]Count, len(s.pools))
	for i, c := range changes {
		now[c.pool].add(c.by)
		if i+1 < len(changes) && changes[i+1].at == c.at {
			continue
		}
		total := 0
		for _, n := range now {
			total += n.Training()
		}
		s.at, s.counts, s.total = append(s.at, c.at), append(s.counts, slices.Clone(now)), append(s.total, total)
	}
	return s
}

// changes adds what a machine changes in its pool, over its time.
func (h *Holding) changes(to []change, pool int) []change {
	var now Count
	turn := func(at int64, next Count) {
		if next != now {
			to = append(to, change{at, pool, next.less(now)})
			now = next
		}
	}
	if h.Requested != Missing && h.Requested < h.Seen {
		turn(h.Requested, Count{Waiting: 1})
	}
	ready := min(h.ReadyAt(), h.Gone)
	if ready > h.Seen {
		turn(h.Seen, Count{Starting: 1})
	}
	noticed := h.Gone
	if h.Noticed != Missing {
		noticed = max(min(h.Noticed, h.Gone), ready)
	}
	if noticed > ready {
		turn(ready, Count{Ready: 1})
	}
	if h.Gone > noticed {
		turn(noticed, Count{Noticed: 1})
	}
	turn(h.Gone, Count{})
	return to
}

func (c *Count) add(x Count) {
	c.Starting, c.Ready, c.Noticed, c.Waiting = c.Starting+x.Starting, c.Ready+x.Ready, c.Noticed+x.Noticed, c.Waiting+x.Waiting
}

func (c Count) less(x Count) Count {
	return Count{c.Starting - x.Starting, c.Ready - x.Ready, c.Noticed - x.Noticed, c.Waiting - x.Waiting}
}

// place is the last change at or before an instant, -1 before the first.
func (s *fleetSize) place(at int64) int {
	i, found := slices.BinarySearch(s.at, at)
	if found {
		return i
	}
	return i - 1
}

// training is the machines that can train at the i-th change.
func (s *fleetSize) training(i int) int {
	if i < 0 {
		return 0
	}
	return s.total[i]
}
