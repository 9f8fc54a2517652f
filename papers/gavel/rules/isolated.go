package rules

import "github.com/marigram/marigram/policies/schedulers/share"

// Isolated gives every job the same part of the cluster.
type Isolated struct{}

// Share implements share.Rule.
func (Isolated) Share(in *share.Input, x *share.Shares) {
	x.Reset()
	for i := range in.Jobs {
		isolate(in, i, x.Add(i, len(in.GPUs)))
	}
}

// isolate makes part the share of job i that has an equal part of the cluster for itself.
func isolate(in *share.Input, i int, part []float64) {
	for m, n := range in.GPUs {
		part[m] = float64(n) / float64(len(in.Jobs)) / float64(in.Jobs[i].GPUs)
	}
	LimitToWholeTime(part)
}

// LimitToWholeTime divides a share that is more than the whole time by its sum.
func LimitToWholeTime(part []float64) {
	sum := 0.0
	for _, v := range part {
		sum += v
	}
	if sum > 1 {
		for m := range part {
			part[m] /= sum
		}
	}
}

// Speed returns the work of a share a second, by the job's speed on each model.
func Speed(speed, part []float64) float64 {
	sum := 0.0
	for m, v := range part {
		sum += speed[m] * v
	}
	return sum
}
