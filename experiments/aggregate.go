package experiments

import (
	"cmp"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/stats"
)

// Aggregate sums up the runs of one policy for one objective.
type Aggregate struct {
	Objective      string             `json:"objective"`
	ObjectiveLoss  float64            `json:"objective_loss"`
	ObjectiveS     float64            `json:"objective_s"`
	ObjectiveShare *float64           `json:"objective_share,omitempty"` // of the runs that is to meet it
	Goal           string             `json:"goal,omitempty"`            // samples_per_s, most_work or ettr; empty of a deadline
	GoalValue      *float64           `json:"goal_value,omitempty"`      // samples per second, USD, or the ratio
	Policy         string             `json:"policy"`
	Market         string             `json:"market"`
	Replay         string             `json:"replay"` // how recorded traces were replayed
	Oracle         bool               `json:"oracle"`
	Runs           int                `json:"runs"`
	SamplingUnit   string             `json:"sampling_unit"` // what runs are independent by: start or seed
	Metric         string             `json:"metric"`        // that policies are compared by: the name of a results.Metric
	Unit           string             `json:"unit"`          // of Value
	Value          Spread             `json:"value"`
	Met            int                `json:"met"`
	MetCI          intervals.Interval `json:"met_ci"`            // of the share of Runs that met the objective
	Verdict        string             `json:"verdict,omitempty"` // on that share; none without
	Finished       int                `json:"finished"`
	Untrained      int                `json:"untrained,omitempty"` // runs of one job that never trained it
	// NeverSpot counts runs in which the limit of what waiting may cost let the policy request no spot instance.
	NeverSpot int `json:"never_spot,omitempty"`
	// CannotMeet says why no run met the objective where a setting of the policy rules that out: its cost is compared
	// with nothing.
	CannotMeet string         `json:"cannot_meet,omitempty"`
	Says       []results.Said `json:"says,omitempty"` // of a goal beside a deadline: means of the runs
	CostUSD    Spread         `json:"cost_usd" spread:"cost_usd"`
	// FinishS is of the runs that finished, MissedByS of those that finished late; null if none did.
	FinishS     *Spread          `json:"finish_s" spread:"finish_s"`
	MissedByS   *Spread          `json:"missed_by_s" spread:"missed_by_s"`
	Preemptions float64          `json:"preemptions" mean:"preemptions"`
	Notices     float64          `json:"notices" mean:"notices"`
	InstanceH   float64          `json:"instance_h" mean:"instance_h"`
	UsefulShare float64          `json:"useful_share"` // of all instance-hours
	SavingShare float64          `json:"saving_share"` // of all instance-hours: stopped to save
	Decisions   float64          `json:"decisions" mean:"decisions"`
	PlanChanges float64          `json:"plan_changes" mean:"plan_changes"`
	Bound       *results.Ceiling `json:"bound,omitempty"`   // if it was asked for
	Assumes     string           `json:"assumes,omitempty"` // what the policy assumes that its source does not say
	Warnings    []string         `json:"warnings,omitempty"`
	NoBest      string           `json:"no_best,omitempty"` // why no policy is called the best (intervals.NoBest)
	Jobs        *JobsAggregate   `json:"jobs,omitempty"`    // of runs of many jobs

	Notebooks *NotebooksAggregate `json:"notebooks,omitempty"` // of runs of sessions of notebooks
	Failures  *FailuresAggregate  `json:"failures,omitempty"`  // of runs in which machines fail
	Slow      *SlowAggregate      `json:"slow,omitempty"`      // of runs in which machines are slow

	// NotDecided says which policies the runs do not tell from this one, the first of those that may be called the
	// best, and why.
	NotDecided []string `json:"not_decided,omitempty"`

	met, values intervals.Tally // runs that met the objective, and what policies are compared by
}

// FailuresAggregate sums up what runs of one policy say of machines that fail: means of the runs.
type FailuresAggregate struct {
	Failures float64 `json:"failures" mean:"failures"`
	Repairs  float64 `json:"repairs" mean:"repairs"`
	Retired  float64 `json:"retired" mean:"retired"`
	DownH    float64 `json:"down_h" mean:"down_h"`
	SpareH   float64 `json:"spare_h" mean:"spare_h"`
	ETTR     *Spread `json:"ettr" spread:"ettr"`
}

// SlowAggregate sums up what runs of one policy say of slow machines: means of the runs.
type SlowAggregate struct {
	Slowdown   float64 `json:"slowdown"` // Summary.Slowdown
	SlowedH    float64 `json:"slowed_h" mean:"slowed_h"`
	Replaced   float64 `json:"replaced" mean:"replaced"`
	LostH      float64 `json:"lost_h" mean:"lost_h"`
	RestoringH float64 `json:"restoring_h" mean:"restoring_h"`
}

