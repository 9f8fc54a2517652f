package sim

// Get returns the instant for which slot's timer is set, Never if it is not.
func (t *Timers) Get(slot int) Time {
	if t.wide {
		return t.at[slot]
	}
	if key := t.node[t.leaf+slot]; key != noKey {
		return Time(key >> t.shift)
	}
	return Never
}
