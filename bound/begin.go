package bound

import "github.com/marigram/marigram/sim"

// begin is a way to begin: where the cluster that training is set up for says, and with no
// more instances than these until others have booted.
type begin struct {
	progress float64 // at most
	most     int     // instances until the first boot after training began; 0: any number
}

// begins tells a single instance from all others. All that is asked for when training begins
// is part of what it is set up for, and so is all that it grows to if fewer were announced
// (sim.JobPlan.Workers): after one there can be more only when others have booted. More
// ranges of numbers were not worth their time: one of a kind with large batches begins the
// furthest on, and is cheap for two boots.
func (x *mixture) begins() []begin {
	var at [2]float64 // on so many and one, or more
	for n := len(x.tables) - 1; n > 0; n-- {
		for p := range x.market.Pools() {
			if x.market.Pool(p).Quota > 0 {
				l := sim.Layout{Workers: make([]int32, x.market.Pools()), Servers: 1}
				l.Workers[p] = int32(n)
				at[min(n, 2)-1] = max(at[min(n, 2)-1], x.model.Begin(&l)*x.model.MixingGain(n))
			}
		}
	}
	if at[1] >= at[0] {
		return []begin{{progress: at[1]}}
	}
	return []begin{{at[0], 1}, {progress: at[1]}}
}

// unforeseen reports whether an instance may be under notice before an instant, or come under
// it then: such ones train until they go, but training is not set up for them.
func (p *problem) unforeseen(until sim.Time) bool {
	m := p.c.Market
	for i := range m.Pools() {
		pool := m.Pool(i)
		if pool.Notice == 0 {
			continue
		}
		last := until.Add(pool.Notice)
		if pool.Length > 0 && p.first.Add(pool.Length) <= last || pool.Until > 0 && pool.Until <= last {
			return true
		}
		for _, t := range m.Changes(i) {
			if t <= p.first || t > last {
				continue
			}
			before, limited := m.Capacity(i, t-1)
			after, _ := m.Capacity(i, t)
			if limited && after <= before { // machines may take turns
				return true
			}
		}
	}
	return false
}
