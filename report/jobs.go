package report

import (
	"fmt"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
)

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
