package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
)

type tuneFlags struct {
	Workers
	Policy    string   `flag:"policy" complete:"@policies" help:"the <policy>; the spec's if it has only one"`
	Objective string   `flag:"objective" help:"the objective of this <label>; the spec's if it has only one"`
	Set       []string `flag:"set,s" complete:"settings" help:"what to tune: <path=a,b> or path; may be repeated"`
	Share     *float64 `flag:"share" help:"share of the runs that has to meet the objective, below 1; if absent, the objective's, or else 0.95"`
	Within    float64  `flag:"within" default:"0.02" min:"0" max:"1" help:"margin: the winner costs at most so much more than the best, as a share"`
	Alpha     float64  `flag:"alpha" default:"0.05" above:"0" max:"0.5" help:"probability that the margin does not hold, and that the share does not"`
	Seeds     int      `flag:"seeds" min:"20" max:"1000000" help:"most seeds, or starts of a recorded market, of a setting; 1000 seeds or 200 starts if absent"`
	Max       int64    `flag:"max-runs" min:"1" help:"maximum number of runs in all; no bound if absent"`
	Out       string   `flag:"out" help:"keep the runs and the answer in this <folder>, and resume what was begun there"`
	JSON      bool     `flag:"json" help:"print JSON instead of the text"`
	All       bool     `flag:"all" help:"print all settings, not only the best ten"`
	cli.Commands
}

// Tune returns the command marigram tune: the cheapest settings of a policy that meet an objective often enough.
func Tune() *cobra.Command {
	f := tuneFlags{Workers: allCores()}
	return cli.Writes(cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "tune SPEC",
		Short: "Find the cheapest settings of a policy that meet the objective often enough",
		Long: `Finds the settings of a policy with the least mean cost, of those that meet the objective
in a share of the runs, and prints them as YAML for a spec. All settings run the same seeds
(on a recorded market: the same starts); those that are surely more expensive than the best one by
more than --within, or meet the objective too rarely, stop early. Then the winner is checked once,
on seeds that chose nothing: it is called proven if these show its share (an exact interval).

--set gives values (policy.patience_s=30,120,600), or neither (policy.placement) for all names of
a setting and both values of a switch. Several make a grid.

On a recorded market the part train of the trace chooses, and the part judge checks (docs/specs.md).
With --out, repeat the command to resume it after a stop. The answer does not depend on the
number of cores.`,
		Example: `  marigram tune quickstart --policy spotdnn-safe --objective loss-0.54-in-6h \
    -s policy.reserve_s=60,300 -s policy.on_demand_instances=3,4,6 --share 0.95 --within 0.02
  marigram tune my.yaml --policy spotdnn -s policy.patience_s=30,120,600,1800 --out tuned`,
	}, f.run), &f), tune.PlanFile, tune.ResultFile, tune.WinnerFile, "part-*.parquet")
}

func (f *tuneFlags) run(cmd *cobra.Command, name string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	thrift(50)
	question := tune.Question{
		Spec:          name,
		Policy:        f.Policy,
		Objective:     f.Objective,
		Set:           f.Set,
		Share:         stats.Or(f.Share, 0),
		Within:        f.Within,
		Alpha:         f.Alpha,
		Blocks:        f.Seeds,
		Max:           f.Max,
		AllowCommands: f.Allow,
	}
	version, commit := cli.BuildVersion()
	var progress tuned
	show := watch(cmd.ErrOrStderr(), progress.state)
	answer, err := tune.Find(cmd.Context(), question, tune.Options{
		Workers:  f.Jobs,
		Dir:      f.Out,
		Version:  version,
		Commit:   commit,
		Progress: progress.set,
		Notice:   show.say,
	})
	show.stop()
	if err != nil && cmd.Context().Err() != nil && f.Out != "" {
		return cli.Resumable(fmt.Errorf("interrupted; %d runs are done; repeat the command to resume",
			progress.state().done))
	}
	if err != nil {
		return err
	}
	term.WarnAll(cmd.ErrOrStderr(), answer.Warnings)
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), answer)
	}
	f.print(cmd.OutOrStdout(), answer)
	return nil
}

// check refuses flags out of their bounds, and a folder of other results.
func (f *tuneFlags) check(cmd *cobra.Command) error {
	switch {
	case len(f.Set) == 0:
		return errors.New("--set is missing: expected what to tune, such as -s policy.patience_s=30,120,600")
	case f.Share != nil && !(*f.Share > 0 && *f.Share < 1):
		return fmt.Errorf("--share %v, expected above 0 and below 1, such as 0.95: a share of 1 cannot be shown",
			*f.Share)
	}
	for _, file := range []string{results.SummaryFile, sweep.PlanFile} {
		if f.Out == "" {
			break
		}
		if there, _ := store.Exists(cmd.Context(), store.Join(f.Out, file)); there {
			return fmt.Errorf("--out %s has other results (%s), expected another folder", f.Out, file)
		}
	}
	return nil
}

