package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/experiments/tune"
	"github.com/marigram/marigram/internal/stats"
	"github.com/marigram/marigram/internal/store"
)

// Workers is what all that simulates in parts takes.
type Workers struct {
	Jobs int `flag:"jobs,j" min:"1" max:"1024" help:"<number> of runs at one time"`
}

func allCores() Workers { return Workers{runtime.GOMAXPROCS(0)} }

type sweepFlags struct {
	Workers
	cli.Commands
	Out    string   `flag:"out" help:"<folder> of the sweep"`
	Shard  string   `flag:"shard" default:"0/1" help:"run part <I/N> of the chunks, I from 0; auto/N takes I from the scheduler"`
	Set    []string `flag:"set,s" help:"values of a parameter, <path=a,b>, instead of those of the spec"`
	Only   []string `flag:"policy" split:"true" complete:"@policies" help:"only these policies, <a,b>, with their settings in the spec or else the defaults"`
	Seeds  *int     `flag:"seeds" min:"1" max:"1000000" help:"number of seeds, instead of the spec's"`
	Chunk  *int     `flag:"chunk-runs" min:"1" max:"65536" help:"runs in a chunk, instead of the spec's"`
	DryRun bool     `flag:"dry-run" help:"print cells, chunks, estimated time and disk space; write nothing"`
}

// thrift has garbage collected when it is n per cent of what lives, not as much: many
// processes share a machine. A sweep makes little of it, so that a third costs
// some 2 % of time for a quarter of the memory. GOGC says otherwise.
func thrift(percent int) {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(percent)
	}
}

// hasRun reports whether a folder has the results of a single run, which a sweep in it
// would hide.
func hasRun(dir string) bool {
	there, _ := store.Exists(context.Background(), store.Join(dir, results.SummaryFile))
	return there
}

func (f *sweepFlags) run(cmd *cobra.Command, name string) error {
	thrift(35)
	spec, err := f.open(name)
	if err != nil {
		return err
	}
	if err := cli.CheckInto(spec.Files(), f.Out, sweep.PlanFile, "part-*.parquet"); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	version, commit := cli.BuildVersion()
	plan, err := spec.Plan(cmd.Context(), version, commit)
	if err != nil {
		return planned(err)
	}
	shard, err := sweep.ParseShard(f.Shard, os.Getenv)
	if err != nil {
		return fmt.Errorf("--shard %w", err)
	}
	switch {
	case f.DryRun:
		return f.estimate(cmd, plan)
	case f.Out == "":
		return errors.New("--out is missing: " +
			"expected a folder for the chunks, or one of an object store: s3://BUCKET/NAME")
	case hasRun(f.Out):
		return fmt.Errorf("--out %s has the results of marigram run (%s), expected another folder", f.Out,
			results.SummaryFile)
	}
	folder, err := plan.Begin(f.Out)
	if err != nil {
		return cli.Failed(err)
	}
	return f.sweep(cmd, folder, sweep.Options{Shard: shard})
}

// open reads the sweep with its overrides.
func (f *sweepFlags) open(name string) (*sweep.Spec, error) {
	spec, err := sweep.Open(name)
	if err != nil {
		return nil, err
	}
	spec.AllowCommands = f.Allow
	if f.Only != nil {
		if err := spec.Override("policy=[" + strings.Join(f.Only, ",") + "]"); err != nil {
			return nil, fmt.Errorf("--policy: %w", err)
		}
	}
	for _, setting := range f.Set {
		if err := spec.Override(setting); err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
	}
	spec.Seeds = stats.Or(f.Seeds, spec.Seeds)
	spec.Chunk = stats.Or(f.Chunk, spec.Chunk)
	return spec, nil
}

// planned is the error of a plan, which can go on where it was interrupted.
func planned(err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.Resumable(errors.New("interrupted before the first chunk; repeat the command to resume"))
	}
	return err
}

// sweep runs a folder's chunks and says what came of it.
func (f *Workers) sweep(cmd *cobra.Command, folder *sweep.Folder, o sweep.Options) error {
	stderr := cmd.ErrOrStderr()
	term.WarnAll(stderr, folder.Plan.Warnings)
	o.Workers = f.Jobs
	o.Progress = &sweep.Progress{}
	show := watch(stderr, sweepRate(o.Progress))
	o.Notice = show.say
	report, err := folder.Run(cmd.Context(), o)
	show.stop()
	here := fmt.Sprintf("%d of %d chunks are done", report.Made+report.Skipped, report.Chunks)
	switch {
	case err != nil && cmd.Context().Err() != nil:
		return cli.Resumable(fmt.Errorf("interrupted; %s; repeat the command to resume", here))
	case err != nil:
		return cli.Failed(fmt.Errorf("%w\n%s; repeat the command to resume", err, here))
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%d chunks: %d written, %d already done; %d runs; plan %.12s in %s\n",
		report.Chunks, report.Made, report.Skipped, o.Progress.All.Load(), folder.Plan.Hash, folder.Dir)
	return failures(stderr, folder, report.Broken, o.Progress.Failed.Load())
}

// shownFailures is how many failed runs are listed.
const shownFailures = 20

