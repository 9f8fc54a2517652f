package describe

import (
	"github.com/marigram/marigram/traces"
)

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
