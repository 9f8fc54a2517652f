package sim

// Get returns the instant for which slot's timer is set, Never if it is not.
func (t *Timers) Get(slot int) Time { return t.of(slot) }
