package sweep

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/flags"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
	"github.com/marigram/marigram/internal/store"
)

type tuneFlags struct {
	Workers
	Policy    string   `flag:"policy" complete:"@policies" help:"the <policy>; the spec's if it has only one"`
	Objective string   `flag:"objective" help:"the objective of this <label>; the spec's if it has only one"`
	Set       []string `flag:"set,s" help:"what to tune: <path=a,b>, path=a..b or path; may be repeated"`
	Share     *float64 `flag:"share" help:"share of the runs that has to meet the objective, below 1; if absent, the objective's, or else 0.95"`
	Within    float64  `flag:"within" default:"0.02" min:"0" max:"1" help:"margin: the winner costs at most so much more than the best, as a share"`
	Alpha     float64  `flag:"alpha" default:"0.05" over:"0" max:"0.5" help:"probability that the margin does not hold, and that the share does not"`
	Seeds     int      `flag:"seeds" min:"1" help:"most seeds, or starts of a recorded market, of a setting; 1000 seeds or 200 starts if absent"`
	Most      int64    `flag:"most" min:"1" help:"most runs in all; no bound if absent"`
	Worth     []string `flag:"worth" help:"a change of the winner, <path=value>, whose worth is to be printed; may be repeated; one more of every quota if absent; none for none"`
	Out       string   `flag:"out" help:"keep the runs and the answer in this <folder>, and resume what was begun there"`
	JSON      bool     `flag:"json" help:"print JSON instead of the text"`
	All       bool     `flag:"all" help:"print all settings, not only the best ten"`
}

// Tune returns the command marigram tune: the cheapest settings of a policy that meet an objective often enough.
func Tune() *cobra.Command {
	f := tuneFlags{Workers: allCores()}
	return cli.Writes(flags.On(&cobra.Command{
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
	}, &f), tune.PlanFile, tune.ResultFile, tune.WinnerFile, "part-*.parquet")
}

func (f *tuneFlags) run(cmd *cobra.Command, name string) error {
	if err := f.check(cmd); err != nil {
		return err
	}
	thrift(50)
	q := tune.Question{Spec: name, Policy: f.Policy, Objective: f.Objective, Set: f.Set, Within: f.Within, Alpha: f.Alpha, Blocks: f.Seeds,
		Most: f.Most, Worth: f.Worth}
	if f.Share != nil {
		q.Share = *f.Share
	}
	v, commit := cli.BuildVersion()
	var progress tuned
	show := watch(cmd.ErrOrStderr(), progress.state)
	a, err := tune.Find(cmd.Context(), q, tune.Options{Workers: f.Jobs, Dir: f.Out, Version: v, Commit: commit, Progress: progress.set, Notice: show.say})
	show.stop()
	if err != nil && cmd.Context().Err() != nil && f.Out != "" {
		return cli.Resumable(fmt.Errorf("interrupted; %d runs are done; repeat the command to resume", progress.state().done))
	}
	if err != nil {
		return err
	}
	for _, text := range a.Warnings {
		term.Warn(cmd.ErrOrStderr(), "%s", text)
	}
	if f.JSON {
		return cli.WriteJSON(cmd.OutOrStdout(), a)
	}
	f.print(cmd.OutOrStdout(), a)
	return nil
}

// check refuses flags out of their bounds, and a folder of other results.
func (f *tuneFlags) check(cmd *cobra.Command) error {
	switch {
	case len(f.Set) == 0:
		return errors.New("--set is missing: expected what to tune, such as -s policy.patience_s=30,120,600")
	case f.Share != nil && !(*f.Share > 0 && *f.Share < 1):
		return fmt.Errorf("--share %v, expected above 0 and below 1, such as 0.95: a share of 1 cannot be proven", *f.Share)
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
