package stragglers

// measure works out what each operation needs (Lin et al., section 3.2): computing its duration; what transfers in a
// group, the time from the latest start of the group to its own end, as float32. One that is at or below -10 ms is a
// fault of clocks: 0.
func (j *Job) measure() {
	const fault = -0.01
	j.own = make([]float64, len(j.start))
	latest := make([]float32, j.cells())
	for _, g := range j.groups {
		if g.alone {
			for i := range j.cells() {
				at := j.at(g.nodes[0]) + i
				j.own[at] = float64(j.duration[at])
			}
			continue
		}
		for k, n := range g.nodes {
			for i, start := range j.start[j.at(n):j.at(n+1)] {
				if k == 0 || start > latest[i] {
					latest[i] = start
				}
			}
		}
		if g.across {
			spread(latest, j.DP)
		}
		for _, n := range g.nodes {
			for i := range latest {
				at := j.at(n) + i
				end := j.start[at] + j.duration[at]
				if needs := float64(end - latest[i]); needs > fault {
					j.own[at] = needs
				}
			}
		}
	}
}

// spread gives all dp ranks of a step the greatest of their values.
func spread[V float32 | float64](values []V, ranks int) {
	for first := 0; first < len(values); first += ranks {
		step := values[first : first+ranks]
		greatest := step[0]
		for _, value := range step {
			greatest = max(greatest, value)
		}
		for i := range step {
			step[i] = greatest
		}
	}
}

// choice says what the operations of a node need on a dp rank: seconds that are the same in all steps, and a share of
// what was recorded.
type choice func(node, rank int) (fixed, share float64)

// recordedOf is the choice of what was recorded.
func recordedOf(int, int) (fixed, share float64) { return 0, 1 }

// simulate returns the seconds of each step, with what the operations need as it is chosen.
func (j *Job) simulate(chosen choice) []float64 {
	steps := make([]float64, len(j.Steps))
	for i, end := range j.ends(chosen) {
		step := i % j.cells() / j.DP
		steps[step] = max(steps[step], end)
	}
	return steps
}

// ends returns when the operations end. An operation starts when all before it have ended; a group ends when all of it
// have started and transferred.
func (j *Job) ends(chosen choice) []float64 {
	ends := make([]float64, len(j.own))
	starts := make([]float64, j.cells())
	for _, g := range j.groups {
		clear(starts)
		for _, n := range g.nodes {
			for _, first := range j.before[n] {
				for i, end := range ends[j.at(int(first)):j.at(int(first)+1)] {
					starts[i] = max(starts[i], end)
				}
			}
		}
		if g.across {
			spread(starts, j.DP)
		}
		for _, n := range g.nodes {
			for rank := range j.DP {
				fixed, share := chosen(n, rank)
				for i := rank; i < len(starts); i += j.DP {
					ends[j.at(n)+i] = starts[i] + fixed + share*j.own[j.at(n)+i]
				}
			}
		}
	}
	return ends
}

// Bar is an operation that computes, in one step of a simulation.
type Bar struct {
	Stage      int
	Backward   bool
	FromS, ToS float64
}

// Bars returns what a dp rank computes in a step, by its index in Steps, as it was and in the ideal job.
func (a *Analysis) Bars(step, rank int) (original, ideal []Bar) {
	return a.Job.bars(recordedOf, step, rank), a.Job.bars(a.Job.idealBut(a.ideal, nothing), step, rank)
}

func (j *Job) bars(chosen choice, step, rank int) (bars []Bar) {
	ends := j.ends(chosen)
	for n, one := range j.nodes {
		if computes(one.kind) {
			at := j.at(n) + step*j.DP + rank
			fixed, share := chosen(n, rank)
			bars = append(bars, Bar{int(one.stage), one.kind == backward, ends[at] - fixed - share*j.own[at], ends[at]})
		}
	}
	return bars
}
