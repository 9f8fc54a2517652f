package share

// Running is the part of an input whose jobs run on GPUs that there are. Where a spot pool is full, a job may run on none: it has no speed
// whatever is shared out, so that the least of all speeds is 0 under any shares, and says nothing about those of the others.
type Running struct {
	in Input
	at []int // places in the whole input
}

// Of returns an input without the jobs that run on no GPUs that there are: the same one where all run.
func (a *Running) Of(in *Input) *Input {
	a.at = a.at[:0]
	for i := range in.Jobs {
		if in.runs(i) {
			a.at = append(a.at, i)
		}
	}
	if len(a.at) == len(in.Jobs) {
		return in
	}
	a.in = Input{GPUs: in.GPUs, Price: in.Price, Jobs: a.in.Jobs[:0]}
	for _, i := range a.at {
		a.in.Jobs = append(a.in.Jobs, in.Jobs[i])
	}
	if in.Together != nil {
		a.in.Together = func(k, l, model int) (of, other float64) { return in.Together(a.at[k], a.at[l], model) }
	}
	return &a.in
}

// runs reports whether a job runs on GPUs that there are.
func (in *Input) runs(i int) bool {
	for m, n := range in.GPUs {
		if n > 0 && in.Jobs[i].Speed[m] > 0 {
			return true
		}
	}
	return false
}

// Only leaves the values of these jobs, of one by job of the whole input.
func (a *Running) Only(values []float64) []float64 {
	for k, i := range a.at {
		values[k] = values[i]
	}
	return values[:len(a.at)]
}

// Back gives units their jobs' places in the whole input.
func (a *Running) Back(x *Shares) {
	for k := range x.Units {
		u := &x.Units[k]
		u.A = a.at[u.A]
		if u.B != Alone {
			u.B = a.at[u.B]
		}
	}
}
