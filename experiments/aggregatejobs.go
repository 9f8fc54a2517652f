package experiments

import (
	"github.com/marigram/marigram/experiments/results"
)

// JobsAggregate sums up the runs of one policy with many jobs: means of the runs. Times are seconds;
// null where no run has the number.
type JobsAggregate struct {
	Jobs        float64  `json:"jobs"`
	Done        float64  `json:"jobs_done"`
	JCTMeanS    *Spread  `json:"jct_mean_s"` // of the runs' means
	JCTP50S     *float64 `json:"jct_p50_s"`
	JCTP95S     *float64 `json:"jct_p95_s"`
	JCTP99S     *float64 `json:"jct_p99_s"`
	QueueMeanS  *float64 `json:"queue_mean_s"`
	MakespanS   *float64 `json:"makespan_s"` // of the runs in which all jobs were done
	Utilisation *float64 `json:"utilisation"`
	Suspensions float64  `json:"suspensions"`
	Preemptions float64  `json:"job_preemptions"`
	Moves       float64  `json:"job_moves"`
	Deadlines   float64  `json:"deadlines"`
	Punctual    float64  `json:"deadlines_met"`
	FTFMean     *float64 `json:"ftf_mean"`
	FTFMax      *float64 `json:"ftf_max"`
}

// aggregateJobs returns nil for runs of one job.
func aggregateJobs(rows []results.Summary) *JobsAggregate {
	if !rows[0].ManyJobs() {
		return nil
	}
	n := float64(len(rows))
	a := &JobsAggregate{}
	var jct []float64
	for i := range rows {
		r := &rows[i]
		a.Jobs += float64(r.Jobs) / n
		a.Done += float64(r.JobsDone) / n
		a.Suspensions += float64(r.Suspensions) / n
		a.Preemptions += float64(r.JobsStopped) / n
		a.Moves += float64(r.JobMoves) / n
		a.Deadlines += float64(r.Deadlines) / n
		a.Punctual += float64(r.Punctual) / n
		if r.JCTMeanS != nil {
			jct = append(jct, *r.JCTMeanS)
		}
	}
	of := func(value func(*results.Summary) *float64) *float64 {
		var all []float64
		for i := range rows {
			if x := value(&rows[i]); x != nil {
				all = append(all, *x)
			}
		}
		return meanOf(all)
	}
	a.JCTMeanS = spread(jct)
	a.JCTP50S = of(func(r *results.Summary) *float64 { return r.JCTP50S })
	a.JCTP95S = of(func(r *results.Summary) *float64 { return r.JCTP95S })
	a.JCTP99S = of(func(r *results.Summary) *float64 { return r.JCTP99S })
	a.QueueMeanS = of(func(r *results.Summary) *float64 { return r.QueueMeanS })
	a.MakespanS = of(func(r *results.Summary) *float64 { return r.FinishS })
	a.Utilisation = of(func(r *results.Summary) *float64 { return r.Utilisation })
	a.FTFMean = of(func(r *results.Summary) *float64 { return r.FTFMean })
	a.FTFMax = of(func(r *results.Summary) *float64 { return r.FTFMax })
	return a
}
