package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/plots"
)

// uPlot 1.6.32 by Leon Sorokin, MIT licence (uplot/LICENSE), as published on npm;
// TestUPlot holds the checksums.
var (
	//go:embed uplot/uPlot.iife.min.js
	uplotScript string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/LICENSE
	uplotLicence string

	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageStyle string
	//go:embed timeline.js
	pageScript string
)

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"span": span, "percent": percent, "count": count, "fixed": func(x float64) string { return fmt.Sprintf("%.3f", x) }, "hours": func(s float64) float64 { return s / 3600 },
}).Parse(pageHTML))

// page is what the template fills in.
type page struct {
	Title, Market, Replay string
	Synthetic             bool
	Runs, Seeds           int
	Policies              []string
	Objectives            []*objective
	Accounts, Costs       []account
	Figures               []figure
	Charts                []*chart
	ChartsNote            string
	Warnings              []string
	Units, Doubt          string // what intervals count, and why they may mislead
	Provenance            results.Provenance
	Command               string
	Licence               string
	Style                 template.CSS
	Library, Script       template.JS
	Policy                string // content security policy
	theme                 plots.Theme
}

type figure struct {
	SVG     template.HTML
	Caption string
}

// Page writes a page about a set: HTML in one file that asks the network for
// nothing. The timelines of the first 20 runs that have one are in it, those of
// the lowest seeds first.
func Page(w io.Writer, set *results.Set) error {
	if len(set.Summaries) == 0 {
		return fmt.Errorf("report: no runs")
	}
	first := &set.Summaries[0]
	p := page{Title: first.Scenario, Market: first.Market, Replay: first.Replay,
		Synthetic: strings.Contains(strings.ToLower(first.Market), "synthetic"), Runs: len(set.Summaries),
		Objectives: objectives(set.Summaries), Accounts: activities, Costs: bill, Provenance: set.Provenance,
		Command: command(set.Provenance.CommandLine), Licence: uplotLicence, Warnings: warnings(set.Summaries),
		Library: template.JS(uplotScript), Script: template.JS(pageScript)}
	p.Policy = fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '%s' '%s'", digest(uplotScript), digest(pageScript))
	p.name(set.Summaries)
	if err := p.draw(set); err != nil {
		return err
	}
	p.chart(set)
	p.Style = template.CSS(uplotStyle + pageStyle + p.theme.CSS())
	return pageTemplate.Execute(w, &p)
}

// digest is a script's hash as a content security policy has it.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// name lists policies, seeds and units, and gives the policies their looks.
func (p *page) name(rows []results.Summary) {
	seeds, units := map[int64]bool{}, map[intervals.Unit]bool{}
	for _, s := range rows {
		seeds[s.Seed], units[intervals.Of(&s, 0)] = true, true
		if !slices.Contains(p.Policies, s.Policy) {
			p.Policies = append(p.Policies, s.Policy)
		}
	}
	p.Seeds = len(seeds)
	p.Units, p.Doubt = intervals.Count(len(units), rows[0].Unit), intervals.Doubt(len(units), rows[0].Unit)
	for _, o := range p.Objectives {
		for _, r := range o.Rows {
			r.Swatch = template.HTML(plots.LookOf(r.Policy).Swatch(&p.theme, "dot")) // numbers only
		}
	}
}

// draw draws the figures.
func (p *page) draw(set *results.Set) error {
	add := func(f *plots.Figure, caption string) error {
		svg, err := f.Inline(&p.theme)
		if err != nil {
			return err
		}
		p.Figures = append(p.Figures, figure{template.HTML(svg), caption}) // plots escapes what it writes
		return nil
	}
	f, err := plots.CostObjective(set.Summaries)
	if err != nil {
		return err
	}
	if err := add(f, "Cost and time to the objective"); err != nil {
		return err
	}
	if panels := costs(set.Summaries); panels != nil {
		if f, err = plots.CDF("cost", "of all runs, finished or not; bands: Dvoretzky-Kiefer-Wolfowitz, 95 %, n = "+p.Units, "cost of a run (USD)", panels); err != nil {
			return err
		}
		if err := add(f, "Share of the runs that cost at most so much"); err != nil {
			return err
		}
	}
	for _, job := range plots.WholeJobs(set.Summaries) {
		if f, err = plots.Activities(job); err != nil {
			return err
		}
		if err := add(f, "Where the instance time went, "+job[0].Objective); err != nil {
			return err
		}
	}
	return nil
}

// fewestShared is the least number of units of a policy for which their shares are
// drawn: below, the band is wider than half of the figure.
const fewestShared = 8

// costs returns what runs cost, by objective and policy; nil if there are too few.
func costs(rows []results.Summary) []plots.Samples {
	var panels []plots.Samples
	most := 0
	for i := range rows {
		s := &rows[i]
		at := slices.IndexFunc(panels, func(p plots.Samples) bool { return p.Title == s.Objective })
		if at < 0 {
			at, panels = len(panels), append(panels, plots.Samples{Title: s.Objective})
		}
		of := &panels[at].Of
		k := slices.IndexFunc(*of, func(x plots.Sample) bool { return x.Policy == s.Policy })
		if k < 0 {
			k, *of = len(*of), append(*of, plots.Sample{Policy: s.Policy, Oracle: s.Oracle, Units: map[intervals.Unit]bool{}})
		}
		sample := &(*of)[k]
		sample.Values = append(sample.Values, s.CostUSD)
		sample.Units[intervals.Of(s, 0)] = true
		most = max(most, len(sample.Units))
	}
	if most < fewestShared {
		return nil
	}
	return panels
}

// chart fills in the timelines.
func (p *page) chart(set *results.Set) {
	runs := runsOf(set)
	all := len(runs)
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(a.Seed, b.Seed) })
	runs = runs[:min(len(runs), mostRuns)]
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.Run, b.Run) })
	for i := range runs {
		p.Charts = append(p.Charts, chartOf(&runs[i]))
	}
	if p.Runs > len(runs) {
		p.ChartsNote = fmt.Sprintf("%d of %d runs kept a timeline; %d of them are here (timelines in the spec says of how many seeds they are kept).", all, p.Runs, len(runs))
	}
}

// warnings are those of all runs, each once.
func warnings(rows []results.Summary) []string {
	var out []string
	for _, s := range rows {
		for w := range strings.SplitSeq(s.Warnings, "; ") {
			if w != "" && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// command is a command line that a shell takes as it stands.
func command(args []string) string {
	var out []string
	for _, a := range args {
		if strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./,:=+@%", r))
		}) || a == "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(append(out, "--out", "out"), " ")
}
