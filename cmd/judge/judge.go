// Package judge is the command marigram judge: policies of others on a fixed set of studies.
package judge

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/experiments/judge"
	"github.com/marigram/marigram/experiments/judge/seal"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/policies/plugin/confine"
	"github.com/marigram/marigram/policies/plugin/loader"
)

type flags struct {
	set, key, output    string
	json, slow, studies bool
	unconfined          bool
	memory              int // MB
}

// Command returns the command.
func Command() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "judge [POLICY]...",
		Short: "Rank policies of your own among all of marigram's on a fixed set of studies",
		Long: `Runs policies of your own over a fixed, versioned set of studies, beside all policies of marigram that
are for them, and prints one table: how often each met the objective, what it cost beside the least that
any policy can cost in hindsight (marigram bound), its score, and its rank with its 95 % interval. A POLICY
is a Python file, a WebAssembly module (.wasm) or a command; NAME=POLICY gives it a name.

score: the mean of cost / bound, where a run that misses its objective also pays what the whole job costs on
demand. Each objective counts the same. A policy of marigram that is not for a study counts
there as ondemand. All policies have the same seeds and starts, so that differences are of pairs.

A policy sees what it is told and nothing else: its program is started anew for every run, in a folder in memory
with copies of its own files, without environment, network, other processes or files of others and with bounded
memory (Linux 5.13 or later with namespaces and seccomp). Where a system cannot do all of that, the error says what
a program could do, and --unconfined allows it. A policy that fails, or does not do the same when it is asked
again, is out.

A sealed set is a file whose histories only the owner of its key can read: --key opens it, and signs the
result. marigram judge sets lists the sets that come with marigram.`,
		Example: `  marigram judge mine.py
  marigram judge mine.py other.wasm --set spot-deadlines -o result.json
  marigram judge mine.py --set hidden.sealed --key judge.key -o result.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.set, "set", "quick", "the `set`: a name (marigram judge sets), a folder with set.yaml, or a sealed file")
	fl.StringVar(&f.key, "key", "", "secret key of the judge, a `file`: opens a sealed set, and signs the result")
	fl.StringVarP(&f.output, "output", "o", "", "write the result into this `file`, as JSON, signed if there is a key")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON instead of the tables")
	fl.IntVar(&f.memory, "memory", confine.MemoryMB, "memory of a confined program, `MB` of addresses; modules have 64 MB")
	fl.BoolVar(&f.unconfined, "unconfined", false, "also run programs that this system cannot confine wholly; not on sealed sets")
	fl.BoolVar(&f.slow, "slow", false, "also rollout, which takes a second or more a run")
	fl.BoolVar(&f.studies, "studies", false, "also print a table for every objective of every study")
	cmd.AddCommand(sets(), keys(), sealing(), verify())
	return cmd
}

func (f *flags) run(cmd *cobra.Command, args []string) error {
	key, err := f.secret()
	if err != nil {
		return err
	}
	set, err := openSet(f.set, key)
	if err != nil {
		return err
	}
	var entries []*loader.Guest
	for _, text := range args {
		g, err := loader.ParseFile(text)
		if err != nil {
			return err
		}
		if g.MemoryMB = f.memory; f.memory < 1 {
			return fmt.Errorf("--memory is %d, expected at least 1 (MB)", f.memory)
		}
		entries = append(entries, g)
	}
	bar := cli.NewBar(cmd.ErrOrStderr(), 0, "runs", "")
	defer bar.Clear()
	opt := judge.Options{Slow: f.slow, Unconfined: f.unconfined, Progress: func(done, all int64) {
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
	text, err := seal.Sign(r, key)
	if err != nil {
		return err
	}
	if f.output != "" {
		if err := store.WriteBytes(ctx, f.output, text); err != nil {
			return cli.Failed(err)
		}
	}
	if f.json {
		_, err = cmd.OutOrStdout().Write(text)
	} else {
		err = print(cmd.OutOrStdout(), r, f.studies)
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
func (f *flags) secret() (*seal.Key, error) {
	if f.key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(f.key)
	if err != nil {
		return nil, err
	}
	key, err := seal.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.key, err)
	}
	return key, nil
}
