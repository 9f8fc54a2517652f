package adrs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/policies/plugin/loader"
)

func init() {
	judge.Register(judge.Contest{
		Name: "adrs", Version: 1, Size: "1,080 runs",
		About: `the ADRS problem "Can't Be Late", one zone: a program decides at every tick between spot, on demand and nothing`,
		Judge: func(ctx context.Context, programs []*loader.Plugin, opt judge.Options) (*judge.Report, error) {
			return judged(ctx, "adrs", programs, opt)
		},
	})
	judge.Register(judge.Contest{
		Name: "adrs-zones", Version: 1, Size: "34 runs",
		About: `the ADRS problem "Can't Be Late" in many zones: a program chooses the zone, too`,
		Judge: func(ctx context.Context, programs []*loader.Plugin, opt judge.Options) (*judge.Report, error) {
			return judged(ctx, "adrs-zones", programs, opt)
		},
	})
}

// Result is what came of a contest, as JSON.
type Result struct {
	Format   int        `json:"format"`
	Set      string     `json:"set"`
	Version  int        `json:"version"`
	Programs []Standing `json:"programs"` // those that were handed in, in their order, then ours
}

// Standing is how a program did.
type Standing struct {
	Program string        `json:"program"`
	SHA256  string        `json:"sha256,omitempty"` // of its file
	Form    string        `json:"form"`             // function (LEVI), class (leaderboard) or native
	Sandbox bool          `json:"sandbox"`
	Failed  string        `json:"failed,omitempty"` // why it is out: its score is 0
	Doubt   string        `json:"doubt,omitempty"`  // what is wrong with its decisions, although it ran
	Score   float64       `json:"score"`            // as scored there: by LEVI for a function, by the leaderboard for a class
	Summary *Summary      `json:"summary,omitempty"`
	New     []Elsewhere   `json:"new_windows,omitempty"` // cases that no published program was fitted to
	Cases   []CaseOutcome `json:"cases,omitempty"`
}

// Elsewhere is the score of a program on other cases, by the same rules.
type Elsewhere struct {
	Cases string `json:"cases"`
	Summary
}

// CaseOutcome is the outcome of one case.
type CaseOutcome struct {
	Case string `json:"case"`
	Outcome
	OptimumUSD *float64 `json:"optimum_usd,omitempty"` // with --why
	Why        []Loss   `json:"why,omitempty"`         // the dearest first
}

// contest is a set at work.
type contest struct {
	name  string
	cases []Case
	ctx   context.Context
	opt   judge.Options
	more  []namedCases // new windows, with --slow
	done  atomic.Int64
	best  []Optimum // by case, with --slow
}

type namedCases struct {
	name  string
	cases []Case
}

// judged runs the programs and our own rules.
func judged(ctx context.Context, name string, programs []*loader.Plugin, opt judge.Options) (*judge.Report, error) {
	all, err := open(ctx)
	if err != nil {
		return nil, err
	}
	c := &contest{name: name, ctx: ctx, opt: opt}
	if name == "adrs" {
		c.cases, err = all.oneZone()
	} else {
		c.cases, err = all.manyZones()
	}
	if err != nil {
		return nil, err
	}
	result := &Result{Format: 1, Set: name, Version: 1}
	report := &judge.Report{Document: result}
	if opt.Slow {
		if c.more, err = all.newWindows(name); err != nil {
			report.Warnings = append(report.Warnings, err.Error())
		}
	}
	if opt.Slow {
		if c.best, err = optima(ctx, c.cases, nil); err != nil {
			return nil, err
		}
	}
	for _, g := range programs {
		standing, err := c.program(g)
		if err != nil {
			return nil, err
		}
		if standing.Failed != "" {
			report.Failed = errors.Join(report.Failed, fmt.Errorf("program %s is out: %s", g.Name, standing.Failed))
		}
		result.Programs = append(result.Programs, standing)
	}
	for _, rule := range natives(all, opt.Slow) {
		standing, err := c.native(rule)
		if err != nil {
			return nil, err
		}
		result.Programs = append(result.Programs, standing)
	}
	if c.best != nil {
		result.Programs = append(result.Programs, c.foresight())
	}
	c.describe(result, report)
	return report, nil
}