// print prints an answer: what to do first, then why.
func (f *tuneFlags) print(w io.Writer, a *tune.Answer) {
	fmt.Fprintf(w, "%s, %s: the cheapest of %s that meets the objective in at least %s of the runs\n",
		a.Policy, a.Objective, units.Count(len(a.Settings), "setting", "settings"), units.Percent(a.Share))
	if a.Verdict == tune.Unmet {
		unmet(w, a)
	} else {
		f.winner(w, a)
	}
	fmt.Fprintln(w)
	f.table(w, a)
	fmt.Fprintf(w, "\n%d runs: %d of the race, %d of the check; "+
		"all settings on as many %ss as the race went to would take %d\n",
		a.Runs.All(), a.Runs.Race, a.Runs.Check, a.Unit, a.Runs.Grid)
}

func unmet(w io.Writer, a *tune.Answer) {
	best := slices.MaxFunc(a.Settings, func(x, y tune.Setting) int { return cmp.Compare(x.UpperShare, y.UpperShare) })
	fmt.Fprintf(w, "no setting meets the objective that often: the highest upper bound is %s (%s, met with %d of %s)\n",
		units.Percent(best.UpperShare), name(best.Parameters), best.Met, intervals.Count(best.Blocks, a.Unit))
	fmt.Fprintln(w, "Lower --share, give the objective more time, or tune another policy: "+
		"spotdnn-safe and safe:NAME meet deadlines.")
}

// winner prints the winner and how sure it is.
func (f *tuneFlags) winner(w io.Writer, a *tune.Answer) {
	if a.Fresh > 0 {
		fmt.Fprintf(w, "winner: %s: %s USD a run%s, met with %d of %s that chose nothing (%.0f to %.0f %%)\n",
			name(a.Winner), units.USD(*a.CostUSD), interval(a.CostCI, units.USD),
			a.Met, intervals.Count(a.Fresh, a.Unit), 100*a.MetCI.Low, 100*a.MetCI.High)
	} else {
		fmt.Fprintf(w, "winner so far: %s\n", name(a.Winner))
	}
	proven := fmt.Sprintf("proven (error probability %v):", a.Alpha)
	instead := ""
	if a.Verdict != tune.Proven {
		proven = "not proven that"
		instead = ": --max-runs left none for the check"
		if a.Fresh > 0 {
			instead = fmt.Sprintf(": give it more slack (a lower --share), or run more %ss (--seeds)", a.Unit)
		}
	}
	fmt.Fprintf(w, "%s it meets the objective in at least %s of the runs%s\n", proven, units.Percent(a.Share), instead)
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
		fmt.Fprintf(w, "no setting that may meet it is cheaper by more than %s; %d may be cheaper by less\n",
			units.Percent(a.Within), close)
		return
	}
	fmt.Fprintf(w, "not decided: %s may be cheaper, by more than %s even; more runs may tell (--seeds, --max-runs)\n",
		units.Count(close, "setting", "settings"), units.Percent(a.Within))
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
	settings, err := cli.ParseCombination(string(parameters))
	if err != nil || len(settings) == 0 {
		return string(parameters)
	}
	return strings.ReplaceAll(", "+settings.Title(""), ", policy.", ", ")[2:]
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
		if byClass := cmp.Compare(class(&x, a), class(&y, a)); byClass != 0 || x.MeanUSD == nil {
			return byClass
		}
		if x.DiffUSD != nil && y.DiffUSD != nil {
			return cmp.Compare(*x.DiffUSD, *y.DiffUSD)
		}
		return cmp.Compare(*x.MeanUSD, *y.MeanUSD)
	})
	rows := table.New("setting", a.Unit+"s", "met", "cost USD|usd", "minus winner|+usd", "|left")
	for i := range order {
		if i == shown && !f.All {
			break
		}
		setting := &order[i]
		diff := setting.DiffUSD
		if diff != nil && *diff == 0 {
			diff = nil
		}
		rows.Row(name(setting.Parameters), setting.Blocks, setting.Met, setting.MeanUSD, diff, outcome(setting, a))
	}
	term.Print(w, rows)
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
	case a.Verdict == tune.Unmet:
		return ""
	case s.Close:
		return "may cost less"
	}
	return "costs more"
}
