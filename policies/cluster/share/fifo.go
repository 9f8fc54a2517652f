package share

import (
	"slices"

	"github.com/marigram/marigram/internal/pyrandom"
)

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
	packedGain = 1.5 // sum of speeds beside each other over speeds alone
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

// pack puts jobs beside others, beginning with the first that was not looked at, until one
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

// partner returns the place in scheduled of the job beside which job i is to run, none for none.
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

// gain is the sum of two jobs' speeds beside each other over their speeds alone; what does
// not run counts as 0.
func (in *Input) gain(a, b, model int) float64 {
	of, beside := in.Together(a, b, model)
	sum := 0.0
	if of > 0 {
		sum += of / in.Jobs[a].Speed[model]
	}
	if beside > 0 {
		sum += beside / in.Jobs[b].Speed[model]
	}
	return sum
}

// FIFO (fifo) gives a job GPUs of a model, first come first served, and leaves them to it until
// it is done, whatever its speed there. It is the public code's, as released: a job that is done
// hands its GPUs to the first that waits before the GPUs of later jobs are counted, so that a model
// may get more jobs than it has GPUs; and the model that a job gets is always the last by name of
// those with a free GPU, whatever fits.
type FIFO struct {
	random *pyrandom.Rand
	on     []placed // in order of jobs
}

// placed is a job and the model that it is on.
type placed struct{ id, model int }

// NewFIFO returns the rule with the random numbers of a seed.
func NewFIFO(seed int64) *FIFO { return &FIFO{random: pyrandom.New(seed)} }

// Share implements Rule.
func (f *FIFO) Share(in *Input, x *Shares) {
	var queue []int // places of the jobs that are on no model
	for i := range in.Jobs {
		if f.find(in.Jobs[i].ID) == none {
			queue = append(queue, i)
		}
	}
	free := slices.Clone(in.GPUs)
	queue = f.inherit(in, free, queue)
	f.start(in, free, queue)
	x.Reset()
	for i := range in.Jobs {
		share := x.Add(Unit{i, Alone}, len(in.GPUs))
		if k := f.find(in.Jobs[i].ID); k != none {
			share[f.on[k].model] = 1
		}
	}
}

// Clone implements Rememberer.
func (f *FIFO) Clone() Rule { return &FIFO{f.random.Clone(), slices.Clone(f.on)} }

// find returns the place of a job in f.on.
func (f *FIFO) find(id int) int {
	return slices.IndexFunc(f.on, func(p placed) bool { return p.id == id })
}

// inherit walks the jobs that have GPUs, and hands those of jobs that are done to the first of
// the queue. It returns the rest of the queue.
func (f *FIFO) inherit(in *Input, free, queue []int) []int {
	walk := slices.Clone(f.on)
	for _, p := range walk {
		if at, there := slices.BinarySearchFunc(in.Jobs, p.id, func(j Job, id int) int { return j.ID - id }); there {
			free[p.model] -= in.Jobs[at].GPUs
			continue
		}
		if len(queue) > 0 {
			if j := &in.Jobs[queue[0]]; j.GPUs <= free[p.model] && j.Speed[p.model] > 0 {
				queue = queue[1:]
				f.add(placed{j.ID, p.model})
				free[p.model] -= j.GPUs
			}
		}
		k := f.find(p.id)
		f.on = slices.Delete(f.on, k, k+1)
	}
	return queue
}

// add keeps f.on in order of jobs.
func (f *FIFO) add(p placed) {
	at, _ := slices.BinarySearchFunc(f.on, p.id, func(q placed, id int) int { return q.id - id })
	f.on = slices.Insert(f.on, at, p)
}

// start gives GPUs to jobs of the queue while there are any.
func (f *FIFO) start(in *Input, free, queue []int) {
	var models, fit []int
	for m, n := range free {
		if n > 0 {
			models = append(models, m)
		}
	}
	for len(queue) > 0 && len(models) > 0 {
		j := &in.Jobs[queue[0]]
		queue = queue[1:]
		fit = fit[:0]
		for k, m := range models {
			if free[m] >= j.GPUs {
				fit = append(fit, k)
			}
		}
		if len(fit) == 0 {
			return
		}
		r := f.random.Below(len(fit))
		m := models[len(models)-1]
		if j.Speed[m] <= 0 {
			continue
		}
		f.add(placed{j.ID, m})
		if free[m] -= j.GPUs; free[m] == 0 {
			models = slices.Delete(models, fit[r], fit[r]+1)
		}
	}
}