// program judges a program that was handed in, twice.
func (c *contest) program(g *loader.Plugin) (Standing, error) {
	sum, err := g.SHA256()
	if err != nil {
		return Standing{}, err
	}
	if err := adapted(g); err != nil {
		return Standing{}, err
	}
	if c.opt.Sandbox {
		if err := g.Confine(); err != nil {
			return Standing{}, err
		}
	}
	s := Standing{Program: g.Name, SHA256: sum, Sandbox: c.opt.Sandbox}
	outcomes, paths, class, err := c.twice(g, &s)
	s.Form = "function"
	if class {
		s.Form = "class"
	}
	if err == nil {
		for _, more := range c.more {
			var elsewhere []Outcome
			share := (len(more.cases) + maxCopies - 1) / maxCopies
			if elsewhere, _, _, err = runCopies(g, more.cases, share, c.step); err != nil {
				break
			}
			s.New = append(s.New, Elsewhere{more.name, c.summary(more.cases, elsewhere, class)})
		}
	}
	if err != nil {
		s.Failed = err.Error()
		return s, nil
	}
	return s, c.stand(&s, outcomes, paths, class)
}

// maxCopies is how many copies of a program run side by side: a message to them is a tick of each, and messages cost
// more than what they hold.
const maxCopies = 108

// twice runs a program twice, each time with other cases in a copy: what it carries from run to run, and what is random,
// differs. One that does not do the same is run in one copy, in the order of the cases, twice.
func (c *contest) twice(g *loader.Plugin, s *Standing) (outcomes []Outcome, paths [][]Choice, class bool, err error) {
	share := (len(c.cases) + maxCopies - 1) / maxCopies
	outcomes, paths, class, same, err := c.both(g, share, share+1)
	if err != nil || same {
		return outcomes, paths, class, err
	}
	outcomes, paths, class, same, err = c.both(g, len(c.cases), len(c.cases))
	s.Doubt = "what it decides in a run depends on the runs before it: its score is that of one process, in the order of the cases"
	if !same {
		s.Doubt = "it decides otherwise when it is run again: it uses randomness without a seed, or a clock"
	}
	return outcomes, paths, class, err
}

// both runs a program in two processes at the same time, and reports whether they do the same; share and other are how
// many cases a copy has.
func (c *contest) both(g *loader.Plugin, share, other int) (outcomes []Outcome, paths [][]Choice, class, same bool,
	err error) {
	var again []Outcome
	var secondErr error
	done := make(chan struct{})
	go func() {
		again, _, _, secondErr = runCopies(g, c.cases, other, c.step)
		close(done)
	}()
	outcomes, paths, class, err = runCopies(g, c.cases, share, c.step)
	<-done
	if err == nil {
		err = secondErr
	}
	return outcomes, paths, class, slices.Equal(outcomes, again), err
}

// step counts a run for the progress.
func (c *contest) step() {
	done := c.done.Add(1)
	if c.opt.Progress != nil {
		c.opt.Progress(done, max(done, int64(len(c.cases))))
	}
}

// runCopies runs a program in copies with so many cases each, and calls step after each case.
func runCopies(g *loader.Plugin, cases []Case, share int, step func()) (outcomes []Outcome, paths [][]Choice,
	class bool, err error) {
	p, err := start(g, (len(cases)+share-1)/share)
	if err != nil {
		return nil, nil, false, err
	}
	defer p.stop()
	outcomes = make([]Outcome, len(cases))
	paths = make([][]Choice, len(cases))
	err = p.run(cases, share, func(at int, r *Referee, out Outcome) {
		outcomes[at] = out
		paths[at] = slices.Clone(r.Ran)
		step()
	})
	return outcomes, paths, p.class, err
}

