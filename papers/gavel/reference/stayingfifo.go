package reference

import (
	"slices"

	"github.com/marigram/marigram/internal/pyrandom"
	"github.com/marigram/marigram/policies/schedulers/share"
)

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

// Share implements share.Rule.
func (f *FIFO) Share(in *share.Input, x *share.Shares) {
	var queue []int // places of the jobs that are on no model
	for i := range in.Jobs {
		if f.find(in.Jobs[i].ID) < 0 {
			queue = append(queue, i)
		}
	}
	free := slices.Clone(in.GPUs)
	queue = f.inherit(in, free, queue)
	f.start(in, free, queue)
	x.Reset()
	for i := range in.Jobs {
		own := x.Add(i, len(in.GPUs))
		if k := f.find(in.Jobs[i].ID); k >= 0 {
			own[f.on[k].model] = 1
		}
	}
}

// Clone implements share.Rememberer.
func (f *FIFO) Clone() share.Rule { return &FIFO{f.random.Clone(), slices.Clone(f.on)} }

// find returns the place of a job in f.on.
func (f *FIFO) find(id int) int {
	return slices.IndexFunc(f.on, func(p placed) bool { return p.id == id })
}

// inherit walks the jobs that have GPUs, and hands those of jobs that are done to the first of
// the queue. It returns the rest of the queue.
func (f *FIFO) inherit(in *share.Input, free, queue []int) []int {
	walk := slices.Clone(f.on)
	for _, p := range walk {
		if at, there := slices.BinarySearchFunc(in.Jobs, p.id, func(j share.Job, id int) int { return j.ID - id }); there {
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
func (f *FIFO) start(in *share.Input, free, queue []int) {
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
