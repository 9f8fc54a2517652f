package sweep

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/tune"
	"github.com/marigram/marigram/internal/format"
	"github.com/marigram/marigram/internal/table"
)

// print prints an answer: what to do first, then why.
func (f *tuneFlags) print(w io.Writer, a *tune.Answer) {
	fmt.Fprintf(w, "%s, %s: the cheapest of %s that meets the objective in at least %s of the runs\n", a.Policy, a.Objective,
		cli.Count(len(a.Settings), "setting", "settings"), format.Percent(a.Share))
	if a.Verdict == tune.Unmet {
		unmet(w, a)
	} else {
		f.winner(w, a)
	}
	fmt.Fprintln(w)
	f.table(w, a)
	worth(w, a)
	fmt.Fprintf(w, "\n%d runs: ", a.Runs.All())
	if a.Runs.Search > 0 {
		fmt.Fprintf(w, "%d of a search that tried %d settings, ", a.Runs.Search, a.Searched)
	}
	fmt.Fprintf(w, "%d of the race, %d of the proof; all settings on as many %ss as the race went to would take %d\n", a.Runs.Race, a.Runs.Proof, a.Unit, a.Runs.Grid)
}

func unmet(w io.Writer, a *tune.Answer) {
	best := slices.MaxFunc(a.Settings, func(x, y tune.Setting) int { return cmp.Compare(x.UpperShare, y.UpperShare) })
	fmt.Fprintf(w, "no setting meets the objective that often: the highest upper bound is %s (%s, met with %d of %s)\n",
		format.Percent(best.UpperShare), name(best.Parameters), best.Met, intervals.Count(best.Blocks, a.Unit))
	fmt.Fprintln(w, "Lower --share, give the objective more time, or tune another policy: spotdnn-safe and safe:NAME meet deadlines.")
}

// winner prints the winner and how sure it is.
func (f *tuneFlags) winner(w io.Writer, a *tune.Answer) {
	if a.Fresh > 0 {
		fmt.Fprintf(w, "winner: %s: %s USD a run%s, met with %d of %s that chose nothing", name(a.Winner), format.USD(*a.CostUSD), interval(a.CostCI, format.USD),
			a.Met, intervals.Count(a.Fresh, a.Unit))
		fmt.Fprintf(w, " (%.0f to %.0f %%)\n", 100*a.MetCI.Low, 100*a.MetCI.High)
	} else {
		fmt.Fprintf(w, "winner so far: %s\n", name(a.Winner))
	}
	switch {
	case a.Verdict == tune.Proven:
		fmt.Fprintf(w, "proven (error probability %v): it meets the objective in at least %s of the runs\n", a.Alpha, format.Percent(a.Share))
	case a.Runs.All() > 0 && a.Most > 0:
		fmt.Fprintf(w, "not proven that it meets the objective in at least %s of the runs; more runs may tell (--most)\n", format.Percent(a.Share))
	default:
		fmt.Fprintf(w, "not proven that it meets the objective in at least %s of the runs: its share is too close to that; more %ss may tell (--seeds)\n", format.Percent(a.Share), a.Unit)
	}
	others(w, a)
	fmt.Fprintf(w, "\n%s", a.Text())
}

// others says whether another setting may be cheaper.
func others(w io.Writer, a *tune.Answer) {
	close := 0
	for i := range a.Settings {
		if a.Settings[i].Close {
			close++
		}
	}
	if a.Decided {
		fmt.Fprintf(w, "no setting that may meet it is cheaper by more than %s; %d may be cheaper by less\n", format.Percent(a.Within), close)
		return
	}
	fmt.Fprintf(w, "not decided: %s may be cheaper, by more than %s even; more runs may tell (--seeds, --most)\n", cli.Count(close, "setting", "settings"), format.Percent(a.Within))
}

