package reference

import (
	"math"
	"slices"
)

// place gives a job its GPUs, all or none.
func (r *run) place(j int) {
	n := r.Jobs[j].GPUs
	wait := r.now - r.jobs[j].last
	if r.Tiresias {
		r.placeTiresias(j)
		return
	}
	if r.within(j, r.GPUs) || r.within(j, r.machine()) {
		r.waits.note(0, n, wait/r.Lease, r.now)
		return
	}
	rack, network := r.timers(n)
	if wait >= r.Lease*rack || n > r.machine() {
		if r.within(j, r.rack()) {
			r.waits.note(1, n, wait/r.Lease, r.now)
			return
		}
	}
	if wait >= r.Lease*network || n > r.rack() {
		r.within(j, r.all())
	}
}

// placeTiresias places a job without a look at slots. The test for one rack is the public
// code's, which compares the free GPUs of the cluster.
func (r *run) placeTiresias(j int) {
	if r.within(j, r.machine()) {
		return
	}
	spread := r.Jobs[j].Spread
	if (r.free+1 > r.machine() || spread) && r.within(j, r.rack()) {
		return
	}
	if r.Jobs[j].GPUs > r.rack() || spread {
		r.within(j, r.all())
	}
}

// within gives a job the first free GPUs of the first group of a size that has enough.
func (r *run) within(j, size int) bool {
	n := r.Jobs[j].GPUs
	for first := 0; first < len(r.busy); first += size {
		free := 0
		for _, b := range r.busy[first : first+size] {
			if !b {
				free++
			}
		}
		if free >= n {
			r.take(j, first)
			return true
		}
	}
	return false
}

// take gives a job the first free GPUs from one on.
func (r *run) take(j, first int) {
	x := &r.jobs[j]
	for g := first; len(x.gpus) < r.Jobs[j].GPUs; g++ {
		if !r.busy[g] {
			r.busy[g] = true
			x.gpus = append(x.gpus, g)
		}
	}
	r.free -= len(x.gpus)
	x.lease = r.now + r.Lease
}

// timers returns how long a job of n GPUs waits for one machine and for one rack, in leases.
func (r *run) timers(n int) (rack, network float64) {
	if r.Rack >= 0 || r.Network >= 0 {
		return float64(r.Rack), float64(r.Network)
	}
	return min(math.Ceil(0.8*r.History), max(6, math.Ceil(r.waits.stat(0, n)))), min(r.History, max(12, math.Ceil(r.waits.stat(1, n))))
}

// note remembers a wait of at least a lease, and forgets old ones: in a walk that passes over
// the one behind each that it drops, as in the public code.
func (t *tuner) note(where, n int, leases, now float64) {
	if leases < 1 {
		return
	}
	if t.waits == nil {
		t.waits = map[[2]int][]wait{}
	}
	list := append(t.waits[[2]int{where, n}], wait{leases, now})
	for i := 0; i < len(list); i++ {
		if list[i].at < now-t.span {
			list = slices.Delete(list, i, i+1)
		}
	}
	t.waits[[2]int{where, n}] = list
}

// stat is the mean wait and twice its standard deviation; 1 without waits.
func (t *tuner) stat(where, n int) float64 {
	list := t.waits[[2]int{where, n}]
	sum := 0.0
	for _, w := range list {
		sum += w.leases
	}
	if sum == 0 {
		return 1
	}
	mean, square := sum/float64(len(list)), 0.0
	for _, w := range list {
		square += (w.leases - mean) * (w.leases - mean)
	}
	return mean + 2*math.Sqrt(square/float64(len(list)))
}
