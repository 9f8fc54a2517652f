package eva

// values remembers the value of the tasks on one instance together, by their kinds in the order in which they were put there, until
// something is learned: many types are tried with the same tasks.
type values struct {
	learned int             // Speeds.learned when it was worked out
	next    map[step]listed // the list of kinds with one more
	lists   int32
}

// step is a list of kinds, 0 for none, and the kind that is put to it.
type step struct{ list, kind int32 }

// listed is a list of kinds, and what they have as their value together, USD per hour.
type listed struct {
	list  int32
	value float64
}

func (w *values) forget() {
	clear(w.next)
	w.lists = 0
}
