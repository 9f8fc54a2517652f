package share

// linear is a program over the shares of the jobs of an input: a variable a job and model on
// which it runs, and further ones behind them.
type linear struct {
	program
	at    [][]int // by job and model: the variable, none where the job does not run
	speed [][]float64
}

// set makes l the program of the jobs' shares, with n further variables.
func (l *linear) set(in *Input, speed [][]float64, further int) (first int) {
	l.at, l.speed = l.at[:0], speed
	n := 0
	for i := range in.Jobs {
		var at []int
		for m := range in.GPUs {
			if speed[i][m] > 0 && in.GPUs[m] > 0 {
				at = append(at, n)
				n++
			} else {
				at = append(at, none)
			}
		}
		l.at = append(l.at, at)
	}
	l.reset(n + further)
	for i := range in.Jobs {
		l.sum(l.row(1), i, 1)
	}
	for m, gpus := range in.GPUs {
		row := l.row(float64(gpus))
		for i := range in.Jobs {
			if v := l.at[i][m]; v != none {
				row[v] = float64(in.Jobs[i].GPUs)
			}
		}
	}
	return n
}

// sum adds a multiple of the time of a job to a row.
func (l *linear) sum(row []float64, i int, by float64) {
	for _, v := range l.at[i] {
		if v != none {
			row[v] += by
		}
	}
}

// work adds a multiple of the speed of a job to a row.
func (l *linear) work(row []float64, i int, by float64) {
	for m, v := range l.at[i] {
		if v != none {
			row[v] += by * l.speed[i][m]
		}
	}
}

// shares puts a solution into x.
func (l *linear) shares(in *Input, solution []float64, x *Shares) {
	x.Reset()
	for i := range in.Jobs {
		share := x.Add(Unit{i, Alone}, len(in.GPUs))
		for m, v := range l.at[i] {
			if v != none {
				share[m] = solution[v]
			}
		}
	}
}

// Speeds returns the jobs' speeds.
func (in *Input) Speeds() [][]float64 {
	out := make([][]float64, len(in.Jobs))
	for i := range in.Jobs {
		out[i] = in.Jobs[i].Speed
	}
	return out
}

// Alike returns a speed for every model of which there are GPUs: that of a model, or 1 where it
// is below 0. Models on which a job does not run are taken for others.
func (in *Input) Alike(model int) [][]float64 {
	out := make([][]float64, len(in.Jobs))
	for i := range out {
		out[i] = make([]float64, len(in.GPUs))
		for m := range out[i] {
			out[i][m] = 1
			if model >= 0 {
				out[i][m] = in.Jobs[i].Speed[model]
			}
		}
	}
	return out
}

// total is the work of a share a second.
func total(speed, x []float64) float64 {
	sum := 0.0
	for m, v := range x {
		sum += speed[m] * v
	}
	return sum
}
