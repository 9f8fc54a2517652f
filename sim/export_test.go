package sim

// Get returns the instant for which slot's timer is set, Never if it is not.
func (t *Timers) Get(slot int) Time { return t.of(slot) }

// Next is the instant of First, or one later than all that can be set.
func (t *Timers) Next() Time { return t.next() }

// ImagineTruth is View.Imagine of what will come, with all that the world has decided.
func (v View) ImagineTruth(dst *World, policy Policy) {
	w := v.w
	v.Imagine(dst, w.market, w.cfg.Seed, policy)
	dst.fleet.copyFrom(&w.fleet)
	dst.end = w.end
	dst.resetTimers()
}

// Redraw has the world draw from now on as under another seed, the boots of what starts
// included, and decide otherwise about what it has told nobody yet.
func (v View) Redraw(seed uint64) {
	w := v.w
	w.rand = Rand{seed}
	for p := range w.pools {
		s := &w.market.series[p]
		w.pools[p].bootTimes, w.pools[p].picks = w.rand.Stream(PurposeBoot, s.entity), w.rand.Stream(PurposeVictim, s.entity)
		w.pools[p].victims += 3
	}
	for i := range w.inst[:w.live] {
		if x := &w.inst[i]; x.state == instanceStarting && w.market.pools[x.pool].Boot.Sigma > 0 {
			x.ready += 7e6
			w.setInstanceTimer(int32(i), &w.inst[i])
		}
	}
}

// Skip has a world that is at its start meet every record, or pass over those that cannot matter, however few there
// are.
func (w *World) Skip(skips bool) {
	if skips {
		w.market.index()
	}
	w.goThrough(skips)
}
