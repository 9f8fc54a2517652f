package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	goals "github.com/marigram/marigram/experiments/objective"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
)

// objective is what was asked for, and what became of it.
type objective struct {
	Name     string
	LossGoal float64
	WithinS  float64
	Kind     *goals.Kind
	Value    *float64 // results.Summary.GoalValue
	Share    *float64 // of the runs, that is to meet it; nil: all
	Rows     []*row   // by policy; after rank the best first
	by       string
	capacity string          // results.Summary.Capacity
	metric   *results.Metric // by which policies are ranked
	// notDecided says which policies the runs do not tell from the first, and why; none: it is the best.
	notDecided []string
}

// Asked says in what share of the runs it is to be met; nothing if that was not stated.
func (o *objective) Asked() string {
	if o.Share == nil {
		return ""
	}
	return " in " + units.Percent(*o.Share) + " of the runs"
}

// Goal says what is asked for.
func (o *objective) Goal() string {
	what := "all samples"
	if o.Notebooks() {
		what = "all cells"
	}
	if o.LossGoal != 0 {
		what = "loss " + short5(o.LossGoal)
	}
	return results.GoalText(what, o.Kind.Name, o.Value, o.WithinS, span) + o.Asked()
}

// Bound says what no policy can beat; nothing if that was not asked for.
func (o *objective) Bound() string {
	var best *results.Ceiling
	for _, row := range o.Rows {
		if row.Bound.Known() && (best == nil || row.Bound.Better(best)) {
			best = &row.Bound
		}
	}
	if best == nil {
		return ""
	}
	text := best.String()
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

// Notebooks reports whether the runs are of sessions of notebooks.
func (o *objective) Notebooks() bool { return len(o.Rows) > 0 && o.Rows[0].notebooks.n != nil }

// Fails reports whether machines failed in a run.
func (o *objective) Fails() bool {
	return slices.ContainsFunc(o.Rows, func(r *row) bool { return r.failures.n != nil })
}

// noBest says why no policy is called the best; empty if one may be.
func (o *objective) noBest() string {
	for _, row := range o.Rows {
		if why := intervals.NoBest(o.capacity, o.by, row.met.Independent()); row.N > 0 && why != "" {
			return why
		}
	}
	return ""
}

// Best is the row of the best policy; nil if none was run.
func (o *objective) Best() *row {
	if len(o.Rows) == 0 || o.Rows[0].N == 0 {
		return nil
	}
	return o.Rows[0]
}

// policy returns the row of a run's policy, or begins it.
func (o *objective) policy(s *results.Summary) *row {
	i := slices.IndexFunc(o.Rows, func(r *row) bool { return r.Policy == s.Policy })
	if i < 0 {
		i = len(o.Rows)
		o.Rows = append(o.Rows, &row{
			objective: o,
			Policy:    s.Policy,
			Oracle:    s.Oracle,
			hours:     make([]float64, len(plots.ActivityNames())),
			dollars:   make([]float64, len(bill)),
			whole:     true,
		})
	}
	return o.Rows[i]
}

// rank orders the policies, the best first.
func (o *objective) rank() {
	ranking := make([]intervals.RankingRow, len(o.Rows))
	for i, r := range o.Rows {
		ranking[i] = r.ranked()
	}
	best := intervals.Best(ranking, o.Share)
	none := o.noBest() != ""
	if !none && !o.many() && !o.Notebooks() {
		_, _, o.notDecided = intervals.NotDecided(ranking, o.Share)
	}
	rows := make([]*row, len(o.Rows))
	for place, i := range intervals.Rank(ranking, o.Share) {
		r := o.Rows[i]
		r.Rank = place + 1
		r.Best = place == 0 && best[i] && !none && o.notDecided == nil
		rows[place] = r
	}
	o.Rows = rows
}

// row is one policy for one objective.
type row struct {
	objective     *objective
	Policy        string
	Oracle        bool // knows the future
	N             int  // runs
	Met, Finished int  // of N
	met           intervals.Tally
	value         intervals.Tally // of the objective's metric; of many jobs, of runs that have done any
	Bound         results.Ceiling // of those whose bounds were asked for
	SpareS        estimate        // of the runs that met it: before the objective's end
	LateS         estimate        // of those that finished late: after it
	CostUSD       estimate
	FinishS       estimate // of those that finished
	Rank          int
	Best          bool // told from all others: the first of those that meet the objective, or meet it most often

	preemptions, instanceH, usefulH float64   // of all runs
	hours, dollars                  []float64 // likewise, by plots.ActivityNames and by account
	finishedUSD, finishedPercent    float64   // of those that finished
	perMillion                      float64   // USD per million samples, of all runs
	whole                           bool      // all runs trained some samples
	points                          thinned
	worst                           []point        // the worst first
	says                            results.Saying // of the objective's goal
	notebooks                       means
	failures                        means
	jobs                            jobsTally // of many jobs
}

// estimate is N numbers of at least 0: their mean with its interval, and the largest.
type estimate struct {
	intervals.Tally
	N   int
	Max float64
}

func (e *estimate) add(run *results.Summary, x float64) {
	e.AddRun(run, x)
	e.N++
	e.Max = max(e.Max, x)
}

// add adds a run.
func (r *row) add(run *results.Summary) {
	r.N++
	if !run.ManyJobs() || run.JCTMeanS != nil {
		r.value.AddRun(run, r.objective.metric.Of(run))
	}
	r.CostUSD.add(run, run.CostUSD)
	r.met.AddRunHit(run, run.Met)
	r.says.Add(run)
	r.Bound.Add(run)
	if run.Met {
		r.Met++
		if run.FinishS != nil && *run.FinishS <= run.ObjectiveS {
			r.SpareS.add(run, run.ObjectiveS-*run.FinishS)
		}
	}
	if run.MissedByS != nil {
		r.LateS.add(run, *run.MissedByS)
	}
	if run.ManyJobs() {
		r.jobs.add(run)
	}
	point := pointOf(run)
	if run.Finished {
		r.Finished++
		r.FinishS.add(run, *run.FinishS)
		r.finishedUSD += run.CostUSD
		r.finishedPercent += point.percent()
	}
	r.preemptions += float64(run.Preemptions)
	r.instanceH += run.InstanceH
	r.usefulH += run.UsefulH
	addBill(r.dollars, run)
	if run.Fails() {
		r.failures.add(run, failureMeasures)
	}
	if run.ReservedGPU != nil {
		r.notebooks.add(run, notebookMeasures)
	}
	for i, hours := range plots.ActivityHours(run) {
		r.hours[i] += hours
	}
	r.whole = r.whole && run.ObjectiveLoss == 0 && run.Samples > 0 && run.InstanceH > 0
	r.perMillion += point.PerMillion
	r.points.add(point)
	r.worst = worse(r.worst, point)
}

// Useful is the share of the instance-hours.
func (r *row) Useful() float64 {
	if r.instanceH == 0 {
		return 0
	}
	return r.usefulH / r.instanceH
}

// Unfinished counts the row's runs that were cut.
func (r *row) Unfinished() int { return r.N - r.Finished }

// Share is that of the runs that met the objective.
func (r *row) Share() float64 { return float64(r.Met) / float64(max(r.N, 1)) }

// MetCI is the interval of the share of the runs that met the objective.
func (r *row) MetCI() intervals.Interval { return r.met.Share() }

// Verdict says whether the share that was asked for is met; empty if none was stated.
func (r *row) Verdict() string {
	if r.objective.Share == nil {
		return ""
	}
	return r.MetCI().Verdict(*r.objective.Share)
}

// Misses says whether it meets the objective less often than was asked for.
func (r *row) Misses() bool { return !intervals.Meets(r.Share(), r.objective.Share) }

// value names what policies are ranked by, and writes it.
func (o *objective) value() (name string, write func(float64) string) {
	write = written("%.2f", 1)
	if o.metric.Unit == results.USD {
		write = units.USD
	}
	return o.metric.Title + " (" + o.metric.Unit + ")", write
}

// ranked is the row as it is ranked.
func (r *row) ranked() intervals.RankingRow {
	out := intervals.RankingRow{
		Policy: r.Policy,
		Oracle: r.Oracle,
		Runs:   r.N,
		Met:    r.Share(),
		Cut:    r.Unfinished() > 0,
		Unit:   r.objective.metric.Unit,
	}
	if r.value.Units() > 0 {
		out.Value = r.value.Mean()
		out.Hits = &r.met
		out.Values = &r.value
	}
	return out
}

// policy is the row in figures.
func (r *row) policy() plots.PolicyResult {
	return plots.PolicyResult{
		Policy:   r.Policy,
		Oracle:   r.Oracle,
		ManyJobs: r.objective.many(),
		Met:      r.Share(),
		Misses:   r.Misses(),
	}
}

// median is the run whose value is the median of those that are kept.
func (r *row) median() point {
	sorted := slices.Clone(r.points.kept)
	slices.SortStableFunc(sorted, func(a, b point) int { return cmp.Compare(a.value, b.value) })
	return sorted[(len(sorted)-1)/2]
}

// jobsTally is what runs of many jobs came to under one policy.
type jobsTally struct {
	runs        int
	done, all   int64
	onTime, due int64 // deadlines that were met, of all
	times, rest means
}

// add adds a run of many jobs.
func (j *jobsTally) add(run *results.Summary) {
	j.runs++
	j.done += run.JobsDone
	j.all += run.Jobs
	j.onTime += run.Punctual
	j.due += run.Deadlines
	j.times.add(run, jobTimes)
	j.rest.add(run, jobMeasures)
}

func (r *row) jobsDone() string {
	runs := float64(max(r.jobs.runs, 1))
	return fmt.Sprintf("%.6g of %.6g", float64(r.jobs.done)/runs, float64(r.jobs.all)/runs)
}

// onTime is the share of the deadlines that were met.
func (r *row) onTime() string {
	if r.jobs.due == 0 {
		return "none"
	}
	return units.Percent(float64(r.jobs.onTime) / float64(r.jobs.due))
}

func (o *objective) many() bool { return len(o.Rows) > 0 && o.Rows[0].jobs.runs > 0 }
