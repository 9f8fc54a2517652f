package share

import "slices"

// FastestFIFO (fifo_perf) gives jobs, first come first served, GPUs of the model on which they
// are fastest of those that are free. It decides anew each time, so that jobs move.
type FastestFIFO struct {
	// Pack lets jobs that find no GPUs share those of others (fifo_packed): of the jobs with as
	// many GPUs, that with which both together are the fastest, if that is more than 1.5 times
	// one alone.
	Pack bool

	free []int
	on   []int // by job that was looked at: the model that it is on, none if there is none
}

const (
	none       = -1
	packedGain = 1.5 // sum of speeds together over speeds alone
)

// Share implements Rule.
func (f *FastestFIFO) Share(in *Input, x *Shares) {
	x.Reset()
	f.free = append(f.free[:0], in.GPUs...)
	f.on = f.on[:0]
	left := in.all()
	next := 0 // the first job that is not looked at
	for ; next < len(in.Jobs) && left > 0; next++ {
		j := &in.Jobs[next]
		f.on = append(f.on, none)
		x.Add(Unit{next, Alone}, len(in.GPUs))
		m, fits := f.fastest(j)
		if !fits {
			next++ // it is left out
			break
		}
		if j.Speed[m] > 0 {
			f.on[next] = m
			f.free[m] -= j.GPUs
			left -= j.GPUs
			x.X[next][m] = 1
		}
	}
	for i := next; i < len(in.Jobs); i++ {
		x.Add(Unit{i, Alone}, len(in.GPUs))
	}
	if f.Pack {
		f.pack(in, x, next)
	}
}

// fastest returns the model with enough free GPUs on which a job is fastest.
func (f *FastestFIFO) fastest(j *Job) (model int, fits bool) {
	model = none
	for m, n := range f.free {
		if n >= j.GPUs && (model == none || j.Speed[m] > j.Speed[model]) {
			model = m
		}
	}
	return model, model != none
}

// pack puts jobs on the GPUs of others, beginning with the first that was not tried, until one
// finds none. A job that did not fit into what was free is left out.
func (f *FastestFIFO) pack(in *Input, x *Shares, first int) {
	var scheduled []int
	for i, m := range f.on {
		if m != none {
			scheduled = append(scheduled, i)
		}
	}
	for i := first; i < len(in.Jobs); i++ {
		at := f.partner(in, scheduled, i)
		if at == none {
			return
		}
		a := scheduled[at]
		scheduled = slices.Delete(scheduled, at, at+1)
		m := f.on[a]
		x.X[a][m] = 0
		x.Add(Unit{min(a, i), max(a, i)}, len(in.GPUs))[m] = 1
	}
}

// partner returns the place in scheduled of the job with which job i is to share GPUs, none for none.
func (f *FastestFIFO) partner(in *Input, scheduled []int, i int) int {
	best, at := packedGain, none
	for k, a := range scheduled {
		if in.Jobs[a].GPUs != in.Jobs[i].GPUs {
			continue
		}
		if gain := in.gain(a, i, f.on[a]); gain > best {
			best, at = gain, k
		}
	}
	return at
}

// gain is the sum of two jobs' speeds together over their speeds alone; what does
// not run counts as 0.
func (in *Input) gain(a, b, model int) float64 {
	of, other := in.Together(a, b, model)
	sum := 0.0
	if of > 0 {
		sum += of / in.Jobs[a].Speed[model]
	}
	if other > 0 {
		sum += other / in.Jobs[b].Speed[model]
	}
	return sum
}
