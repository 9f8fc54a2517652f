package experiments

import (
	"slices"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
)

// Aggregate sums up the runs of one policy for one objective.
type Aggregate struct {
	Objective      string             `json:"objective"`
	ObjectiveLoss  float64            `json:"objective_loss"`
	ObjectiveS     float64            `json:"objective_s"`
	ObjectiveShare *float64           `json:"objective_share,omitempty"` // of the runs that is to meet it
	Policy         string             `json:"policy"`
	Market         string             `json:"market"`
	Oracle         bool               `json:"oracle"`
	Runs           int                `json:"runs"`
	SamplingUnit   string             `json:"sampling_unit"` // what runs are independent by: start or seed
	Metric         string             `json:"metric"`        // what policies are compared by: the name of a results.Metric
	Unit           string             `json:"unit"`          // of Value
	Value          Spread             `json:"value"`
	Met            int                `json:"met"`
	MetCI          intervals.Interval `json:"met_ci"`            // of the share of Runs that met the objective
	Verdict        string             `json:"verdict,omitempty"` // on that share; none without
	Finished       int                `json:"finished"`
	Untrained      int                `json:"untrained,omitempty"` // runs of one job that never trained it
	CostUSD        Spread             `json:"cost_usd"`
	FinishS        *Spread            `json:"finish_s"`    // of the runs that finished; null if none did
	MissedByS      *Spread            `json:"missed_by_s"` // of those that finished late
	Preemptions    float64            `json:"preemptions"` // mean
	Notices        float64            `json:"notices"`
	InstanceH      float64            `json:"instance_h"`
	UsefulShare    float64            `json:"useful_share"` // of all instance-hours
	SavingShare    float64            `json:"saving_share"` // of all instance-hours: stopped to save
	Decisions      float64            `json:"decisions"`
	PlanChanges    float64            `json:"plan_changes"`
	Bound          *results.Ceiling   `json:"bound,omitempty"` // if it was asked for
	Warnings       []string           `json:"warnings,omitempty"`
	Jobs           *JobsAggregate     `json:"jobs,omitempty"` // of runs of many jobs

	Notebooks *NotebooksAggregate `json:"notebooks,omitempty"` // of runs of sessions of notebooks
}

// RankingRow is what the policy is ranked by.
func (a *Aggregate) RankingRow() intervals.RankingRow {
	return intervals.RankingRow{Oracle: a.Oracle, Runs: a.Runs, Met: float64(a.Met) / float64(max(a.Runs, 1)),
		Cut: a.Finished < a.Runs, Value: a.Value.Mean, Unit: a.Unit}
}

// Spread describes numbers: their mean, and the 5th, 50th and 95th percentile
// (the smallest number that is not below that share of them).
type Spread struct {
	Mean float64 `json:"mean"`
	P5   float64 `json:"p5"`
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
}

// spread returns nil for no numbers; it sorts them.
func spread(x []float64) *Spread {
	if len(x) == 0 {
		return nil
	}
	slices.Sort(x)
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	at := func(percent int) float64 { return x[max((percent*len(x)+99)/100-1, 0)] }
	return &Spread{Mean: sum / float64(len(x)), P5: at(5), P50: at(50), P95: at(95)}
}

// Aggregates sums the runs up by objective and policy, in the order of the runs.
func Aggregates(rows []results.Summary) []Aggregate {
	var out []Aggregate
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && rows[n].Objective == rows[0].Objective && rows[n].Policy == rows[0].Policy {
			n++
		}
		out = append(out, aggregate(rows[:n]))
		rows = rows[n:]
	}
	return out
}

func aggregate(rows []results.Summary) Aggregate {
	r := &rows[0]
	a := Aggregate{Objective: r.Objective, ObjectiveLoss: r.ObjectiveLoss, ObjectiveS: r.ObjectiveS,
		ObjectiveShare: r.ObjectiveShare,
		Policy:         r.Policy, Market: r.Market, Oracle: r.Oracle, Runs: len(rows), SamplingUnit: r.Unit}
	metric := r.Metric()
	a.Metric, a.Unit = metric.Name, metric.Unit
	var value, cost, finish, late []float64
	var met intervals.Tally
	useful, saving, n := 0.0, 0.0, float64(len(rows))
	var bound results.Ceiling
	for i := range rows {
		r := &rows[i]
		bound.Add(r)
		value = append(value, metric.Of(r))
		cost = append(cost, r.CostUSD)
		if r.Met {
			a.Met++
		}
		met.AddHit(intervals.Of(r, 0), r.Met)
		if r.Finished {
			a.Finished++
			finish = append(finish, *r.FinishS)
		}
		if untrained(r) != "" {
			a.Untrained++
		}
		if r.MissedByS != nil {
			late = append(late, *r.MissedByS)
		}
		a.Preemptions += float64(r.Preemptions) / n
		a.Notices += float64(r.Notices) / n
		a.InstanceH += r.InstanceH / n
		a.Decisions += float64(r.Decisions) / n
		a.PlanChanges += float64(r.PlanChanges) / n
		useful += r.UsefulH / n
		saving += r.CheckpointingH / n
		if r.Warnings != "" && !slices.Contains(a.Warnings, r.Warnings) {
			a.Warnings = append(a.Warnings, r.Warnings)
		}
	}
	a.Value, a.CostUSD, a.FinishS, a.MissedByS = *spread(value), *spread(cost), spread(finish), spread(late)
	if bound.Known() {
		a.Bound = &bound
	}
	a.MetCI = met.Share()
	if a.ObjectiveShare != nil {
		a.Verdict = a.MetCI.Verdict(*a.ObjectiveShare)
	}
	a.Jobs, a.Notebooks = aggregateJobs(rows), aggregateNotebooks(rows)
	if a.InstanceH > 0 {
		a.UsefulShare, a.SavingShare = useful/a.InstanceH, saving/a.InstanceH
	}
	return a
}
