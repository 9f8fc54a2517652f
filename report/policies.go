package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

// The tables of policies: a table an objective, a row a policy, the best first.

// policyColumn names the policy, with its line and point; note says what it knows or is.
func policyColumn(note func(*row) string) column[row] {
	return column[row]{"policy", false, func(r *row) table.Cell {
		return table.Cell{Text: r.Policy + note(r), Mark: r.Policy, Order: r.Rank}
	}}
}

func noNote(*row) string { return "" }

// knows says of an oracle what it knows.
func knows(what string) func(*row) string {
	return func(r *row) string {
		if r.Oracle {
			return " (knows " + what + ")"
		}
		return ""
	}
}

// best sets off the best policy.
func best(r *row) string {
	if r.Best {
		return "best"
	}
	return ""
}

// tone is that of a policy that meets its objective or not.
func tone(good bool) table.Tone {
	if good {
		return table.Green
	}
	return table.Red
}

// valueColumn is the mean of what policies are ranked by.
func (o *objective) valueColumn() column[row] {
	name, write := o.value()
	return number(name, func(r *row) string { return write(r.value.Mean()) })
}

// intervalColumn is the interval of that mean.
func (o *objective) intervalColumn() column[row] {
	_, write := o.value()
	return number("95 % interval", func(r *row) string { return between(r.value.MeanInterval(), write) })
}

// writeObjectives writes the section that says how often policies meet the objectives.
func (p *page) writeObjectives(w *webPage) error {
	w.Text("The best first: policies that meet the objective by cost, then those that miss it by how often they " +
		"meet it. Intervals contain the true value with 95 % confidence (Wilson for shares, Student's law corrected " +
		"for skewness for means); they count " + p.basis() + ".")
	columns := []column[row]{
		policyColumn(knows("the future")),
		{"verdict", false, (*row).verdict},
		number("met", func(r *row) string { return fmt.Sprintf("%d of %d", r.Met, r.N) }),
		number("95 % interval", func(r *row) string {
			interval := r.MetCI()
			return between(&interval, units.Percent)
		}),
		words("by how much", (*row).byHowMuch),
	}
	for _, objective := range p.objectives {
		w.Heading(3, objective.Name+": "+objective.Goal())
		if bound := objective.Bound(); bound != "" {
			w.Text(bound)
		}
		w.Table(tableOf(objective.Rows, columns, best))
	}
	return nil
}

// verdict says whether the policy meets the objective.
func (r *row) verdict() table.Cell {
	switch asked := r.Verdict(); asked {
	case "":
	case intervals.Proven:
		return table.Cell{Text: asked, Tone: table.Green}
	case intervals.Missed:
		return table.Cell{Text: asked, Tone: table.Red}
	default:
		return table.Cell{Text: asked}
	}
	if r.Met == r.N {
		return table.Cell{Text: "met", Tone: table.Green}
	}
	if r.Met > 0 {
		return table.Cell{Text: "missed in " + units.Percent(1-r.Share()), Tone: table.Red}
	}
	return table.Cell{Text: "missed", Tone: table.Red}
}

// byHowMuch says by how much the row's runs met the objective or missed it.
func (r *row) byHowMuch() string {
	var parts []string
	if r.LateS.N > 0 {
		parts = append(parts,
			fmt.Sprintf("%d late by %s on average, %s at most", r.LateS.N, span(r.LateS.Mean()), span(r.LateS.Max)))
	}
	if cut := r.Unfinished(); cut > 0 {
		parts = append(parts, fmt.Sprintf("%d not finished by the horizon", cut))
	}
	if said := r.said(); said != "" {
		parts = append(parts, said)
	}
	if r.SpareS.N > 0 {
		others := ""
		if r.Met < r.N {
			others = "the others "
		}
		parts = append(parts, others+"with "+span(r.SpareS.Mean())+" to spare")
	}
	return strings.Join(parts, "; ")
}

