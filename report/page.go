package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots/canvas"
)

// page is what a report says, in the order in which it says it.
type page struct {
	*Study
	Verdicts   []verdict // one an objective
	Warnings   []warnings
	drawings   []drawing
	Charts     *charts
	ChartsNote string
	listed     []listedJobs
}

// page gathers what a report says; colours of its charts are of a theme.
func (s *Study) page(theme *canvas.Theme) (*page, error) {
	if s.Empty() {
		return nil, fmt.Errorf("report: no runs")
	}
	s.rank()
	theme.Styles = canvas.Apart(s.policies())
	p := &page{Study: s}
	for _, objective := range s.objectives {
		verdict, err := s.verdict(objective)
		if err != nil {
			return nil, err
		}
		p.Verdicts = append(p.Verdicts, verdict)
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		p.Warnings = append(p.Warnings, warnings{"how sure the numbers are", doubts})
	}
	p.Warnings = append(p.Warnings, s.warned.groups()...)
	if s.many() {
		p.listed = s.listJobs()
	}
	p.Charts, p.ChartsNote = s.charts(theme)
	var err error
	p.drawings, err = s.drawings()
	return p, err
}

// policies are the names of all policies of the study.
func (s *Study) policies() (names []string) {
	for _, objective := range s.objectives {
		for _, row := range objective.Rows {
			names = append(names, row.Policy)
		}
	}
	return names
}

// Provenance says where the results come from.
func (s *Study) Provenance() results.Provenance { return s.from }

// context says what the numbers are of, before and after the name of the market.
func (s *Study) context() (before, after string) {
	policies := 0
	for _, objective := range s.objectives {
		policies = max(policies, len(objective.Rows))
	}
	before = fmt.Sprintf(", not measured: %s of %s", units.Count(s.runs, "run", "runs"),
		units.Count(policies, "policy", "policies"))
	if !s.many() {
		before += " for " + units.Count(len(s.objectives), "objective", "objectives")
	}
	if s.Sweep != nil || len(s.starts) > 1 {
		before += " from " + units.Count(len(s.starts), "start", "starts")
	}
	before += fmt.Sprintf(" under %s. Market: ", units.Count(len(s.seeds), "seed", "seeds"))
	after = "; replay: " + s.replay + "."
	if s.Sweep != nil && s.Sweep.Parameters != "" {
		after += " Of the sweep's cells this page is about " + s.Sweep.Parameters
		switch {
		case len(s.Sweep.Cells) == 0:
		case len(s.Sweep.Where) > 0:
			after += ": the best of those with " + strings.Join(s.Sweep.Where, ", ") + " (--where path=value chooses)"
		default:
			after += ": the one with the best answer (--where path=value chooses)"
		}
		after += "."
	}
	return before, after
}

// synthetic says whether the market is not a recorded one.
func (s *Study) synthetic() bool { return strings.Contains(strings.ToLower(s.market), "synthetic") }

// commands are the command lines that make the page again.
func (s *Study) commands() []string {
	dir := "out"
	report := []string{"marigram", "report"}
	if s.Sweep != nil {
		dir = s.Sweep.Dir
		for _, where := range s.Sweep.Where {
			report = append(report, "--where", where)
		}
	}
	return []string{
		units.Command(append(slices.Clone(s.from.CommandLine), "--out", dir)),
		units.Command(append(report, dir, "-o", "report.html")),
	}
}
