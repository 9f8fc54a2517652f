package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/plots/canvas"
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

	//go:embed page.css
	pageStyle string
	//go:embed tables.js
	tablesScript string
	//go:embed timeline.js
	timelineScript string
)

// page is what the template page.qtpl prints.
type page struct {
	*Study
	Synthetic        bool
	Policies         int
	Verdicts         []*verdict
	Rankings         []figure // one an objective
	Warnings         []warnings
	Objectives       []*objective
	Accounts, Costs  []account
	Figures          []figure
	Charts           *charts
	ChartsNote       string
	chartData        []byte // the charts in JSON that may stand in a page
	Commands         []string
	Licence          string
	Style            string
	Library          string
	Tables, Timeline string
	Policy           string // content security policy
	theme            canvas.Theme
}

// Page writes a page about a set: HTML in one file that asks the network for nothing.
// The timelines of the first 20 runs that have one are in it, those of the lowest seeds
// first.
func Page(w io.Writer, set *results.Set) error {
	return Of(set).Page(w)
}

// Of is the study that a set is.
func Of(set *results.Set) *Study {
	s := NewStudy(set.Provenance)
	for i := range set.Summaries {
		s.Add(&set.Summaries[i], 0)
	}
	s.Timelines(set, nil)
	return s
}

// Page writes the page about the study.
func (s *Study) Page(w io.Writer) error {
	if s.Empty() {
		return fmt.Errorf("report: no runs")
	}
	if s.many() {
		return s.jobsPageTo(w)
	}
	p := page{Study: s, Synthetic: strings.Contains(strings.ToLower(s.market), "synthetic"),
		Accounts: activities, Commands: s.commands(), Licence: uplotLicence,
		Library: uplotScript, Tables: tablesScript, Timeline: timelineScript}
	s.rank()
	if err := p.fill(); err != nil {
		return err
	}
	var hashes []string
	for _, script := range []string{uplotScript, tablesScript, timelineScript} {
		hashes = append(hashes, "'"+digest(script)+"'")
	}
	p.Policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src " + strings.Join(hashes, " ")
	p.Style = uplotStyle + pageStyle + p.theme.CSS()
	_, err := io.WriteString(w, pageHTML(&p))
	return err
}

// fill makes what the page shows, in the order in which it shows it.
func (p *page) fill() (err error) {
	s := p.Study
	p.Costs = s.costs()
	p.Objectives = s.objectives
	for _, o := range s.objectives {
		o.theme = &p.theme
		v := o.verdict()
		p.Verdicts = append(p.Verdicts, &v)
		p.Policies = max(p.Policies, len(o.Rows))
		f, err := s.ranking(o)
		if err != nil {
			return err
		}
		one, err := inline(f, &p.theme, "")
		if err != nil {
			return err
		}
		p.Rankings = append(p.Rankings, one)
	}
	if doubts := s.doubts(); len(doubts) > 0 {
		p.Warnings = append(p.Warnings, warnings{"how sure the numbers are", doubts})
	}
	p.Warnings = append(p.Warnings, s.warned.groups()...)
	if p.Figures, err = s.figures(&p.theme); err != nil {
		return err
	}
	p.Charts, p.ChartsNote = s.charts(&p.theme)
	p.chartData, err = json.Marshal(p.Charts)
	return err
}

// cells says whether the page has a table of the sweep's cells.
func (p *page) cells() bool { return p.Sweep != nil && len(p.Sweep.Cells) > 0 }

// The study in words, for the template.
func (s *Study) Title() string    { return s.name }
func (s *Study) Market() string   { return s.market }
func (s *Study) Replay() string   { return s.replay }
func (s *Study) Runs() int        { return s.runs }
func (s *Study) Seeds() int       { return len(s.seeds) }
func (s *Study) Starts() int      { return len(s.starts) }
func (s *Study) UnitText() string { return s.unitCount() }

// Provenance says where the results come from.
func (s *Study) Provenance() results.Provenance { return s.from }

// digest is a script's hash as a content security policy has it.
func digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// commands are the command lines that make the page again.
func (s *Study) commands() []string {
	dir, again := "out", []string{"marigram", "report"}
	if s.Sweep != nil {
		dir = s.Sweep.Dir
		for _, w := range s.Sweep.Where {
			again = append(again, "--where", w)
		}
	}
	return []string{format.Command(append(slices.Clone(s.from.CommandLine), "--out", dir)),
		format.Command(append(again, dir, "-o", "report.html"))}
}