func interval(i *intervals.Interval, form func(float64) string) string {
	if i == nil {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", form(i.Low), form(i.High))
}

// name is a setting for people: its parameters without the common "policy.".
func name(parameters json.RawMessage) string {
	if string(parameters) == "{}" {
		return "the spec's own settings"
	}
	c, err := cli.ParseCombination(string(parameters))
	if err != nil || len(c) == 0 {
		return string(parameters)
	}
	return strings.ReplaceAll(", "+c.Title(""), ", policy.", ", ")[2:]
}

// shown is how many settings are printed without --all.
const shown = 10

// class puts the winner first, then settings that could win, then the others.
func class(s *tune.Setting, a *tune.Answer) int {
	switch {
	case s.MeanUSD == nil:
		return 3
	case string(s.Parameters) == string(a.Winner):
		return 0
	case s.Out == "":
		return 1
	}
	return 2
}

// table prints the settings, by class and then by cost.
func (f *tuneFlags) table(w io.Writer, a *tune.Answer) {
	order := slices.Clone(a.Settings)
	slices.SortStableFunc(order, func(x, y tune.Setting) int {
		if c := cmp.Compare(class(&x, a), class(&y, a)); c != 0 || x.MeanUSD == nil {
			return c
		}
		if x.DiffUSD != nil && y.DiffUSD != nil {
			return cmp.Compare(*x.DiffUSD, *y.DiffUSD)
		}
		return cmp.Compare(*x.MeanUSD, *y.MeanUSD)
	})
	t := table.New("setting", a.Unit+"s", "met", "cost USD|usd", "minus winner|+usd", "|left")
	for i := range order {
		if i == shown && !f.All {
			break
		}
		s := &order[i]
		diff := s.DiffUSD
		if diff != nil && *diff == 0 {
			diff = nil
		}
		t.Row(name(s.Parameters), s.Blocks, s.Met, s.MeanUSD, diff, outcome(s, a))
	}
	term.Print(w, t)
	if more := len(order) - shown; more > 0 && !f.All {
		fmt.Fprintf(w, "and %d more (--all prints them)\n", more)
	}
}

// outcome says how a setting stands.
func outcome(s *tune.Setting, a *tune.Answer) string {
	switch {
	case string(s.Parameters) == string(a.Winner):
		return "winner"
	case s.Out == "share":
		return "meets the objective too rarely"
	case s.Out == "failed":
		return "a run failed"
	case s.Out != "":
		return "share not proven"
	case a.Verdict == tune.Unmet:
		return ""
	case s.Close:
		return "may cost less"
	}
	return "dearer"
}

// worth prints what changes of the winner are worth.
func worth(w io.Writer, a *tune.Answer) {
	if a.Worth == nil {
		return
	}
	fmt.Fprintf(w, "\nbeside the winner, on %s that chose nothing:\n", intervals.Count(a.Worth[0].Blocks, a.Unit))
	var same []string
	for _, c := range a.Worth {
		switch saves := c.SavesUSD; {
		case c.Error != "":
			fmt.Fprintf(w, "  %s: %s\n", c.About, c.Error)
		case saves == 0 && c.SavesCI != nil && c.SavesCI.Low == 0 && c.SavesCI.High == 0:
			same = append(same, c.About)
		case saves < 0:
			fmt.Fprintf(w, "  %s: costs %s USD more a run%s, met with %d\n", c.About, format.USD(-saves), turned(c.SavesCI), c.Met)
		default:
			fmt.Fprintf(w, "  %s: saves %s USD a run%s, met with %d\n", c.About, format.USD(saves), interval(c.SavesCI, format.USD), c.Met)
		}
	}
	if same != nil {
		fmt.Fprintf(w, "  no difference: %s\n", strings.Join(same, ", "))
	}
}

// turned is the interval of the opposite number.
func turned(i *intervals.Interval) string {
	if i == nil {
		return ""
	}
	return interval(&intervals.Interval{Low: -i.High, High: -i.Low}, format.USD)
}