// writeSchedulers writes the section on what runs of many jobs came to.
func (p *page) writeSchedulers(w *webPage) error {
	w.Text("Means over the runs, the shortest mean job completion time (JCT, from submission to finish) first, with " +
		"the 95 % interval of the mean, which counts " + p.basis() +
		". Percentiles are of the jobs of a run. Queue: time without GPUs. " +
		"Utilisation: of the GPU time that was there until the last job was done. " +
		"Fairness: mean finish-time fairness, 1 as with an equal part of the servers.")
	return p.eachObjective(w, func(o *objective) {
		name := policyColumn(knows("durations"))
		times := []column[row]{name, number("jobs done", (*row).jobsDone), o.valueColumn(), o.intervalColumn()}
		times = append(times, columnsOf(jobTimes, func(r *row) *means { return &r.jobs.times })...)
		rest := append([]column[row]{name}, columnsOf(jobMeasures, func(r *row) *means { return &r.jobs.rest })...)
		rest = slices.Insert(rest, len(rest)-1, number("on time", (*row).onTime))
		rest = append(rest, number("cost (USD)", func(r *row) string { return units.USD(r.CostUSD.Mean()) }))
		w.Table(tableOf(o.Rows, times, best))
		w.Table(tableOf(o.Rows, rest, best))
	})
}

// writeNotebooks writes the section on sessions of notebooks.
func (p *page) writeNotebooks(w *webPage) error {
	w.Text("Means over the runs. Reserved: what sessions take that hold their GPUs from start to stop; in cells: " +
		"what nobody can do without; saved: reserved less GPU-hours. Delay: from when a cell is due until it " +
		"begins, for the last time if its host was taken away.")
	columns := append([]column[row]{policyColumn(noNote)},
		columnsOf(notebookMeasures, func(r *row) *means { return &r.notebooks })...)
	return p.eachObjective(w, func(o *objective) { w.Table(tableOf(o.Rows, columns, best)) })
}

// writeMachines writes the section on machines that fail.
func (p *page) writeMachines(w *webPage) error {
	w.Text("Means over the runs in which machines failed or were down. Down, spares: machine-hours; " +
		"in the mean, at most: machines that were down at one time. " +
		"Lost: instance-hours of training that went with machines, or back to a save. " +
		"ETTR: effective training time ratio, the share of the instance-hours held in which training was done " +
		"that was kept.")
	columns := append([]column[row]{policyColumn(noNote)},
		columnsOf(failureMeasures, func(r *row) *means { return &r.failures })...)
	return p.eachObjective(w, func(o *objective) { w.Table(tableOf(o.Rows, columns, best)) })
}

// writeCosts writes the section of costs and times.
func (p *page) writeCosts(w *webPage) error {
	w.Text("Means over the runs, with the 95 % interval of the mean. ★ marks the cheapest of the policies " +
		"that meet the objective or, if none does, of those that meet it most often; " +
		"policies that know the future do not count. Grey: misses the objective.")
	return p.eachObjective(w, func(o *objective) {
		columns := []column[row]{
			policyColumn(func(r *row) string {
				if r.Best {
					return " ★"
				}
				return ""
			}),
			{"met", true, func(r *row) table.Cell {
				return table.Cell{Text: fmt.Sprintf("%d of %d", r.Met, r.N), Tone: tone(!r.Misses())}
			}},
			o.valueColumn(), o.intervalColumn(),
			number("finish (h)", func(r *row) string {
				if r.FinishS.N == 0 {
					return "never"
				}
				return hours(r.FinishS.Mean())
			}),
			number("95 % interval", func(r *row) string { return between(r.FinishS.MeanInterval(), hours) }),
			number("preemptions", func(r *row) string { return fixed(r.preemptions / float64(r.N)) }),
			number("instance-hours", func(r *row) string { return fixed(r.instanceH / float64(r.N)) }),
			number("useful", func(r *row) string { return units.Percent(r.Useful()) }),
		}
		if o.Bound() != "" {
			columns = append(columns,
				number("above bound", func(r *row) string { return cmp.Or(r.Bound.AboveText(), "none") }))
		}
		w.Table(tableOf(o.Rows, columns, func(r *row) string {
			if r.Misses() {
				return strings.TrimSpace(best(r) + " misses")
			}
			return best(r)
		}))
	})
}
