package ownruns

import (
	"cmp"
	"slices"
)

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
		holding := &held[i]
		s.pools = append(s.pools, Pool{holding.Pool(), holding.Type, holding.Zone, holding.OnDemand})
	}
	slices.SortFunc(s.pools, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	s.pools = slices.Compact(s.pools)
	var changes []change
	for i := range held {
		holding := &held[i]
		byName := func(p Pool, name string) int { return cmp.Compare(p.Name, name) }
		pool, _ := slices.BinarySearchFunc(s.pools, holding.Pool(), byName)
		changes = holding.changes(changes, pool)
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	now := make([]Count, len(s.pools))
	for i, change := range changes {
		now[change.pool].add(change.by)
		if i+1 < len(changes) && changes[i+1].at == change.at {
			continue
		}
		training := 0
		for _, count := range now {
			training += count.Training()
		}
		s.at = append(s.at, change.at)
		s.counts = append(s.counts, slices.Clone(now))
		s.total = append(s.total, training)
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
	c.Starting += x.Starting
	c.Ready += x.Ready
	c.Noticed += x.Noticed
	c.Waiting += x.Waiting
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
