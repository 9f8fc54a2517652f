package describe

import "github.com/marigram/marigram/traces"

// LifetimeStatistics describes how long machines live, in hours. The survival
// is Kaplan and Meier's; what it cannot tell is absent.
type LifetimeStatistics struct {
	N         int      `json:"n"`                  // lifetimes
	Preempted int      `json:"preempted"`          // lost: taken, or ended for a cause that is not recorded
	Censored  int      `json:"censored"`           // given back, or there when last seen
	NoStart   int      `json:"no_start,omitempty"` // machines that went and were not seen to come; not among the lifetimes
	S1        *float64 `json:"s_1h,omitempty"`
	S6        *float64 `json:"s_6h,omitempty"`
	S12       *float64 `json:"s_12h,omitempty"`
	S24       *float64 `json:"s_24h,omitempty"`
	S24h30    *float64 `json:"s_24_5h,omitempty"`
	Median    *float64 `json:"median_h,omitempty"`
	// ShareLong is the share of lifetimes of at least 23.5 h: those at the limit
	// of a preemptible machine, which is 24 h.
	ShareLong *float64 `json:"share_at_least_23_5h,omitempty"`
}

const longLifeHours = 23.5

// lifetimeStatistics describes lifetimes, nil if there are none.
func lifetimeStatistics(lifetimes []Lifetime) *LifetimeStatistics {
	if len(lifetimes) == 0 {
		return nil
	}
	out := &LifetimeStatistics{N: len(lifetimes)}
	long := 0
	for _, l := range lifetimes {
		if l.Lost {
			out.Preempted++
		}
		if l.Hours() >= longLifeHours {
			long++
		}
	}
	out.Censored = out.N - out.Preempted
	out.ShareLong = ratio(float64(long), float64(out.N))
	v := KaplanMeier(lifetimes)
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

// addLifetimes describes the lifetimes of the set and of every pool, and of every
// GPU where there are several.
func (out *Statistics) addLifetimes(s *traces.Set) {
	lifetimes, unborn := Lifetimes(s)
	if out.Lifetimes = lifetimeStatistics(lifetimes); out.Lifetimes == nil {
		return
	}
	out.Lifetimes.NoStart = unborn
	pools := make([][]Lifetime, len(s.Pools))
	gpus := map[string][]Lifetime{}
	for _, l := range lifetimes {
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
