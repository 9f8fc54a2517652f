package share

// Isolated gives every job the same part of the cluster.
type Isolated struct{}

// Share implements Rule.
func (Isolated) Share(in *Input, x *Shares) {
	x.Reset()
	for i := range in.Jobs {
		in.isolated(i, x.Add(Unit{i, Alone}, len(in.GPUs)))
	}
}

// isolated is the share of a job that has an equal part of the cluster for itself.
func (in *Input) isolated(i int, x []float64) {
	for m, n := range in.GPUs {
		x[m] = float64(n) / float64(len(in.Jobs)) / float64(in.Jobs[i].GPUs)
	}
	wholeTime(x)
}

// wholeTime divides a share that is more than the whole time.
func wholeTime(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	if sum > 1 {
		for m := range x {
			x[m] /= sum
		}
	}
}
