package sim

// membersOf returns the slots of the pool's instances, in ascending order.
func (w *World) membersOf(pool *poolState) []int32 {
	return w.members[pool.first : pool.first+pool.alive]
}

// join puts instance i among those of its pool.
func (w *World) join(pool *poolState, i int32) {
	pool.alive++
	at := w.membersOf(pool)
	k := len(at) - 1
	for ; k > 0 && at[k-1] > i; k-- {
		at[k] = at[k-1]
	}
	at[k] = i
}

// leave takes instance i from those of its pool.
func (w *World) leave(pool *poolState, i int32) {
	at := w.membersOf(pool)
	k := 0
	for at[k] != i {
		k++
	}
	copy(at[k:], at[k+1:])
	pool.alive--
}

// newest returns the instance of job j in pool p that is released first: one
// that still starts before a ready one, then the one granted last.
func (w *World) newest(j, p int) int32 {
	best := int32(-1)
	for _, i := range w.membersOf(&w.pools[p]) {
		x := &w.inst[i]
		if int(x.job) != j || x.announced {
			continue
		}
		if best < 0 || x.state < w.inst[best].state ||
			x.state == w.inst[best].state && x.ordinal > w.inst[best].ordinal {
			best = i
		}
	}
	return best
}
