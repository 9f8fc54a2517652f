package policies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/gone"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/plugin/loader"
)

type judgeFlags struct {
	Set     string `flag:"set" default:"quick" help:"the <set>: a name (marigram judge sets) or a folder with set.yaml"`
	Output  string `flag:"output,o" help:"write the result into this <file>, as JSON"`
	JSON    bool   `flag:"json" help:"print the result as JSON instead of the tables"`
	Sandbox bool   `flag:"sandbox" help:"start policies by bwrap: no network, no environment, no files but their own folder and the system's"`
	Slow    bool   `flag:"slow" help:"in a contest: also its planner, the optimum and new windows, which take long"`
	Why     bool   `flag:"why" help:"in a contest: where each run paid more than the optimum with foresight"`
	Studies bool   `flag:"studies" help:"also print a table for every objective of every study"`
}

// Judge returns the command marigram judge: policies of others on a fixed set of studies.
func Judge() *cobra.Command {
	var f judgeFlags
	cmd := cli.WithFlags(&cobra.Command{
		Use:   "judge [POLICY]...",
		Short: "Rank policies of your own among all of marigram's on a fixed set of studies",
		Long: `Runs policies of your own over a fixed, versioned set of studies, with all policies of marigram that
are for them, and prints one table: how often each met the objective, what it cost compared with the least that
any policy can cost in hindsight (marigram bound), its score, and its rank with its 95 % interval. A POLICY
is a Python file or a command; NAME=POLICY gives it a name.

score: the mean of cost / bound, where a run that misses its objective also pays what the whole job costs on
demand. Each objective counts the same. A policy of marigram that is not for a study counts
there as ondemand. All policies have the same seeds and starts, so that differences are of pairs.

The program of a policy is started anew for every run. It can do what you can: run policies of others with --sandbox,
which starts them by bwrap (bubblewrap), or in a container. A policy that fails, or does not do the same when it is
asked again, is out. marigram judge sets lists the sets that come with marigram.`,
		Example: `  marigram judge mine.py
  marigram judge mine.py other.py --set spot-deadlines -o result.json
  marigram judge theirs.py --sandbox`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				if sentence := gone.Instead("command", "judge "+args[0]); sentence != "" {
					return errors.New(sentence)
				}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, &f)
	cmd.AddCommand(sets())
	return cmd
}

func (f *judgeFlags) run(cmd *cobra.Command, args []string) error {
	contest := contestNamed(f.Set)
	var set *judge.Set
	switch {
	case contest != nil && f.Studies:
		return errors.New("--studies has no effect on a contest: --json has its cases")
	case contest == nil && f.Why:
		return fmt.Errorf("--why has no effect on the set %s: it is for contests (marigram judge sets)", f.Set)
	case contest == nil && f.Slow:
		return fmt.Errorf("--slow has no effect on the set %s: it is for contests (marigram judge sets)", f.Set)
	case contest == nil:
		var err error
		if set, err = judge.Open(f.Set); err != nil {
			return err
		}
	}
	var entries []*loader.Plugin
	for _, text := range args {
		entry, err := loader.ParseFile(text)
		if err != nil {
			return err
		}
		entries = append(entries, entry)
	}
	bar := cli.NewBar(cmd.ErrOrStderr(), 0, "runs", "")
	defer bar.Clear()
	opt := judge.Options{Slow: f.Slow, Why: f.Why, Sandbox: f.Sandbox, Progress: func(done, all int64) {
		bar.Total(all)
		bar.Set(done)
	}}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	if contest != nil {
		report, err := contest.Judge(ctx, entries, opt)
		if err != nil {
			return err
		}
		bar.Clear()
		err = f.write(ctx, cmd.OutOrStdout(), report.Document, func(w io.Writer) { printReport(w, report) })
		return cli.Failed(errors.Join(err, report.Failed))
	}
	result, err := set.Judge(ctx, entries, opt)
	if err != nil {
		return err
	}
	result.Version, result.Commit = cli.BuildVersion()
	bar.Clear()
	err = f.write(ctx, cmd.OutOrStdout(), result, func(w io.Writer) { printResult(w, result, f.Studies) })
	return cli.Failed(errors.Join(err, outs(result)))
}

// write writes what came out as JSON where a flag says so, and otherwise prints it.
func (f *judgeFlags) write(ctx context.Context, stdout io.Writer, result any, print func(io.Writer)) error {
	if f.Output != "" {
		err := store.Write(ctx, f.Output, func(w io.Writer) error { return cli.WriteJSON(w, result) })
		if err != nil {
			return err
		}
	}
	if f.JSON {
		return cli.WriteJSON(stdout, result)
	}
	print(stdout)
	return nil
}

// contestNamed returns the contest of a name, nil where it is a set of studies.
func contestNamed(name string) *judge.Contest {
	for _, c := range judge.Contests() {
		if c.Name == name {
			return &c
		}
	}
	return nil
}

// printReport prints what came of a contest.
func printReport(w io.Writer, r *judge.Report) {
	fmt.Fprintln(w, r.Title)
	for _, t := range r.Tables {
		term.Print(w, t)
		fmt.Fprintln(w)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(w, note)
	}
	term.WarnAll(w, r.Warnings)
}

// outs is an error that names the policies of the user that are out.
func outs(r *judge.Result) (err error) {
	for i := range r.Policies {
		policy := &r.Policies[i]
		if policy.Failed != "" {
			err = errors.Join(err, fmt.Errorf("policy %s is out: %s", policy.Policy, policy.Failed))
		}
	}
	return err
}

// printResult prints the table of all policies, and on demand those of the studies.
func printResult(w io.Writer, r *judge.Result, studies bool) {
	fmt.Fprintf(w, "%s, version %d: %s, %s a policy; SHA-256 %.12s\n", r.Set.Name, r.Set.Version,
		units.Count(len(r.Studies), "objective", "objectives"), units.Count(runs(r), "run", "runs"), r.Set.SHA256)
	ranking := table.New("rank", "95 %", "policy|left", "score|%.3f", "95 %", "minus "+r.With+"|%+.3f", "95 %",
		"met|percent", "95 %", "cost / bound|%.3f", "objectives")
	for i := range r.Policies {
		addRow(ranking, &r.Policies[i], r)
	}
	term.Print(w, ranking)
	for i := range r.Studies {
		if studies {
			printStudy(w, &r.Studies[i])
		}
	}
	fmt.Fprintf(w, "\nscore: mean of cost / bound; a run that misses its objective also pays %v times "+
		"what the whole job costs on demand; each objective\n"+
		"counts the same; minus: difference of the scores, of pairs; "+
		"95 %%: confidence interval (bootstrap of seeds or starts; of met, Wilson's);\n"+
		"objectives: those that a policy is for: in the others it counts as ondemand\n", r.Set.Late)
	term.WarnAll(w, r.Warnings)
}

func runs(r *judge.Result) (n int) {
	for i := range r.Studies {
		n += r.Studies[i].Runs
	}
	return n
}

func addRow(t *table.Table, p *judge.RankingRow, r *judge.Result) {
	name := p.Policy
	if p.Entry != nil {
		name = "> " + name
	}
	if p.Failed != "" {
		t.Row("out", "", name)
		return
	}
	var minus any
	of := ""
	if p.Policy != r.With {
		minus = p.Minus
		of = between("%+.3f", p.MinusCI)
	}
	t.Row(p.Rank, ranks(p.Place), name, p.Score, between("%.3f", p.ScoreCI), minus, of,
		float64(p.Met)/float64(p.Runs), fmt.Sprintf("%.1f to %.1f", 100*p.MetCI.Low, 100*p.MetCI.High),
		p.OverBound, fmt.Sprintf("%d/%d", p.Objectives, len(r.Studies)))
}

func between(form string, i intervals.Interval) string {
	return fmt.Sprintf(form+" to "+form, i.Low, i.High)
}

// printStudy prints what the policies did for one objective.
func printStudy(w io.Writer, s *judge.StudyResult) {
	fmt.Fprintf(w, "\n%s, %s: %s; market: %s; the bound is %s USD (mean)\n",
		s.Study, s.Objective, units.Count(s.Runs, "run", "runs"), s.Market, units.USD(s.BoundUSD))
	shown := table.New("policy", "met", "cost USD|usd", "cost / bound|%.3f", "score|%.3f")
	for _, p := range s.Policies {
		shown.Row(p.Policy, fmt.Sprintf("%d/%d", p.Met, s.Runs), p.CostUSD, p.OverBound, p.Score)
	}
	term.Print(w, shown)
}

func ranks(p *intervals.Place) string {
	if p.RankLow == p.RankTop {
		return fmt.Sprint(p.RankLow)
	}
	return fmt.Sprintf("%d to %d", p.RankLow, p.RankTop)
}

// sets returns the command that lists the sets.
func sets() *cobra.Command {
	return &cobra.Command{
		Use: "sets", Short: "List the sets that come with marigram", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, name := range judge.Names() {
				set, err := judge.Open(name)
				if err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s, version %d, %s; SHA-256 %s\n  %s\n", set.Name, set.Version,
					units.Count(len(set.Studies), "study", "studies"), set.SHA256, strings.TrimSpace(set.About))
			}
			for _, c := range judge.Contests() {
				fmt.Fprintf(cmd.OutOrStdout(), "%s, version %d, %s, rules of its own\n  %s\n",
					c.Name, c.Version, c.Size, c.About)
			}
			return nil
		},
	}
}
