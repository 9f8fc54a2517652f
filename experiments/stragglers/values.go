package stragglers

import "fmt"

// Value is a number of an analysis by name, as the authors of the analysis call it.
type Value struct {
	What  string  `json:"what"`
	Step  *int64  `json:"step,omitempty"` // nil: of all steps
	Key   string  `json:"key,omitempty"`  // type, dp rank, stage, worker (dp rank/stage) or part of a metric
	Value float64 `json:"value"`
}

// Values lists all numbers of the analysis.
func (a *Analysis) Values() []Value {
	var list valueList
	list.add("S", "", a.S)
	list.steps("S_step", "", a.Job.Steps, ratios(a.OriginalS, a.IdealS))
	list.add("discrepancy", "", ratio(a.RecordedS, a.OriginalS))
	list.steps("discrepancy_step", "", a.Job.Steps, ratios(a.RecordedS, a.OriginalS))
	list.steps("step_s_recorded", "", a.Job.Steps, a.RecordedS)
	list.steps("step_s_original", "", a.Job.Steps, a.OriginalS)
	list.steps("step_s_ideal", "", a.Job.Steps, a.IdealS)
	for _, part := range []struct {
		what   string
		shares []Share
	}{{"S_type", a.Types}, {"S_dp", a.Ranks}, {"S_stage", a.Stages}} {
		for _, share := range part.shares {
			list.add(part.what, share.Name, share.S)
			list.steps(part.what+"_step", share.Name, a.Job.Steps, share.Steps)
		}
	}
	list.removed("M_W", &a.MW)
	list.removed("M_S", &a.MS)
	for worker, gain := range a.Replaced {
		list.add("if_replaced", a.Job.WorkerName(worker), gain)
	}
	list.add("zero_pp", "", a.NoPipeline)
	list.add("zero_dp", "", a.NoReplicas)
	list.add("even_micro_batches", "", a.EvenBatches)
	list.add("even_stages", "", a.EvenStages)
	for worker, factor := range a.Factors {
		list.add("factor", a.Job.WorkerName(worker), factor.Compute)
	}
	return list
}

// WorkerName names a worker: dp rank/stage.
func (j *Job) WorkerName(worker int) string { return fmt.Sprintf("%d/%d", worker/j.PP, worker%j.PP) }

type valueList []Value

func (l *valueList) add(what, key string, value float64) {
	*l = append(*l, Value{What: what, Key: key, Value: value})
}

func (l *valueList) steps(what, key string, steps []int64, values []float64) {
	for i, value := range values {
		*l = append(*l, Value{what, &steps[i], key, value})
	}
}

func (l *valueList) removed(what string, r *Removed) {
	l.add(what, "tori", r.OriginalS)
	l.add(what, "tideal", r.IdealS)
	l.add(what, "trem", r.WithoutS)
	l.add(what, "tadd", r.OnlyS)
	l.add(what, "rem", r.Share())
	l.add(what, "add", r.Alone())
}
