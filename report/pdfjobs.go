package report

import (
	"io"

	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/plots/canvas"
)

// jobsPDF writes what the page of many jobs says as a PDF document, but for the lists of all jobs.
func (s *Study) jobsPDF(w io.Writer) error {
	of, err := s.jobsPage(new(canvas.Theme))
	if err != nil {
		return err
	}
	d := printed{plots.NewDocument(), &page{Study: s, Warnings: of.Warnings}}
	d.Heading(1, of.Title())
	for _, a := range of.Answers {
		d.Heading(3, a.Goal)
		d.Text(a.Best + a.Text)
	}
	d.Text(s.context())
	d.warnings()
	d.schedulers()
	if len(of.Figures) > 0 {
		d.Heading(2, "Figures")
		for _, f := range of.Figures {
			d.Figure(f.drawing)
			d.Text(f.Caption)
		}
	}
	d.waits(of.Shown)
	d.provenance()
	b, err := d.Bytes()
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// schedulers are the tables of what the runs came to.
func (d *printed) schedulers() {
	d.Heading(2, "Schedulers")
	d.Text("Means over the runs, the shortest mean job completion time (JCT, from submission to finish) first, with the 95 % interval of the mean, which counts " + d.page.UnitText() +
		". Percentiles are of the jobs of a run. Queue: time without GPUs. Utilisation: of the GPU time that was there until the last job was done. Fairness: mean finish-time fairness, 1 as with an equal part of the servers.")
	for _, o := range d.page.objectives {
		d.Heading(3, o.Name)
		times := plots.Table{Head: []string{"policy", "jobs done", "mean JCT (h)", "95 % interval", "p50", "p95", "p99", "queue (h)", "makespan (h)"}}
		rest := plots.Table{Head: []string{"policy", "utilisation", "suspended", "preempted", "moved", "on time", "fairness", "cost (USD)"}}
		for _, r := range o.Rows {
			name, j := r.Policy, r.Jobs
			if r.Oracle {
				name += " (knows durations)"
			}
			times.Rows = append(times.Rows, []string{name, j.DoneText(), j.Hours("jct"), j.Interval(), j.Hours("p50"), j.Hours("p95"), j.Hours("p99"), j.Hours("queue"), j.Hours("makespan")})
			rest.Rows = append(rest.Rows, []string{name, j.Share("utilisation"), j.Count("suspensions"), j.Count("preemptions"), j.Count("moves"), j.OnTime(), j.Number("ftf"), format.USD(r.CostUSD.Mean())})
			times.Strong, rest.Strong = append(times.Strong, r.Best), append(rest.Strong, r.Best)
		}
		for _, t := range []*plots.Table{&times, &rest} {
			t.Numbers = make([]bool, len(t.Head))
			for k := range t.Numbers {
				t.Numbers[k] = k > 0
			}
			d.Table(t)
		}
	}
}

// waits are the longest waits of the runs that have a timeline.
func (d *printed) waits(shown []shownJobs) {
	if len(shown) == 0 {
		return
	}
	d.Heading(2, "Longest waits")
	for _, x := range shown {
		d.Heading(3, x.Name)
		if len(x.Waits) == 0 {
			d.Text("No job waited.")
		}
		for _, w := range x.Waits {
			d.Item(w.Job + " " + w.Text)
		}
	}
}