// RankingRow is what the policy is ranked by.
func (a *Aggregate) RankingRow() intervals.RankingRow {
	return intervals.RankingRow{
		Policy: a.Policy,
		Oracle: a.Oracle,
		Runs:   a.Runs,
		Met:    float64(a.Met) / float64(max(a.Runs, 1)),
		Cut:    a.Finished < a.Runs,
		Value:  a.Value.Mean,
		Unit:   a.Unit,
		Hits:   &a.met,
		Values: &a.values,
	}
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
	for first := 0; first < len(out); {
		last := first + 1
		for last < len(out) && out[last].Objective == out[first].Objective {
			last++
		}
		addNotDecided(out[first:last])
		first = last
	}
	return out
}

// addNotDecided says in the row of the first policy of an objective which the runs do not tell from it.
func addNotDecided(rows []Aggregate) {
	if !testsDifferences(rows) {
		return
	}
	best, _, texts := intervals.NotDecided(rankingOf(rows), rows[0].ObjectiveShare)
	if best >= 0 {
		rows[best].NotDecided = texts
	}
}

// testsDifferences reports whether paired differences can tell the policies of an objective from each other.
func testsDifferences(rows []Aggregate) bool {
	return NoBest(rows) == "" && rows[0].Jobs == nil && rows[0].Notebooks == nil
}

func aggregate(rows []results.Summary) Aggregate {
	first := &rows[0]
	metric := first.Metric()
	a := Aggregate{
		Objective:      first.Objective,
		ObjectiveLoss:  first.ObjectiveLoss,
		ObjectiveS:     first.ObjectiveS,
		ObjectiveShare: first.ObjectiveShare,
		GoalValue:      first.GoalValue,
		Policy:         first.Policy,
		Market:         first.Market,
		Replay:         first.Replay,
		Oracle:         first.Oracle,
		Assumes:        first.Assumes,
		Runs:           len(rows),
		SamplingUnit:   first.Unit,
		Metric:         metric.Name,
		Unit:           metric.Unit,
	}
	if first.GoalValue != nil {
		a.Goal = first.Goal
	}
	a.count(rows, metric)
	a.Says = results.SaidOf(rows)
	sumUp(rows, &a)
	if a.InstanceH > 0 {
		a.UsefulShare = stats.Mean(column(rows, "useful_h")) / a.InstanceH
		a.SavingShare = stats.Mean(column(rows, "checkpointing_h")) / a.InstanceH
	}
	a.MetCI = a.met.Share()
	a.NoBest = intervals.NoBest(first.Capacity(), a.SamplingUnit, a.MetCI.Units)
	if a.ObjectiveShare != nil {
		a.Verdict = a.MetCI.Verdict(*a.ObjectiveShare)
	}
	a.addParts(rows)
	return a
}

// count counts what the runs came to.
func (a *Aggregate) count(rows []results.Summary, metric *results.Metric) {
	values := make([]float64, len(rows))
	var bound results.Ceiling
	for i := range rows {
		r := &rows[i]
		values[i] = metric.Of(r)
		bound.Add(r)
		a.met.AddRunHit(r, r.Met)
		a.values.AddRun(r, values[i])
		if r.Met {
			a.Met++
		}
		if r.Finished {
			a.Finished++
		}
		if untrained(r) != "" {
			a.Untrained++
		}
		if strings.Contains(r.Warnings, NeverSpot) {
			a.NeverSpot++
		}
		if text, is := strings.CutPrefix(r.Warnings, CannotMeet); is {
			a.CannotMeet, _, _ = strings.Cut(text, "; ")
		}
		if r.Warnings != "" && !slices.Contains(a.Warnings, r.Warnings) {
			a.Warnings = append(a.Warnings, r.Warnings)
		}
	}
	a.Value = *spread(values)
	if bound.Known() {
		a.Bound = &bound
	}
}

// addParts adds what runs of many jobs, of machines that fail and of notebooks say besides.
func (a *Aggregate) addParts(rows []results.Summary) {
	if rows[0].ManyJobs() {
		a.Jobs = new(JobsAggregate)
		sumUp(rows, a.Jobs)
		for i := range rows {
			if r := &rows[i]; r.Met && r.JobsDone == r.Jobs && r.Punctual == r.Deadlines {
				a.Jobs.AllInTime++
			}
		}
	}
	if slices.ContainsFunc(rows, func(r results.Summary) bool { return r.Fails() }) {
		a.Failures = new(FailuresAggregate)
		sumUp(rows, a.Failures)
	}
	if slices.ContainsFunc(rows, func(r results.Summary) bool { return r.SlowedH > 0 || r.Replaced > 0 }) {
		a.Slow = new(SlowAggregate)
		sumUp(rows, a.Slow)
		for i := range rows {
			a.Slow.Slowdown += rows[i].Slowdown() / float64(len(rows))
		}
	}
	if rows[0].ReservedGPU != nil {
		a.Notebooks = new(NotebooksAggregate)
		sumUp(rows, a.Notebooks)
	}
}

