package reference

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