// failures lists the runs that failed, if any, and is then an error.
func failures(w io.Writer, folder *sweep.Folder, chunks []int, n int64) error {
	if n == 0 {
		return nil
	}
	list, err := folder.Failures(chunks, shownFailures)
	for _, row := range list {
		fmt.Fprintf(w, "failed: run %d, cell %d %s (%s, %s, seed %d): %s\n",
			row.Run, row.Cell, row.Parameters, row.Objective, row.Policy, row.Seed, row.Error)
	}
	if more := n - int64(len(list)); more > 0 && err == nil {
		fmt.Fprintf(w, "and %d more: see the column error of the chunks\n", more)
	}
	failed := fmt.Errorf("%d runs failed; marigram sweep retry %s repeats their chunks", n, folder.Dir)
	return cli.Failed(errors.Join(failed, err))
}

// estimate prints what a sweep is and will take.
func (f *sweepFlags) estimate(cmd *cobra.Command, plan *sweep.Plan) error {
	term.WarnAll(cmd.ErrOrStderr(), plan.Warnings)
	estimate, err := plan.Probe(cmd.Context())
	if err != nil {
		return cli.Failed(err)
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s, plan %.12s: %d cells, %d starts, %d seeds: %d runs in %d chunks of at most %d runs\n",
		plan.Name, plan.Hash, len(plan.Cells), len(plan.StartsS), plan.Seeds,
		plan.Runs(), plan.Chunks(), plan.ChunkRuns(0))
	for i, cell := range plan.Cells[:min(len(plan.Cells), 20)] {
		fmt.Fprintf(out, "  cell %d %s: %s\n", i, cell.Parameters, strings.Join(cell.Policies, ", "))
	}
	if more := len(plan.Cells) - 20; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
	cores := min(f.Jobs, plan.Chunks())
	wall := func(seconds float64) time.Duration {
		return max(time.Duration(seconds/float64(cores)*float64(time.Second)).Round(time.Second), time.Second)
	}
	failed := ""
	if estimate.Failed > 0 {
		failed = fmt.Sprintf("; %d of them failed", estimate.Failed)
	}
	_, err = fmt.Fprintf(out, "about %v to %v on %d cores and %s of disk "+
		"(from %d trial runs in %d cells: %.3g ms and %.0f bytes per run%s)\n",
		wall(estimate.MinSeconds), wall(estimate.MaxSeconds), cores, bytesText(estimate.TotalBytes),
		estimate.Probed, estimate.Cells, 1e3*estimate.SecondsARun, estimate.BytesARun, failed)
	return cli.Failed(err)
}

func bytesText(n float64) string {
	for _, unit := range []string{"B", "kB", "MB", "GB"} {
		if n < 1000 {
			return fmt.Sprintf("%.3g %s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.3g TB", n)
}

// state is how far work is.
type state struct {
	done, all int64 // runs; all is -1 where it is not known
	about     string
	line      string // the same where nobody looks on; empty: nothing yet
}

// watcher shows how far work is: a bar on a terminal, else a line every ten seconds.
type watcher struct {
	out        io.Writer
	bar        *cli.Bar // nil: no terminal
	state      func() state
	mu         sync.Mutex // of out
	end, ended chan struct{}
}

// watch begins; stop ends it.
func watch(out io.Writer, of func() state) *watcher {
	begun := &watcher{
		out:   out,
		bar:   cli.NewBar(out, -1, "runs", ""),
		state: of,
		end:   make(chan struct{}),
		ended: make(chan struct{}),
	}
	every := 10 * time.Second
	if begun.bar != nil {
		every = 200 * time.Millisecond
	}
	go begun.loop(every)
	return begun
}

// say prints a warning.
func (w *watcher) say(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	term.Warn(w.out, "%s", text)
}

func (w *watcher) stop() {
	close(w.end)
	<-w.ended
	w.bar.Clear()
}

func (w *watcher) loop(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	defer close(w.ended)
	for {
		select {
		case <-w.end:
			return
		case <-tick.C:
			w.show()
		}
	}
}

func (w *watcher) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.state()
	if now.line == "" {
		return
	}
	if w.bar == nil {
		fmt.Fprintln(w.out, now.line)
		return
	}
	if now.about != "" {
		w.bar.Describe(now.about)
	}
	if now.all >= 0 {
		w.bar.Total(now.all)
	}
	w.bar.Set(now.done)
}

// sweepRate returns how far a sweep is.
func sweepRate(p *sweep.Progress) func() state {
	began := time.Now()
	return func() state {
		made := p.Made.Load()
		failed := p.Failed.Load()
		all := p.All.Load()
		now := state{done: made + p.Skipped.Load(), all: all}
		if failed > 0 {
			now.about = fmt.Sprintf("%d failed", failed)
		}
		rate := float64(made) / time.Since(began).Seconds()
		left := "?"
		if rate > 0 {
			left = time.Duration(float64(all-now.done) / rate * float64(time.Second)).Round(time.Second).String()
		}
		now.line = fmt.Sprintf("%d of %d runs, %d failed, %.0f runs/s, %s left", now.done, all, failed, rate, left)
		return now
	}
}

// tuned is how far a tuning is, as it tells.
type tuned struct {
	mu  sync.Mutex
	now tune.Progress
}

func (t *tuned) set(p tune.Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = p
}

func (t *tuned) state() state {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now.Stage == "" {
		return state{all: -1}
	}
	text := stage(&t.now)
	return state{done: t.now.Runs, all: -1, about: text, line: fmt.Sprintf("%s, %d runs", text, t.now.Runs)}
}

func stage(p *tune.Progress) string {
	if p.Stage == "race" {
		return fmt.Sprintf("race: %d of %d settings run on", p.Left, p.Of)
	}
	return "check of the winner"
}
