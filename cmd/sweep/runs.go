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
	"time"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/sweep"
	"github.com/marigram/marigram/internal/store"
)

type sweepFlags struct {
	out    string
	jobs   int
	shard  string
	set    []string
	seeds  int
	chunk  int
	dryRun bool
	allow  bool
}

// thrift has garbage collected when it is a third of what lives, not as much: many
// processes of a sweep share a machine. A sweep makes little of it, so that it
// costs some 2 % of time for a quarter of the memory. GOGC says otherwise.
func thrift() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(35)
	}
}

// hasRun reports whether a folder has the results of a single run, which a sweep in it
// would hide.
func hasRun(dir string) bool {
	there, _ := store.Exists(context.Background(), store.Join(dir, results.SummaryFile))
	return there
}

// common adds the flags of whatever runs a sweep.
func (f *sweepFlags) common(cmd *cobra.Command) {
	cli.AllowCommands(cmd, &f.allow)
	cmd.Flags().IntVarP(&f.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "`number` of runs at one time")
}

func (f *sweepFlags) run(cmd *cobra.Command, name string) error {
	thrift()
	s, err := f.open(cmd, name)
	if err != nil {
		return err
	}
	if err := cli.CheckInto(s.Files(), f.out, sweep.PlanFile, "part-*.parquet"); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	v, commit := cli.BuildVersion()
	plan, err := s.Plan(cmd.Context(), v, commit)
	if err != nil {
		return planned(err)
	}
	shard, err := sweep.ParseShard(f.shard, os.Getenv)
	if err != nil {
		return fmt.Errorf("--shard %w", err)
	}
	switch {
	case f.dryRun:
		return f.estimate(cmd, plan)
	case f.out == "":
		return fmt.Errorf("--out is missing: expected a folder for the chunks, or one of an object store: s3://BUCKET/NAME, gs://, azblob://")
	case hasRun(f.out):
		return fmt.Errorf("--out %s has the results of marigram run (%s), expected another folder", f.out, results.SummaryFile)
	}
	folder, err := plan.Begin(f.out)
	if err != nil {
		return cli.Failed(err)
	}
	return f.sweep(cmd, folder, sweep.Options{Shard: shard})
}

// open reads the sweep with its overrides.
func (f *sweepFlags) open(cmd *cobra.Command, name string) (*sweep.Spec, error) {
	if f.jobs < 1 || f.jobs > maxJobs {
		return nil, fmt.Errorf("--jobs %d, expected 1 to %d", f.jobs, maxJobs)
	}
	s, err := sweep.Open(name)
	if err != nil {
		return nil, err
	}
	s.AllowCommands = f.allow
	for _, x := range f.set {
		if err := s.Override(x); err != nil {
			return nil, fmt.Errorf("--set %w", err)
		}
	}
	if cmd.Flags().Changed("seeds") {
		if f.seeds < 1 || f.seeds > spec.MaxSeeds {
			return nil, fmt.Errorf("--seeds %d, expected 1 to %d", f.seeds, spec.MaxSeeds)
		}
		s.Seeds = f.seeds
	}
	if cmd.Flags().Changed("chunk-runs") {
		if f.chunk < 1 || f.chunk > sweep.MaxChunk {
			return nil, fmt.Errorf("--chunk-runs %d, expected 1 to %d", f.chunk, sweep.MaxChunk)
		}
		s.Chunk = f.chunk
	}
	return s, nil
}

// planned is the error of a plan, which can go on where it was interrupted.
func planned(err error) error {
	if errors.Is(err, context.Canceled) {
		return cli.Resumable(errors.New("interrupted before the first chunk; repeat the command to resume"))
	}
	return err
}

const maxJobs = 1024

// sweep runs a folder's chunks and says what came of it.
func (f *sweepFlags) sweep(cmd *cobra.Command, folder *sweep.Folder, o sweep.Options) error {
	stderr := cmd.ErrOrStderr()
	warn(stderr, folder.Plan)
	o.Workers, o.Progress = f.jobs, &sweep.Progress{}
	show := watch(stderr, o.Progress)
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
	if report.Chunks == folder.Plan.Chunks() {
		if err := warnAlike(stderr, folder); err != nil {
			return err
		}
	}
	return failures(stderr, folder, report.Broken, o.Progress.Failed.Load())
}

// warn prints what is doubtful about a plan.
func warn(stderr io.Writer, plan *sweep.Plan) {
	for _, w := range plan.Warnings {
		term.Warn(stderr, "%s", w)
	}
}

// warnAlike says which axes of a complete sweep made no difference.
func warnAlike(stderr io.Writer, folder *sweep.Folder) error {
	alike, err := folder.Alike()
	for _, name := range alike {
		term.Warn(stderr, "%s made no difference: all runs are the same, bit by bit, for every value", name)
	}
	return cli.Failed(err)
}

// shownFailures is how many failed runs are listed.
const shownFailures = 20

// failures lists the runs that failed, if any, and is then an error.
func failures(w io.Writer, folder *sweep.Folder, chunks []int, n int64) error {
	if n == 0 {
		return nil
	}
	list, err := folder.Failures(chunks, shownFailures)
	for _, x := range list {
		fmt.Fprintf(w, "failed: run %d, cell %d %s (%s, %s, seed %d): %s\n", x.Run, x.Cell, x.Parameters, x.Objective, x.Policy, x.Seed,
			x.Error)
	}
	if more := n - int64(len(list)); more > 0 && err == nil {
		fmt.Fprintf(w, "and %d more: see the column error of the chunks\n", more)
	}
	return cli.Failed(errors.Join(fmt.Errorf("%d runs failed; marigram sweep retry %s repeats their chunks", n,
		folder.Dir), err))
}

// estimate prints what a sweep is and will take.
func (f *sweepFlags) estimate(cmd *cobra.Command, plan *sweep.Plan) error {
	warn(cmd.ErrOrStderr(), plan)
	e, err := plan.Probe(cmd.Context())
	if err != nil {
		return cli.Failed(err)
	}
	w := cmd.OutOrStdout()
	fmt.Fprintf(w, "%s, plan %.12s: %d cells, %d starts, %d seeds: %d runs in %d chunks of at most %d runs\n", plan.Name,
		plan.Hash, len(plan.Cells),
		len(plan.StartsS), plan.Seeds, plan.Runs(), plan.Chunks(), plan.ChunkRuns(0))
	for i, c := range plan.Cells[:min(len(plan.Cells), 20)] {
		fmt.Fprintf(w, "  cell %d %s: %s\n", i, c.Parameters, strings.Join(c.Policies, ", "))
	}
	if more := len(plan.Cells) - 20; more > 0 {
		fmt.Fprintf(w, "  and %d more\n", more)
	}
	cores := min(f.jobs, plan.Chunks())
	wall := func(seconds float64) time.Duration {
		return max(time.Duration(seconds/float64(cores)*float64(time.Second)).Round(time.Second), time.Second)
	}
	fmt.Fprintf(w, "about %v to %v on %d cores and %s of disk (from %d trial runs in %d cells: %.3g ms and %.0f bytes per run",
		wall(e.LeastSeconds), wall(e.MostSeconds), cores, bytesText(e.TotalBytes), e.Probed, e.Cells, 1e3*e.SecondsARun, e.BytesARun)
	if e.Failed > 0 {
		fmt.Fprintf(w, "; %d of them failed", e.Failed)
	}
	_, err = fmt.Fprintln(w, ")")
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
