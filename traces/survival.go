package traces

// Life is how long one machine lived.
type Life struct {
	Pool     int32
	From, To int64 // us UTC
	// Lost tells that it was taken or ended for a cause that is not recorded;
	// else it was given back, or was there at the end of the observation: it
	// would have lived longer (it is censored).
	Lost bool
}

// Hours returns its length.
func (l Life) Hours() float64 { return float64(l.To-l.From) / microsecondsPerHour }

// Lives returns the lives of a set's machines in the order in which they end. A
// machine that comes again after it went begins another. Machines that go but
// were never seen to come have no length; unborn counts them.
func Lives(s *Set) (lives []Life, unborn int) {
	type machine struct {
		pool int32
		id   string
	}
	since := map[machine]int{} // machine that is there: its event
	gone := map[machine]bool{}
	for i, e := range s.InstanceEvents {
		m := machine{e.PoolID, e.InstanceID}
		from, up := since[m]
		switch {
		case e.Comes() && !up:
			since[m] = i
		case e.Goes() && up:
			delete(since, m)
			lives = append(lives, Life{e.PoolID, s.InstanceEvents[from].T, e.T, e.Reason != ReasonUser})
		case e.Goes() && !gone[m]:
			unborn++
		}
		gone[m] = e.Goes() || gone[m]
	}
	return append(lives, stillThere(s, func(e *InstanceEventRow, i int) bool {
		from, up := since[machine{e.PoolID, e.InstanceID}]
		return up && from == i
	})...), unborn
}

// stillThere returns the lives that the end of the observation cuts.
func stillThere(s *Set, up func(e *InstanceEventRow, i int) bool) (lives []Life) {
	ends := ends(s)
	for i := range s.InstanceEvents {
		if e := &s.InstanceEvents[i]; up(e, i) {
			lives = append(lives, Life{Pool: e.PoolID, From: e.T, To: max(e.T, ends[e.PoolID])})
		}
	}
	return lives
}

// LifetimeStatistics describes how long machines live, in hours. The survival
// is Kaplan and Meier's; what it cannot tell is absent.
type LifetimeStatistics struct {
	N         int      `json:"n"`                  // lives
	Preempted int      `json:"preempted"`          // lost: taken, or ended for a cause that is not recorded
	Censored  int      `json:"censored"`           // given back, or there at the end
	NoStart   int      `json:"no_start,omitempty"` // machines that went and were not seen to come; not among the lives
	S1        *float64 `json:"s_1h,omitempty"`
	S6        *float64 `json:"s_6h,omitempty"`
	S12       *float64 `json:"s_12h,omitempty"`
	S24       *float64 `json:"s_24h,omitempty"`
	S24h30    *float64 `json:"s_24_5h,omitempty"`
	Median    *float64 `json:"median_h,omitempty"`
	// ShareLong is the share of the lives of at least 23.5 h: those at the limit
	// of a preemptible machine, which is 24 h.
	ShareLong *float64 `json:"share_at_least_23_5h,omitempty"`
}

const longLifeHours = 23.5

// lifetimeStatistics describes lives, nil if there are none.
func lifetimeStatistics(lives []Life) *LifetimeStatistics {
	if len(lives) == 0 {
		return nil
	}
	out := &LifetimeStatistics{N: len(lives)}
	long := 0
	for _, l := range lives {
		if l.Lost {
			out.Preempted++
		}
		if l.Hours() >= longLifeHours {
			long++
		}
	}
	out.Censored = out.N - out.Preempted
	out.ShareLong = ratio(float64(long), float64(out.N))
	v := KaplanMeier(lives)
	for h, into := range map[float64]**float64{1: &out.S1, 6: &out.S6, 12: &out.S12, 24: &out.S24, 24.5: &out.S24h30} {
		if share, known := v.At(h); known {
			*into = &share
		}
	}
	if m, known := v.Median(); known {
		out.Median = &m
	}
	return out
}

// addLifetimes describes the lives of the set and of every pool, and of every
// GPU where there are several.
func (out *Statistics) addLifetimes(s *Set) {
	lives, unborn := Lives(s)
	if out.Lifetimes = lifetimeStatistics(lives); out.Lifetimes == nil {
		return
	}
	out.Lifetimes.NoStart = unborn
	pools := make([][]Life, len(s.Pools))
	gpus := map[string][]Life{}
	for _, l := range lives {
		pools[l.Pool] = append(pools[l.Pool], l)
		if gpu := s.Pools[l.Pool].GPUType; gpu != "" {
			gpus[gpu] = append(gpus[gpu], l)
		}
	}
	for i := range pools {
		out.Pools[i].Lifetimes = lifetimeStatistics(pools[i])
	}
	for gpu, l := range gpus {
		if out.LifetimesByGPU == nil {
			out.LifetimesByGPU = map[string]*LifetimeStatistics{}
		}
		out.LifetimesByGPU[gpu] = lifetimeStatistics(l)
	}
}
