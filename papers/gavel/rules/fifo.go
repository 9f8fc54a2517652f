package rules

import "github.com/marigram/marigram/policies/schedulers/share"

// FastestFIFO (fifo_perf) gives jobs, first come first served, GPUs of the model on which they
// are fastest of those that are free. It decides anew each time, so that jobs move.
type FastestFIFO struct {
	free []int
}

// none is the model of a job that finds no GPUs.
const none = -1

// Share implements share.Rule.
func (f *FastestFIFO) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	f.free = append(f.free[:0], in.GPUs...)
	left := 0
	for _, n := range in.GPUs {
		left += n
	}
	next := 0 // the first job that is not looked at
	for ; next < len(in.Jobs) && left > 0; next++ {
		j := &in.Jobs[next]
		own := x.Add(next, len(in.GPUs))
		m, fits := f.fastest(j)
		if !fits {
			next++ // it is left out
			break
		}
		if j.Speed[m] > 0 {
			f.free[m] -= j.GPUs
			left -= j.GPUs
			own[m] = 1
		}
	}
	for i := next; i < len(in.Jobs); i++ {
		x.Add(i, len(in.GPUs))
	}
}

// fastest returns the model with enough free GPUs on which a job is fastest.
func (f *FastestFIFO) fastest(j *share.Job) (model int, fits bool) {
	model = none
	for m, n := range f.free {
		if n >= j.GPUs && (model == none || j.Speed[m] > j.Speed[model]) {
			model = m
		}
	}
	return model, model != none
}
