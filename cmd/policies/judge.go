package policies

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/policies/plugin/confine"
	"github.com/marigram/marigram/policies/plugin/loader"
)

type judgeFlags struct {
	Set        string `flag:"set" default:"quick" help:"the <set>: a name (marigram judge sets), a folder with set.yaml, or a sealed file"`
	Key        string `flag:"key" help:"secret key of the judge, a <file>: opens a sealed set, and signs the result"`
	Output     string `flag:"output,o" help:"write the result into this <file>, as JSON, signed if there is a key"`
	JSON       bool   `flag:"json" help:"print the result as JSON instead of the tables"`
	Memory     int    `flag:"memory" min:"1" help:"memory of a confined program, <MB> of addresses"`
	Unconfined bool   `flag:"unconfined" help:"also run programs that this system cannot confine wholly; not on sealed sets"`
	Slow       bool   `flag:"slow" help:"also rollout, which takes a second or more a run"`
	Studies    bool   `flag:"studies" help:"also print a table for every objective of every study"`
}

// Judge returns the command marigram judge: policies of others on a fixed set of studies.
func Judge() *cobra.Command {
	f := judgeFlags{Memory: confine.MemoryMB}
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

A policy sees what it is told and nothing else: its program is started anew for every run, in a folder in memory
with copies of its own files, without environment, network, other processes or files of others and with bounded
memory (Linux 5.13 or later with namespaces and seccomp). Where a system cannot do all of that, the error says what
a program could do, and --unconfined allows it. A policy that fails, or does not do the same when it is asked
again, is out.

A sealed set is a file whose traces only the owner of its key can read: --key opens it, and signs the
result. marigram judge sets lists the sets that come with marigram.`,
		Example: `  marigram judge mine.py
  marigram judge mine.py other.py --set spot-deadlines -o result.json
  marigram judge mine.py --set hidden.sealed --key judge.key -o result.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}, &f)
	cmd.AddCommand(sets(), keys(), sealing(), verify())
	return cmd
}

func (f *judgeFlags) run(cmd *cobra.Command, args []string) error {
	key, err := f.secret()
	if err != nil {
		return err
	}
	set, err := openSet(f.Set, key)
	if err != nil {
		return err
	}
	var entries []*loader.Plugin
	for _, text := range args {
		g, err := loader.ParseFile(text)
		if err != nil {
			return err
		}
		g.MemoryMB = f.Memory
		entries = append(entries, g)
	}
	bar := cli.NewBar(cmd.ErrOrStderr(), 0, "runs", "")
	defer bar.Clear()
	opt := judge.Options{Slow: f.Slow, Unconfined: f.Unconfined, Progress: func(done, all int64) {
		bar.Total(all)
		bar.Set(done)
	}}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	r, err := set.Judge(ctx, entries, opt)
	if err != nil {
		return err
	}
	r.Version, r.Commit = cli.BuildVersion()
	bar.Clear()
	text, err := judge.Sign(r, key)
	if err != nil {
		return err
	}
	if f.Output != "" {
		if err := store.WriteBytes(ctx, f.Output, text); err != nil {
			return cli.Failed(err)
		}
	}
	if f.JSON {
		_, err = cmd.OutOrStdout().Write(text)
	} else {
		printResult(cmd.OutOrStdout(), r, f.Studies)
	}
	return cli.Failed(errors.Join(err, outs(r)))
}

// outs is an error that names the policies of the user that are out.
func outs(r *judge.Result) (err error) {
	for i := range r.Policies {
		if p := &r.Policies[i]; p.Failed != "" {
			err = errors.Join(err, fmt.Errorf("policy %s is out: %s", p.Policy, p.Failed))
		}
	}
	return err
}

// secret reads the key, nil if there is none.
func (f *judgeFlags) secret() (*judge.Key, error) {
	if f.Key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.Key)
	if err != nil {
		return nil, err
	}
	key, err := judge.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Key, err)
	}
	return key, nil
}

// printResult prints the table of all policies, and on demand those of the studies.
func printResult(w io.Writer, r *judge.Result, studies bool) {
	sealed := ""
	if r.Set.Sealed {
		sealed = ", sealed"
	}
	fmt.Fprintf(w, "%s, version %d%s: %s, %s a policy; SHA-256 %.12s\n", r.Set.Name, r.Set.Version, sealed,
		cli.Count(len(r.Studies), "objective", "objectives"), cli.Count(runs(r), "run", "runs"), r.Set.SHA256)
	t := table.New("rank", "95 %", "policy|left", "score|%.3f", "95 %", "minus "+r.With+"|%+.3f", "95 %", "met|percent", "95 %", "cost / bound|%.3f", "objectives")
	for i := range r.Policies {
		row(t, &r.Policies[i], r)
	}
	term.Print(w, t)
	for i := range r.Studies {
		if studies {
			printStudy(w, &r.Studies[i])
		}
	}
	fmt.Fprintf(w, "\nscore: mean of cost / bound; a run that misses its objective also pays %v times what the whole job costs on demand; each objective\n"+
		"counts the same; minus: difference of the scores, of pairs; 95 %%: confidence interval (bootstrap of seeds or starts; of met, Wilson's);\n"+
		"objectives: those that a policy is for: in the others it counts as ondemand\n", r.Set.Late)
	term.WarnAll(w, r.Warnings)
}

func runs(r *judge.Result) (n int) {
	for i := range r.Studies {
		n += r.Studies[i].Runs
	}
	return n
}

func row(t *table.Table, p *judge.RankingRow, r *judge.Result) {
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
		minus, of = p.Minus, between("%+.3f", p.MinusCI)
	}
	t.Row(p.Rank, ranks(p.Place), name, p.Score, between("%.3f", p.ScoreCI), minus, of, float64(p.Met)/float64(p.Runs),
		fmt.Sprintf("%.1f to %.1f", 100*p.MetCI.Low, 100*p.MetCI.High), p.OverBound, fmt.Sprintf("%d/%d", p.Objectives, len(r.Studies)))
}

func between(form string, i intervals.Interval) string {
	return fmt.Sprintf(form+" to "+form, i.Low, i.High)
}

// printStudy prints what the policies did for one objective.
func printStudy(w io.Writer, s *judge.StudyResult) {
	fmt.Fprintf(w, "\n%s, %s: %s; market: %s; the bound is %s USD (mean)\n", s.Study, s.Objective, cli.Count(s.Runs, "run", "runs"), s.Market,
		units.USD(s.BoundUSD))
	t := table.New("policy", "met", "cost USD|usd", "cost / bound|%.3f", "score|%.3f")
	for _, p := range s.Policies {
		t.Row(p.Policy, fmt.Sprintf("%d/%d", p.Met, s.Runs), p.CostUSD, p.OverBound, p.Score)
	}
	term.Print(w, t)
}

// openSet opens a set by its name, its folder or its sealed file.
func openSet(name string, key *judge.Key) (*judge.Set, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return judge.Open(name)
	}
	text, err := readSealed(name)
	if err != nil {
		return nil, err
	}
	if key == nil {
		h, err := judge.ReadHeader(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return nil, fmt.Errorf("%s is the sealed set %s, version %d, expected its owner's --key", name, h.Name, h.Version)
	}
	set, err := judge.OpenSealed(text, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return set, nil
}
