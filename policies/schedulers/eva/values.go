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

// beside returns what a task has as its value together with others, whose list it is told. with has room for one more.
func (p *Planner) beside(list int32, with []*Task, t *Task, whole bool) listed {
	w := &p.values[0]
	if whole {
		w = &p.values[1]
	}
	if w.next == nil {
		w.next = map[step]listed{}
	}
	if n := p.Speed.changes(); n != w.learned {
		w.forget()
		w.learned = n
	}
	at := step{list, int32(t.Kind)}
	x, known := w.next[at]
	if !known {
		w.lists++
		x = listed{w.lists, p.Value(append(with, t), whole)}
		w.next[at] = x
	}
	return x
}
