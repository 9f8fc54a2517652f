// Package reference replays the simulator of Dally (arXiv 2401.16492; aakash-sharma/cluster-sim at 4cd660e) as
// it counts, with two repairs of its authors' slips: only jobs that wait bid for GPUs, and
// groups of GPUs are searched in ascending order. For claims only: its clock is floating-point seconds.
package reference

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

// Run simulates until all jobs are done.
func Run(c Config) []Result {
	r := &run{Config: c, jobs: make([]job, len(c.Jobs)), result: make([]Result, len(c.Jobs)), busy: make([]bool, c.all()), free: c.all()}
	r.waits.span = c.Lease * c.History
	for j := range c.Jobs {
		r.jobs[j].left = c.Jobs[j].Iterations
		r.later(c.Jobs[j].Arrival, arrival, j)
	}
	for len(r.events) > 0 || len(r.list) > 0 {
		if len(r.events) == 0 {
			r.later(r.now+60, auction, 0)
		}
		e := heap.Pop(&r.events).(event)
		r.now = e.at
		switch e.what {
		case arrival:
			r.arrive(e.job)
		case chunkEnd:
			r.end(e.job)
		case auction:
			r.auction()
		}
	}
	return r.result
}

// arrive adds a job to those that wait.
func (r *run) arrive(j int) {
	x := &r.jobs[j]
	x.waiting, x.last = true, r.now
	if r.free > 0 {
		r.later(r.now, auction, 0)
	}
	r.list = append(r.list, j)
}

// auction gives free GPUs to the jobs that wait.
func (r *run) auction() {
	var bidders []int
	for _, j := range r.list {
		if r.jobs[j].waiting {
			bidders = append(bidders, j)
		}
	}
	slices.SortStableFunc(bidders, func(a, b int) int {
		x, y := &r.jobs[a], &r.jobs[b]
		return cmp.Or(cmp.Compare(x.score, y.score), cmp.Compare(x.last, y.last), cmp.Compare(a, b))
	})
	for _, j := range bidders {
		if r.free == 0 {
			break
		}
		r.place(j)
	}
	for _, j := range r.list {
		if x := &r.jobs[j]; x.waiting && len(x.gpus) > 0 {
			r.result[j].Queue += r.now - x.last
			x.waiting, x.last = false, r.now
			if !x.started {
				x.started, r.result[j].Start = true, r.now
			}
			r.count(j)
			r.chunk(j)
		}
	}
}

// count counts the set of GPUs that a job has been given, if it is a new one.
func (r *run) count(j int) {
	x := &r.jobs[j]
	if set := fmt.Sprint(x.gpus); len(x.gpus) > 1 && !x.had[set] {
		if x.had == nil {
			x.had = map[string]bool{}
		}
		x.had[set] = true
		r.result[j].Sets[r.tier(x.gpus)]++
	}
}

// chunk lets a job run for a chunk.
func (r *run) chunk(j int) { r.later(r.now+r.seconds(j), chunkEnd, j) }

// end ends a chunk: the job is done, gives its GPUs back, or goes on.
func (r *run) end(j int) {
	x, s, seconds := &r.jobs[j], &r.Jobs[j], r.seconds(j)
	n := float64(s.GPUs)
	r.result[j].Run += seconds
	x.left -= r.Chunk * s.GPUs
	if r.Tiresias {
		x.score += n * seconds
	} else {
		work := 1 - float64(x.left)/float64(s.Iterations)
		x.score = work / (r.result[j].Run / (s.Seconds * float64(s.Iterations) / n))
	}
	switch {
	case x.left <= 0:
		r.result[j].End = r.now
		r.release(j)
		r.list = slices.DeleteFunc(r.list, func(k int) bool { return k == j })
		r.later(r.now+n, auction, 0)
	case r.now >= x.lease:
		r.release(j)
		x.waiting, x.last = true, r.now
		r.later(r.now+n, auction, 0)
	case r.now+seconds/n > x.lease:
		r.release(j)
		x.waiting, x.last = true, r.now
		r.later(r.now, auction, 0)
	default:
		r.chunk(j)
	}
}

// release frees the GPUs of a job.
func (r *run) release(j int) {
	x := &r.jobs[j]
	for _, g := range x.gpus {
		r.busy[g] = false
	}
	r.free += len(x.gpus)
	x.gpus = x.gpus[:0]
}