// JobsAggregate sums up the runs of one policy with many jobs: means of the runs. Times are seconds;
// null where no run has the number.
type JobsAggregate struct {
	Jobs        float64  `json:"jobs" mean:"jobs"`
	Done        float64  `json:"jobs_done" mean:"jobs_done"`
	JCTMeanS    *Spread  `json:"jct_mean_s" spread:"jct_mean_s"` // of the runs' means
	JCTP50S     *float64 `json:"jct_p50_s" mean:"jct_p50_s"`
	JCTP95S     *float64 `json:"jct_p95_s" mean:"jct_p95_s"`
	JCTP99S     *float64 `json:"jct_p99_s" mean:"jct_p99_s"`
	QueueMeanS  *float64 `json:"queue_mean_s" mean:"queue_mean_s"`
	MakespanS   *float64 `json:"makespan_s" mean:"finish_s"` // of the runs in which all jobs were done
	Utilisation *float64 `json:"utilisation" mean:"utilisation"`
	Suspensions float64  `json:"suspensions" mean:"suspensions"`
	Preemptions float64  `json:"job_preemptions" mean:"job_preemptions"`
	Moves       float64  `json:"job_moves" mean:"job_moves"`
	Resizes     float64  `json:"job_resizes" mean:"job_resizes"`
	Deadlines   float64  `json:"deadlines" mean:"deadlines"`
	Punctual    float64  `json:"deadlines_met" mean:"deadlines_met"`
	AllInTime   int      `json:"all_in_time"` // runs in which all jobs were done, and by their deadlines
	FTFMean     *float64 `json:"ftf_mean" mean:"ftf_mean"`
	FTFMax      *float64 `json:"ftf_max" mean:"ftf_max"`
}

// NotebooksAggregate sums up the runs of one policy with sessions of notebooks: means of the
// runs.
type NotebooksAggregate struct {
	Cells           float64  `json:"cells" mean:"cells"`
	ReservedGPUH    float64  `json:"reserved_gpu_h" mean:"reserved_gpu_h"`
	ActiveGPUH      float64  `json:"active_gpu_h" mean:"active_gpu_h"`
	GPUH            float64  `json:"gpu_h" mean:"gpu_h"` // provisioned
	SavedGPUH       float64  `json:"saved_gpu_h" mean:"saved_gpu_h"`
	DelayMeanS      *float64 `json:"cell_delay_mean_s" mean:"cell_delay_mean_s"`
	DelayP50S       *float64 `json:"cell_delay_p50_s" mean:"cell_delay_p50_s"`
	DelayP95S       *float64 `json:"cell_delay_p95_s" mean:"cell_delay_p95_s"`
	DelayP99S       *float64 `json:"cell_delay_p99_s" mean:"cell_delay_p99_s"`
	DelayMaxS       *float64 `json:"cell_delay_max_s" mean:"cell_delay_max_s"`
	CellsLost       float64  `json:"cells_lost" mean:"cells_lost"`
	LostGPUH        float64  `json:"lost_gpu_h" mean:"lost_gpu_h"`
	CellsMoved      float64  `json:"cells_moved" mean:"cells_moved"`
	CostSpotUSD     float64  `json:"cost_spot_usd" mean:"cost_spot_usd"`
	CostOnDemandUSD float64  `json:"cost_on_demand_usd" mean:"cost_on_demand_usd"`
}

// NoBest says why no policy of an objective is called the best; empty if one may be.
func NoBest(rows []Aggregate) string {
	for i := range rows {
		if rows[i].Runs > 0 && rows[i].NoBest != "" {
			return rows[i].NoBest
		}
	}
	return ""
}

func rankingOf(rows []Aggregate) []intervals.RankingRow {
	ranking := make([]intervals.RankingRow, len(rows))
	for i := range rows {
		ranking[i] = rows[i].RankingRow()
	}
	return ranking
}

// BestOf returns the policies of an objective that may be called the best and cost at most a share more than the
// cheapest of them, the cheapest first; then those that the runs do not tell from it. None if none ever meets the
// objective, or by NoBest.
func BestOf(rows []Aggregate, within float64) (best []*Aggregate) {
	if len(rows) == 0 || NoBest(rows) != "" {
		return nil
	}
	ranking := rankingOf(rows)
	for i, is := range intervals.Best(ranking, rows[0].ObjectiveShare) {
		if is {
			best = append(best, &rows[i])
		}
	}
	slices.SortStableFunc(best, func(a, b *Aggregate) int { return cmp.Compare(a.CostUSD.Mean, b.CostUSD.Mean) })
	best = slices.DeleteFunc(best, func(a *Aggregate) bool { return a.CostUSD.Mean > best[0].CostUSD.Mean*(1+within) })
	if !testsDifferences(rows) {
		return best
	}
	_, rivals, _ := intervals.NotDecided(ranking, rows[0].ObjectiveShare)
	for _, i := range rivals {
		if !slices.Contains(best, &rows[i]) {
			best = append(best, &rows[i])
		}
	}
	return best
}