// native judges one of our own rules.
func (c *contest) native(rule native) (Standing, error) {
	s := Standing{Program: rule.name, Form: "native"}
	outcomes, paths, err := rule.run(c.ctx, c.cases)
	if err != nil {
		return s, err
	}
	for _, more := range c.more {
		elsewhere, _, err := rule.run(c.ctx, more.cases)
		if err != nil {
			return s, err
		}
		s.New = append(s.New, Elsewhere{more.name, c.summary(more.cases, elsewhere, false)})
	}
	return s, c.stand(&s, outcomes, paths, false)
}

// foresight is the standing of the optimum: its bill, and nothing else.
func (c *contest) foresight() Standing {
	outcomes := make([]Outcome, len(c.best))
	for i, best := range c.best {
		outcomes[i] = Outcome{LEVIUSD: best.USD, RanUSD: best.USD, BilledUSD: best.USD}
	}
	summary := c.summary(c.cases, outcomes, false)
	return Standing{Program: "foresight", Form: "optimum", Score: summary.Score, Summary: &summary}
}

// stand fills in what the outcomes say.
func (c *contest) stand(s *Standing, outcomes []Outcome, paths [][]Choice, class bool) error {
	summary := c.summary(c.cases, outcomes, class)
	s.Summary = &summary
	s.Score = summary.Score
	for i, out := range outcomes {
		s.Cases = append(s.Cases, CaseOutcome{Case: c.cases[i].ID, Outcome: out})
	}
	if !c.opt.Why {
		return nil
	}
	best, err := optima(c.ctx, c.cases, paths)
	if err != nil {
		return err
	}
	for i := range best {
		s.Cases[i].OptimumUSD = &best[i].USD
		s.Cases[i].Why = losses(&c.cases[i], paths[i], best[i].Paid)
	}
	return nil
}

// describe makes the tables.
func (c *contest) describe(result *Result, report *judge.Report) {
	of := "tight"
	loose := "loose"
	if c.name == "adrs-zones" {
		of, loose = "few zones", "many zones"
	}
	columns := []string{"program|left", "as scored|%.3f", "late", "as billed|%.3f", "honest|%.3f", "USD|%.3f",
		of + "|%.2f", loose + "|%.2f", "forced", "blocked", "launches|%.1f"}
	for _, more := range c.more {
		columns = append(columns, more.name+"|%.2f", "late")
	}
	t := table.New(columns...)
	for i := range result.Programs {
		s := &result.Programs[i]
		name := s.Program
		if s.Form == "class" || s.Form == "function" || s.Failed != "" {
			name = "> " + name
		}
		if s.Summary == nil {
			t.Row(name, "out")
			continue
		}
		sum := s.Summary
		row := []any{name, sum.Score, sum.Late, sum.Billed, sum.Honest, sum.BilledUSD, sum.Tight, sum.Loose,
			sum.Forced, sum.Blocked, float64(sum.Launches) / float64(len(c.cases))}
		for _, more := range s.New {
			row = append(row, more.Billed, more.Late)
		}
		t.Row(row...)
		if s.Doubt != "" {
			report.Warnings = append(report.Warnings, s.Program+": "+s.Doubt)
		}
	}
	report.Tables = []*table.Table{t}
	if c.opt.Why {
		report.Tables = append(report.Tables, whyTable(result.Programs))
	}
	report.Title = fmt.Sprintf("%s, version %d: %d runs a program", c.name, result.Version, len(c.cases))
	report.Notes = []string{
		"as scored: by the rules there (0 is all on demand, 100 all on spot without losses), lateness free, and in many zones",
		"  all ticks at the price of the last zone; late: runs that end after their deadline; as billed: each tick at the price",
		"  of its zone; honest: as billed, a move of what runs also pays a restart, and a late run twice what the job costs on",
		"  demand; USD: mean of as billed; forced, blocked: ticks in which the rules ran something else than was asked for",
	}
}
