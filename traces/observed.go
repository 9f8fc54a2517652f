package traces

// Observed is what was observed of one pool over time.
type Observed struct {
	Pool  int     // its number in the set
	Cap   int     // machines asked for; 0: not recorded
	Count []Piece // machines: of capacity rows, else of instance events, else of probes
	Price []Piece // USD per hour
}

// Piece is a span of a known, constant value. Between pieces nothing is known.
type Piece struct {
	From, To int64 // us UTC
	Value    float64
}

// Observe returns what was observed of each pool until the end of the
// observation, without the gaps.
func Observe(s *Set) []Observed {
	n := len(s.Pools)
	prices, capacity, events, probes := byPool(s.Prices, n), byPool(s.Capacity, n), byPool(s.InstanceEvents, n), byPool(s.Probes, n)
	gaps := gapsByPool(s.Gaps, n)
	out := make([]Observed, n)
	for i := range out {
		o := &out[i]
		o.Pool = i
		steps := capacitySteps(capacity[i])
		for _, r := range capacity[i] {
			o.Cap = max(o.Cap, int(r.Cap))
		}
		if len(steps) == 0 {
			steps = eventSteps(events[i])
		}
		if len(steps) == 0 {
			for _, r := range probes[i] {
				steps = append(steps, step{r.T, float64(r.Fulfilled)})
				o.Cap = max(o.Cap, int(r.Requested))
			}
		}
		o.Count = collect(steps, gaps[i], s.Manifest.TEndUs)
		o.Price = collect(priceSteps(prices[i]), gaps[i], s.Manifest.TEndUs)
	}
	return out
}

// collect joins neighbours of one value.
func collect(steps []step, gaps []GapRow, end int64) []Piece {
	var out []Piece
	for p := range pieces(steps, gaps, end) {
		if n := len(out) - 1; n >= 0 && out[n].To == p.from && out[n].Value == p.v {
			out[n].To = p.to
			continue
		}
		out = append(out, Piece{p.from, p.to, p.v})
	}
	return out
}

// Life is the life of one machine, as far as it was observed.
type Life struct {
	Pool     int
	From, To int64 // us UTC
	// Censored: it was not lost at To, but stopped by its user, or still there
	// when the observation ended.
	Censored bool
}

// Lives returns the lives of the machines of the instance events, in the order
// of their ends, then of their pools and starts. A life begins when the machine
// runs, or is launched where nothing says that it ran. It ends when the machine
// is preempted or terminated; only a user's stop is not a loss, so that a removal
// of unknown reason is one. Machines that were never seen to come are left out.
func Lives(s *Set) []Life {
	type machine struct {
		pool int32
		id   string
	}
	type start struct {
		at      int64
		running bool
		order   int
	}
	up := map[machine]start{}
	var lives []Life
	for i, r := range s.InstanceEvents {
		m := machine{r.PoolID, r.InstanceID}
		since, there := up[m]
		switch {
		case r.comes() && !since.running:
			up[m] = start{r.T, true, i}
		case r.Kind == "launch" && !there:
			up[m] = start{r.T, false, i}
		case r.goes() && there:
			delete(up, m)
			lives = append(lives, Life{int(r.PoolID), since.at, r.T, r.Reason == "user"})
		}
	}
	left := make([]Life, len(s.InstanceEvents)) // by the event at which they came
	for m, since := range up {
		left[since.order] = Life{int(m.pool), since.at, s.Manifest.TEndUs, true}
	}
	for _, l := range left {
		if l.Censored {
			lives = append(lives, l)
		}
	}
	return lives
}
