// Package tune is the command marigram tune: the cheapest settings of a policy that meet an
// objective often enough.
package tune

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
	"github.com/marigram/marigram/internal/store"
)

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "tune SPEC",
		Short: "Find the cheapest settings of a policy that meet the objective often enough",
		Long: `Finds the settings of a policy with the least mean cost, of those that meet the objective
in a share of the runs, and prints them as YAML for a spec. All settings run the same seeds
(on a recorded market: the same starts); those that are surely dearer than the best one by
more than --within, or meet the objective too rarely, stop early. Then the winner runs seeds
that chose nothing, until its share is proven.

--set gives values (policy.patience_s=30,120,600), a range (policy.patience_s=30..600), or
neither (policy.patience_s), for all that the setting takes. Values make a grid. With a range,
CMA-ES searches on seeds of its own, and the last 20 settings that it tried race.

On a recorded market the first half of the history chooses, and the second half proves.
With --out, repeat the command to resume it after a stop. The answer does not depend on the
number of cores.`,
		Example: `  marigram tune quickstart --policy spotdnn-safe --objective loss-0.54-in-6h \
    -s policy.reserve_s=60,300 -s policy.on_demand_instances=3,4,6 --share 0.95 --within 0.02
  marigram tune my.yaml --policy spotdnn -s policy.patience_s=30..1800 --out tuned`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cli.CompleteSpecs,
		RunE:              func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	q, flags := &f.question, cmd.Flags()
	flags.StringVar(&q.Policy, "policy", "", "the `policy`; the spec's if it has only one")
	flags.StringVar(&q.Objective, "objective", "", "the objective of this `label`; the spec's if it has only one")
	flags.StringArrayVarP(&q.Set, "set", "s", nil, "what to tune: `path=a,b`, path=a..b or path; may be repeated")
	flags.Float64Var(&q.Share, "share", 0, "share of the runs that has to meet the objective, below 1; if absent, the objective's, or else 0.95")
	flags.Float64Var(&q.Within, "within", 0.02, "margin: the winner costs at most so much more than the best, as a share")
	flags.Float64Var(&q.Alpha, "alpha", 0.05, "probability that the margin does not hold, and that the share does not")
	flags.IntVar(&q.Blocks, "seeds", 0, "most seeds, or starts of a recorded market, of a setting; 1000 seeds or 200 starts if absent")
	flags.Int64Var(&q.Most, "most", 0, "most runs in all; no bound if absent")
	flags.StringArrayVar(&f.worth, "worth", nil, "a change of the winner, `path=value`, whose worth is to be printed; may be repeated; "+
		"one more of every quota if absent; none for none")
	flags.StringVar(&f.out, "out", "", "keep the runs and the answer in this `folder`, and resume what was begun there")
	flags.IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "`number` of runs at one time")
	flags.BoolVar(&f.json, "json", false, "print JSON instead of the text")
	flags.BoolVar(&f.all, "all", false, "print all settings, not only the best ten")
	cli.Must(cmd.RegisterFlagCompletionFunc("policy", cli.CompletePolicies))
	return cli.Writes(cmd, tune.PlanFile, tune.ResultFile, tune.WinnerFile, "part-*.parquet")
}

const maxJobs = 1024

func (f *flags) run(cmd *cobra.Command, name string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(50) // many share a machine
	}
	f.question.Spec = name
	v, commit := cli.BuildVersion()
	show := watch(cmd.ErrOrStderr())
	a, err := tune.Find(cmd.Context(), f.question, tune.Options{Workers: f.jobs, Dir: f.out, Version: v, Commit: commit,
		Progress: show.show, Notice: func(text string) { term.Warn(cmd.ErrOrStderr(), "%s", text) }})
	show.stop()
	if err != nil && cmd.Context().Err() != nil && f.out != "" {
		return cli.Resumable(fmt.Errorf("interrupted; %d runs are done; repeat the command to resume", show.runs()))
	}
	if err != nil {
		return err
	}
	for _, text := range a.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", text)
	}
	if f.json {
		return cli.WriteJSON(cmd.OutOrStdout(), a)
	}
	return cli.Failed(f.print(cmd.OutOrStdout(), a))
}

// check refuses flags out of their bounds, and a folder of other results.
func (f *flags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	q := &f.question
	switch {
	case len(q.Set) == 0:
		return errors.New("--set is missing: expected what to tune, such as -s policy.patience_s=30,120,600")
	case f.jobs < 1 || f.jobs > maxJobs:
		return fmt.Errorf("--jobs %d, expected 1 to %d", f.jobs, maxJobs)
	case changed("most") && q.Most < 1:
		return fmt.Errorf("--most %d, expected at least 1", q.Most)
	case changed("seeds") && q.Blocks < 1:
		return fmt.Errorf("--seeds %d, expected at least 20", q.Blocks)
	case changed("share") && !(q.Share > 0 && q.Share < 1):
		return fmt.Errorf("--share %v, expected above 0 and below 1, such as 0.95: a share of 1 cannot be proven", q.Share)
	case !(q.Within >= 0 && q.Within <= 1):
		return fmt.Errorf("--within %v, expected 0 to 1, such as 0.02 for 2 %%", q.Within)
	case !(q.Alpha > 0 && q.Alpha <= 0.5) || math.IsNaN(q.Alpha):
		return fmt.Errorf("--alpha %v, expected above 0 and at most 0.5", q.Alpha)
	}
	if changed("worth") {
		q.Worth = f.worth
	}
	for _, file := range []string{results.SummaryFile, sweep.PlanFile} {
		if f.out == "" {
			break
		}
		if there, _ := store.Exists(cmd.Context(), store.Join(f.out, file)); there {
			return fmt.Errorf("--out %s has other results (%s), expected another folder", f.out, file)
		}
	}
	return nil
}
