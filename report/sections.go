package report

import (
	"slices"
)

// sections are those of a report, in their order.
func (p *page) sections() []section {
	return slices.DeleteFunc([]section{
		{"cells", "Cells of the sweep", p.Sweep != nil && len(p.Sweep.Cells) > 0, p.writeCells},
		{"objectives", "Objectives", !p.many(), p.writeObjectives},
		{"schedulers", "Schedulers", p.many(), p.writeSchedulers},
		{"notebooks", "Notebooks", slices.ContainsFunc(p.objectives, (*objective).Notebooks), p.writeNotebooks},
		{"costs", "Costs and times", !p.many(), p.writeCosts},
		{"machines", "Machines that fail", slices.ContainsFunc(p.objectives, (*objective).Fails), p.writeMachines},
		{"figures", "Figures", len(p.drawings) > 0, p.writeFigures},
		{"spent", "Hours and dollars", p.spends(), p.writeSpent},
		{"jobs", "Jobs and their longest waits", p.many(), p.writeJobs},
		{"runs", "Runs and decisions", !p.many() || p.Charts != nil, p.writeRuns},
		{"provenance", "Provenance", true, p.writeProvenance},
	}, func(s section) bool { return !s.has })
}
