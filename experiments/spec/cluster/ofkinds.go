package cluster

// OfKinds says how many jobs of the kinds of model.gang.tasks come, and how long they are.
type OfKinds struct {
	Jobs     int     `json:"jobs" jsonschema:"number of jobs"`
	MeanGapS float64 `json:"mean_gap_s,omitempty" jsonschema:"mean time between two submissions (exponential); 0 or absent: all at once"`
	MedianH  float64 `json:"median_h" jsonschema:"median of the hours that a job takes alone (lognormal)"`
	Sigma    float64 `json:"sigma,omitempty" jsonschema:"standard deviation of the logarithm of the hours; 0 if absent"`
}

func (g *OfKinds) check(at At) error {
	switch {
	case g == nil:
		return nil
	case g.Jobs < 1 || g.Jobs > MaxJobs:
		return at("$.jobs.of_kinds.jobs", "%d, expected 1 to %d", g.Jobs, MaxJobs)
	case !(g.MeanGapS >= 0) || g.MeanGapS > 1e9:
		return at("$.jobs.of_kinds.mean_gap_s", "%v, expected 0 to 1e9", g.MeanGapS)
	case !(g.MedianH > 0) || g.MedianH > 1e5:
		return at("$.jobs.of_kinds.median_h", "%v, expected above 0, at most 100000", g.MedianH)
	case !(g.Sigma >= 0) || g.Sigma > 3:
		return at("$.jobs.of_kinds.sigma", "%v, expected 0 to 3", g.Sigma)
	}
	return nil
}
