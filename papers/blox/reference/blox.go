// Package reference replays the simulator of Blox (EuroSys 2024; msr-fiddle/blox, MIT) as it counts:
// rounds, a list of jobs in the order of a policy, and GPUs given out from the head of that list.
// For claims only. A preemption costs nothing there, and a job is as fast wherever it is placed.
package reference

import (
	"cmp"
	"fmt"
	"slices"
)

// Policy is the order in which jobs get GPUs.
type Policy int

// The policies of the recorded runs. Equal jobs keep the order of their arrival.
const (
	FIFO Policy = iota // by arrival
	LAS                // least time run so far first; the number of GPUs does not count
	SRTF               // least time left first
)

// Job is a gang; times are in seconds.
type Job struct {
	Arrival  int // >= 0, not before that of the job before
	GPUs     int // > 0
	Duration int // > 0: time with its GPUs
}

// Config is a simulation.
type Config struct {
	Policy   Policy
	Machines int
	PerNode  int // GPUs of a machine
	Round    int // seconds between two decisions
	Jobs     []Job
}

// state is what is known of a job.
type state struct {
	ran    int   // seconds; whole rounds
	gpus   []int // where it runs, nil where it waits
	done   bool
	placed bool // it got its GPUs in this round, which cannot be taken back in it
}

// run is a simulation on its way.
type run struct {
	Config
	state []state
	busy  []bool // by GPU; those of a machine are beside each other
}

// Run returns the second at which each job's end is seen, which is the end of a round.
// It panics where the cluster has fewer GPUs than a job needs.
func Run(c Config) []int {
	r := &run{Config: c, state: make([]state, len(c.Jobs)), busy: make([]bool, c.Machines*c.PerNode)}
	for i, j := range c.Jobs {
		if j.GPUs > len(r.busy) {
			panic(fmt.Sprintf("blox: job %d needs %d GPUs, the cluster has %d", i, j.GPUs, len(r.busy)))
		}
	}
	ends := make([]int, len(c.Jobs))
	for now, left := 0, len(ends); left > 0; now += r.Round {
		for _, i := range r.over() {
			ends[i] = now
			left--
		}
		r.decide(r.order(now))
	}
	return ends
}

// over books a round for each job that runs, and ends those whose duration is over.
func (r *run) over() (ended []int) {
	for i := range r.state {
		s := &r.state[i]
		s.placed = false
		if s.gpus == nil {
			continue
		}
		if s.ran += r.Round; s.ran >= r.Jobs[i].Duration {
			r.free(i)
			s.done = true
			ended = append(ended, i)
		}
	}
	return ended
}

// order lists the jobs that are there and not done.
func (r *run) order(now int) (list []int) {
	for i, j := range r.Jobs {
		if j.Arrival <= now && !r.state[i].done {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(r.key(a), r.key(b)) })
	return list
}

func (r *run) key(i int) int {
	switch r.Policy {
	case LAS:
		return r.state[i].ran
	case SRTF:
		return r.Jobs[i].Duration - r.state[i].ran
	}
	return r.Jobs[i].Arrival
}

// decide walks the list: a job that waits takes free GPUs, or those of the last jobs of the list that run. The
// first job that gets none ends the walk; what was taken for it stays taken.
func (r *run) decide(list []int) {
	for at, i := range list {
		if r.state[i].gpus != nil {
			continue
		}
		gpus := r.find(r.Jobs[i].GPUs)
		for last := len(list) - 1; gpus == nil && last > at; last-- {
			if s := &r.state[list[last]]; s.gpus != nil && !s.placed {
				r.free(list[last])
				gpus = r.find(r.Jobs[i].GPUs)
			}
		}
		if gpus == nil {
			return
		}
		r.take(i, gpus)
	}
}

// find gathers n free GPUs machine by machine, at most n of each. As released, the sum must meet n exactly at a
// machine's end: a job of 4 GPUs is not placed where the first machine with free GPUs has 3 and the next 4.
func (r *run) find(n int) (gpus []int) {
	for node := range r.Machines {
		taken := 0
		for g := node * r.PerNode; g < (node+1)*r.PerNode && taken < n; g++ {
			if !r.busy[g] {
				gpus = append(gpus, g)
				taken++
			}
		}
		if len(gpus) == n {
			return gpus
		}
	}
	return nil
}

func (r *run) take(i int, gpus []int) {
	r.state[i].gpus, r.state[i].placed = gpus, true
	for _, g := range gpus {
		r.busy[g] = true
	}
}

func (r *run) free(i int) {
	for _, g := range r.state[i].gpus {
		r.busy[g] = false
	}
	r.state[i].gpus = nil
}
