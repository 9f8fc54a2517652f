package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

// jobsTally is what runs of many jobs came to under one policy.
type jobsTally struct {
	runs        int
	done, all   int64
	onTime, due int64 // deadlines that were met, of all
	times, rest means
}

// add adds a run of many jobs.
func (j *jobsTally) add(s *results.Summary) {
	j.runs++
	j.done, j.all = j.done+s.JobsDone, j.all+s.Jobs
	j.onTime, j.due = j.onTime+s.Punctual, j.due+s.Deadlines
	j.times.add(s, jobTimes)
	j.rest.add(s, jobMeasures)
}

func (r *row) jobsDone() string {
	n := float64(max(r.jobs.runs, 1))
	return fmt.Sprintf("%.6g of %.6g", float64(r.jobs.done)/n, float64(r.jobs.all)/n)
}

// onTime is the share of the deadlines that were met.
func (r *row) onTime() string {
	if r.jobs.due == 0 {
		return "none"
	}
	return units.Percent(float64(r.jobs.onTime) / float64(r.jobs.due))
}

// many reports whether the runs are of many jobs.
func (s *Study) many() bool { return len(s.objectives) > 0 && s.objectives[0].many() }

func (o *objective) many() bool { return len(o.Rows) > 0 && o.Rows[0].jobs.runs > 0 }

// What a page lists of the jobs of a run.
const (
	maxJobs      = 500
	maxWaits     = 5
	maxJobTables = 20
)

// listedJobs is one run whose jobs are listed.
type listedJobs struct {
	name  string
	waits []item
	jobs  []*results.Job
	all   int
}

// listJobs lists the jobs of the first run of each policy and objective that has a timeline.
func (s *Study) listJobs() (out []listedJobs) {
	if s.set == nil {
		return nil
	}
	type kind struct{ objective, policy string }
	seen := map[kind]bool{}
	for _, r := range runsOf(s.set) {
		of, all := kind{r.Objective, r.Policy}, r.Jobs
		if seen[of] || len(all) == 0 || len(out) == maxJobTables {
			continue
		}
		seen[of] = true
		one := listedJobs{name: r.Policy + ", " + r.From(), all: len(all), waits: r.waits()}
		for i := range all[:min(len(all), maxJobs)] {
			one.jobs = append(one.jobs, &all[i])
		}
		out = append(out, one)
	}
	return out
}

// waits explains the longest waits of a run.
func (r *run) waits() (out []item) {
	longest := slices.Clone(r.Jobs)
	slices.SortStableFunc(longest, func(a, b results.Job) int { return cmp.Compare(orZero(b.QueueS), orZero(a.QueueS)) })
	for _, j := range longest[:min(len(longest), maxWaits)] {
		if orZero(j.QueueS) == 0 {
			break
		}
		e, err := r.story(j.ID)
		if err != nil {
			continue
		}
		out = append(out, item{j.ID, e.sentence()})
	}
	return out
}

// jobs is the section on jobs of a cluster: those that waited longest, and all.
type jobs struct{ *page }

func (jobs) head() (anchor, title string) { return "jobs", "Jobs and their longest waits" }
func (s jobs) has() bool                  { return s.many() }

func (s jobs) write(d document) error {
	if len(s.listed) == 0 {
		text := "No timeline is kept of these runs"
		if s.Sweep != nil && s.Sweep.NoTimelines != "" {
			text += ": " + s.Sweep.NoTimelines
		}
		d.Text(text + ".")
		return nil
	}
	d.Text("The jobs that waited longest, of one run of each policy, and why. marigram explain DIR --job NAME --policy POLICY says it of any job.")
	for _, x := range s.listed {
		d.Heading(3, x.name)
		if len(x.waits) > 0 {
			d.List(x.waits)
		} else {
			d.Text("No job waited.")
		}
		summary := count(len(x.jobs), "job", "jobs")
		if len(x.jobs) < x.all {
			summary += fmt.Sprintf(", of %d; all are in jobs.parquet", x.all)
		}
		d.Details(summary, tableOf(x.jobs, jobColumns, nil))
	}
	return nil
}

var jobColumns = []column[results.Job]{
	words("job", func(j *results.Job) string { return j.ID }),
	words("kind", func(j *results.Job) string { return j.Kind }),
	number("GPUs", func(j *results.Job) string { return fmt.Sprint(j.GPUs) }),
	number("submitted (h)", func(j *results.Job) string { return hours(j.SubmitS) }),
	number("started (h)", func(j *results.Job) string { return optionalHours(j.StartS) }),
	number("done (h)", func(j *results.Job) string { return optionalHours(j.FinishS) }),
	number("JCT (h)", func(j *results.Job) string { return optionalHours(j.JCTS) }),
	number("queue (h)", func(j *results.Job) string { return optionalHours(j.QueueS) }),
	number("suspended", func(j *results.Job) string { return fmt.Sprint(j.Suspensions) }),
	number("preempted", func(j *results.Job) string { return fmt.Sprint(j.Preemptions) }),
	number("moved", func(j *results.Job) string { return fmt.Sprint(j.Moves) }),
	number("GPU-hours", func(j *results.Job) string { return fixed(orZero(j.GPUH)) }),
	number("USD", func(j *results.Job) string { return units.USD(j.CostUSD) }),
}

// orZero is 0 for a number that is not known.
func orZero(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}
