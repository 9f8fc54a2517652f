package report

import (
	"fmt"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/plots"
)

// printed is a page as a document.
type printed struct {
	*plots.Document
	page *page
}

func (d *printed) answers() {
	for i, v := range d.page.Verdicts {
		d.Heading(3, v.Goal)
		d.Text(v.Lead() + v.Policy + v.Text)
		if v.Proven != "" {
			d.Text("Proven to meet it: " + v.Proven + ".")
		}
		if v.Cheaper != "" {
			d.Text("Cheaper, but misses the objective: " + v.Cheaper + ".")
		}
		d.Figure(d.page.Rankings[i].drawing)
	}
}

// context says what the numbers are of.
func (s *Study) context() string {
	text := fmt.Sprintf("Simulated, not measured: %s for %s", count(s.runs, "run", "runs"),
		count(len(s.objectives), "objective", "objectives"))
	if s.Sweep != nil {
		text += " from " + count(len(s.starts), "start", "starts")
	}
	text += fmt.Sprintf(" under %s. Market: %s; replay: %s.", count(len(s.seeds), "seed", "seeds"), s.market, s.replay)
	if s.Sweep != nil && s.Sweep.Parameters != "" {
		text += " Of the sweep's cells this document is about " + s.Sweep.Parameters + "."
	}
	return text
}

func (d *printed) warnings() {
	if len(d.page.Warnings) == 0 {
		return
	}
	d.Heading(2, "Warnings")
	for _, g := range d.page.Warnings {
		for _, text := range g.Texts {
			d.Item(g.Of + ": " + text)
		}
	}
}

func (d *printed) cells() {
	if d.page.Sweep == nil || len(d.page.Sweep.Cells) == 0 {
		return
	}
	d.Heading(2, "Cells of the sweep")
	for i, o := range d.page.Objectives {
		d.Heading(3, o.Name)
		t := plots.Table{Head: []string{"parameters", "best policy", "cost (USD)", "95 % interval", "met"},
			Numbers: []bool{false, false, true, true, true}}
		for _, c := range d.page.CellRows(i) {
			t.Rows = append(t.Rows, []string{c.Name, c.Policy, format.USD(c.Mean), between(c.CI, format.USD),
				format.Percent(c.Met)})
			t.Strong = append(t.Strong, c.Shown)
		}
		d.Table(&t)
	}
}

// between writes an interval.
func between(ci *intervals.Interval, write func(float64) string) string {
	if ci == nil {
		return "none"
	}
	return write(ci.Low) + " to " + write(ci.High)
}

func (d *printed) numbers() {
	d.Heading(2, "Objectives, costs and times")
	d.Text("The best first: policies that meet the objective by cost, then those that miss it by how often " +
		"they meet it. Means, with intervals that contain the true value with 95 % confidence; they count " +
		d.page.UnitText() + ".")
	hours := func(s float64) string { return fmt.Sprintf("%.2f", s/3600) }
	for _, o := range d.page.Objectives {
		d.Heading(3, o.Name+": "+o.Goal())
		if text := o.Bound(); text != "" {
			d.Text(text)
		}
		t := plots.Table{Head: []string{"policy", "met", "95 % interval", "verdict", "cost (USD)", "95 % interval",
			"finish (h)", "95 % interval", "preemptions", "useful"},
			Numbers: []bool{false, true, true, false, true, true, true, true, true, true}}
		for _, r := range o.Rows {
			name, finish := r.Policy, "never"
			if r.Oracle {
				name += " (knows the future)"
			}
			if r.FinishS.N > 0 {
				finish = hours(r.FinishS.Mean())
			}
			ci := r.MetCI()
			t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%d of %d", r.Met, r.N), between(&ci, format.Percent),
				r.verdict(), format.USD(r.CostUSD.Mean()), between(r.CostUSD.MeanInterval(), format.USD),
				finish, between(r.FinishS.MeanInterval(), hours), fmt.Sprintf("%.2f", r.Preemptions()), format.Percent(r.Useful())})
			t.Strong = append(t.Strong, r.Best)
		}
		d.Table(&t)
	}
}

// verdict says whether the policy meets the objective.
func (r *row) verdict() string {
	switch {
	case r.Verdict() != "":
		return r.Verdict()
	case r.Misses():
		return "missed"
	}
	return "met"
}

func (d *printed) ledgers() {
	d.Heading(2, "Where the hours and the dollars went")
	for _, o := range d.page.Objectives {
		d.Heading(3, o.Name)
		for _, l := range []struct {
			unit     string
			accounts []account
			of       func(r *row) ledger
		}{{"instance-hours", activities, (*row).Hours}, {"USD", d.page.Costs, (*row).USD}} {
			t := plots.Table{Head: []string{l.unit}, Numbers: []bool{false}}
			for _, a := range l.accounts {
				t.Head, t.Numbers = append(t.Head, a.Name), append(t.Numbers, true)
			}
			t.Head, t.Numbers = append(t.Head, "total"), append(t.Numbers, true)
			for _, r := range o.Rows {
				x := l.of(r)
				name := r.Policy
				if r.Misses() {
					name += ", met " + format.Percent(r.Share())
				}
				t.Rows = append(t.Rows, append(append([]string{name}, x.Parts...), x.Total))
			}
			d.Table(&t)
		}
	}
}

func (d *printed) provenance() {
	from := d.page.Provenance()
	d.Heading(2, "Provenance")
	d.Text("All runs over their time and every decision are on the page that these commands make:")
	for _, c := range d.page.commands() {
		d.Item(c)
	}
	d.Text(strings.TrimSpace(fmt.Sprintf("marigram %s (%s), %s, schema %d. Spec %s, SHA-256 %s. First seed %d.",
		from.Version, from.Commit, from.GOARCH, from.SchemaVersion, from.SpecName, from.SpecSHA256, from.Seed)))
	for _, in := range from.Inputs {
		d.Item(in.Name + ", SHA-256 " + in.SHA256)
	}
}
