// Package run is the command marigram run: the simulation of a spec.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/intervals"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/store"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/report"
	"github.com/marigram/marigram/traces/catalogue"
)

type runFlags struct {
	cli.SpecFlags
	Out     string `flag:"out" help:"write results and plots into this <folder>"`
	JSON    bool   `flag:"json" help:"print a JSON array instead of the table"`
	Bound   bool   `flag:"bound" help:"also print what no policy can beat, and write it into the results (see marigram bound)"`
	Pull    bool   `flag:"pull" help:"first download the public sets that the spec reads and that are not there; each file is checked against its SHA-256"`
	NoPlots bool   `flag:"no-plots" help:"write no plots"`
	Runs    string `flag:"runs" writes:"true" help:"write a row for each run into this <file>, .parquet or .csv"`
	Require string `flag:"require" names:"met,proven" help:"exit with status 5 unless every objective is {names} under every policy but oracles: met in its share of the runs (all without one), or that share proven; many jobs: all done in time"`
	JUnit   string `flag:"junit" writes:"true" help:"write a test case for each objective and policy into this <file> (JUnit XML), for CI; it fails as --require says, by default met"`
	Trace   string `flag:"trace" writes:"true" help:"write the timelines of the first start and seed into this <file>, for ui.perfetto.dev or chrome://tracing"`
}

// Command returns the command.
func Command() *cobra.Command {
	var f runFlags
	return cli.WithFlags(cli.OfSpec(&cobra.Command{
		Use:   "run SPEC",
		Short: "Simulate a spec: a table, Parquet files and plots",
		Long: `Simulates every objective of a spec under every policy, start and seed, and prints a table.
With --out it also writes result tables (Parquet) and plots into a folder: all runs,
and the timelines, decisions, candidates and instances of the first start and seed
(of more if the spec says so: timelines). SPEC is a file, or the name of a spec that
comes with marigram. The same spec, seed and version give the same bytes.`,
		Example: `  marigram run quickstart --out out
  marigram run recorded --pull
  marigram run my.yaml --policy reactive,spotdnn --seed 7 --seeds 1 --json
  marigram run my.yaml --policy reactive --require met --junit objectives.xml
  marigram run my.yaml -s market.replay.notice_s=30 -s policy.patience_s=600`,
	}, f.run), &f)
}

func (f *runFlags) run(cmd *cobra.Command, name string) error {
	s, line, err := f.Open(name)
	if err != nil {
		return err
	}
	if f.Pull {
		if err := pullSets(cmd, s); err != nil {
			return err
		}
	}
	if f.Bound {
		s.Bound = true
		line = append(line, "--bound")
	}
	if err := f.check(s); err != nil {
		return err
	}
	study, err := experiments.NewStudy(s)
	if err != nil {
		return err
	}
	if !f.JSON { // which leaves out the other assumptions
		if err := experiments.CheckAssumptions(s, experiments.NewStudy); err != nil {
			return err
		}
	}
	term.WarnAll(cmd.ErrOrStderr(), study.Warnings)
	version, commit := cli.BuildVersion()
	command := append([]string{"marigram", "run", filepath.Base(name)}, line...)
	provenance, err := study.Provenance(version, commit, command)
	if err != nil {
		return err
	}
	var set *results.Set
	var written []string
	if f.Out == "" {
		study.Timelines = f.traced()
		set, err = simulate(cmd.Context(), study, cmd.ErrOrStderr())
	} else {
		warnFew(cmd.ErrOrStderr(), study)
		set, written, err = f.write(cmd, study, provenance)
	}
	if err != nil {
		return cli.Failed(err)
	}
	set.Provenance = provenance
	warnOverlap(cmd.ErrOrStderr(), set.Summaries)
	more, err := f.others(cmd.Context(), set)
	if err != nil {
		return cli.Failed(err)
	}
	assumed, err := f.assumptions(cmd.Context(), s, set)
	if err != nil {
		return cli.Failed(err)
	}
	spot, err := experiments.SpotOrOnDemand(cmd.Context(), s, assumed, experiments.NewStudy)
	if err != nil {
		return cli.Failed(err)
	}
	return f.report(cmd.OutOrStdout(), s, set, said{assumed, spot}, append(written, more...))
}

// check refuses flags that the spec cannot fulfil, and outputs that would replace other files.
func (f *runFlags) check(s *spec.Spec) error {
	if f.Trace != "" && s.Timelines != nil && *s.Timelines == 0 {
		return fmt.Errorf("--trace %s: the spec keeps no timelines (timelines: 0), expected 1 or more", f.Trace)
	}
	if err := f.checkRuns(s.Files()); err != nil {
		return err
	}
	if err := checkOutputs(f.Out, f.Trace, s.Files()); err != nil {
		return err
	}
	return f.checkRequired(s)
}

// assumptions runs the spec under the other assumptions of capacity, if it has one and a person is to read what comes
// of it.
func (f *runFlags) assumptions(ctx context.Context, s *spec.Spec, set *results.Set) ([]experiments.Assumption, error) {
	if f.JSON {
		return nil, nil
	}
	known := map[string][]experiments.Aggregate{experiments.Assumed(s): experiments.Aggregates(set.Summaries)}
	return experiments.Assumptions(ctx, s, known, experiments.NewStudy)
}

// warnOverlap warns where runs from several starts share parts of the trace.
func warnOverlap(stderr io.Writer, rows []results.Summary) {
	var starts []float64
	longest := 0.0
	for i := range rows {
		if rows[i].Unit == results.ByStart {
			starts = append(starts, rows[i].StartS)
			longest = max(longest, rows[i].LastedS())
		}
	}
	if text := intervals.Overlap(starts, longest); text != "" {
		term.Warn(stderr, "%s", text)
	}
}

// others writes what is asked for beside the folder, and returns the names.
func (f *runFlags) others(ctx context.Context, set *results.Set) (written []string, err error) {
	if f.Runs != "" {
		if err := results.WriteRuns(f.Runs, set); err != nil {
			return nil, err
		}
		written = append(written, f.Runs)
	}
	if f.JUnit != "" {
		rows := experiments.Aggregates(set.Summaries)
		write := func(w io.Writer) error { return writeJUnit(w, set.Summaries[0].Scenario, rows, f.requirement()) }
		if err := store.Write(ctx, f.JUnit, write); err != nil {
			return nil, err
		}
		written = append(written, f.JUnit)
	}
	if f.Trace == "" {
		return written, nil
	}
	err = store.Write(ctx, f.Trace, func(w io.Writer) error { return report.Trace(w, firstPoint(set)) })
	return append(written, f.Trace), err
}

// checkRuns refuses a file of runs of another kind, and one that would replace an input or another output.
func (f *runFlags) checkRuns(inputs []string) error {
	if f.Runs == "" {
		return nil
	}
	if ending := filepath.Ext(f.Runs); ending != ".csv" && ending != ".parquet" {
		return fmt.Errorf("--runs %s: expected a name that ends in .parquet or .csv", f.Runs)
	}
	if cli.SamePath(f.Runs, f.Trace) {
		return fmt.Errorf("--runs %s: --trace writes this file, expected another one", f.Runs)
	}
	if err := cli.CheckOutputs(inputs, f.Runs); err != nil {
		return fmt.Errorf("--runs: %w", err)
	}
	return nil
}

// traced is the number of seeds whose timelines a trace shows.
func (f *runFlags) traced() int {
	if f.Trace == "" {
		return 0
	}
	return 1
}

// simulate runs the study with a progress bar where a person looks on and it
// takes its time.
func simulate(ctx context.Context, study *experiments.Study, stderr io.Writer) (*results.Set, error) {
	shown := cli.NewBar(stderr, int64(study.Runs()), "runs", "")
	study.Progress = func(done, _ int) { shown.Set(int64(done)) }
	defer shown.Clear()
	return study.Run(ctx)
}

// warnFew says that a run keeps less than others, because it is of very many jobs.
func warnFew(w io.Writer, study *experiments.Study) {
	if study.Spec.Timelines == nil && study.Timelines == 0 {
		term.Warn(w, "more than %d jobs: jobs.parquet has them, but no timelines, decisions and instances are kept, "+
			"nor figures of them; timelines: 1 in the spec keeps those of the first seed",
			experiments.MostJobsInTimelines)
	}
}

// write simulates a study and writes results and plots. It returns the files: all of them or none. Jobs of runs without
// timelines are written as they end, timelines when all runs have ended.
func (f *runFlags) write(cmd *cobra.Command, study *experiments.Study, p results.Provenance) (set *results.Set,
	written []string, err error) {
	written, err = store.Files(cmd.Context(), f.Out, ownFiles, func(dir string) ([]string, error) {
		tables, err := results.Create(dir, p)
		if err != nil {
			return nil, err
		}
		defer tables.Abort()
		study.KeepJobs(tables.Job)
		study.Rows = func(rows *results.Set) error { return tables.Append(*rows) }
		if set, err = simulate(cmd.Context(), study, cmd.ErrOrStderr()); err != nil {
			return nil, err
		}
		if err := tables.Append(results.Set{Summaries: set.Summaries}); err != nil {
			return nil, err
		}
		if err := tables.Close(); err != nil {
			return nil, err
		}
		files := results.Files()
		if f.NoPlots {
			return files, nil
		}
		drawn, err := plots.Save(dir, set)
		for _, path := range drawn {
			files = append(files, filepath.Base(path))
		}
		return files, err
	})
	return set, written, err
}

// firstPoint returns the runs of the first start and seed.
func firstPoint(set *results.Set) *results.Set {
	one := *set
	first := &set.Summaries[0]
	other := func(s results.Summary) bool { return s.Seed != first.Seed || s.StartS != first.StartS }
	one.Summaries = slices.DeleteFunc(slices.Clone(set.Summaries), other)
	return &one
}

// said is what a spec comes to under its other assumptions.
type said struct {
	assumptions []experiments.Assumption
	spot        []string
}

func (f *runFlags) report(w io.Writer, s *spec.Spec, set *results.Set, other said, written []string) error {
	rows := experiments.Aggregates(set.Summaries)
	if f.JSON {
		if err := cli.WriteJSON(w, rows); err != nil {
			return err
		}
		return f.required(rows)
	}
	term.Aggregates(w, rows)
	term.Assumptions(w, other.assumptions, other.spot)
	if s.Jobs != nil && s.Jobs.Claims.Chosen() != nil && len(set.Jobs) > 0 {
		term.Queues(w, firstPoint(set).Runs())
	}
	if written != nil && !term.IsQuiet(w) {
		fmt.Fprintf(w, "\nwritten:\n  %s\n", strings.Join(written, "\n  "))
	}
	if f.Out != "" && !term.IsQuiet(w) {
		fmt.Fprintln(w, "next: marigram report", cli.ShellWord(f.Out))
	}
	return f.required(rows)
}

// ownFiles are what run writes: those of an earlier run are taken away, lest its
// figures lie next to other results.
var ownFiles = slices.Concat(results.Files(), plots.SavedFiles())

// checkOutputs refuses to replace an input of a run, and to write into the folder of a
// sweep: each would hide the results of the other.
func checkOutputs(out, trace string, inputs []string) error {
	if err := cli.CheckOutputs(inputs, trace); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if out == "" {
		return nil
	}
	if trace != "" && cli.SamePath(filepath.Dir(trace), out) && cli.Matches(filepath.Base(trace), ownFiles...) {
		return fmt.Errorf("--trace %s has the name of a file that --out writes, expected another one", trace)
	}
	if cli.IsSweep(out) {
		return fmt.Errorf("--out %s is the folder of a sweep, expected another one", out)
	}
	if err := cli.CheckInto(inputs, out, ownFiles...); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// checkRequired refuses a requirement that the spec's objectives cannot fulfil, and a file that would replace another.
func (f *runFlags) checkRequired(s *spec.Spec) error {
	if f.Require == string(experiments.RequireProven) {
		if !s.Workload().HasObjectives() {
			return errors.New("--require proven: a spec of many jobs has no share of runs to prove, " +
				"expected --require met: all jobs done in time in all runs")
		}
		for i := range s.Objectives {
			objective := &s.Objectives[i]
			if objective.Share == nil {
				return fmt.Errorf("--require proven: the objective %s has no share, expected one below 1, "+
					"for instance share: 0.95", objective.Name)
			}
			if *objective.Share == 1 {
				return fmt.Errorf("--require proven: the objective %s has the share 1, "+
					"which no number of runs proves; expected one below 1", objective.Name)
			}
		}
	}
	if f.JUnit == "" {
		return nil
	}
	for _, other := range []string{f.Runs, f.Trace} {
		if cli.SamePath(f.JUnit, other) {
			return fmt.Errorf("--junit %s: --runs or --trace writes this file, expected another one", f.JUnit)
		}
	}
	if err := cli.CheckOutputs(s.Files(), f.JUnit); err != nil {
		return fmt.Errorf("--junit: %w", err)
	}
	return nil
}

// requirement returns what is required, RequireMet if nothing is said.
func (f *runFlags) requirement() experiments.Requirement {
	if f.Require == "" {
		return experiments.RequireMet
	}
	return experiments.Requirement(f.Require)
}

// required is an error with exit status 5 where objectives fall short of what is required of them, with status 2
// where nothing can be judged.
func (f *runFlags) required(rows []experiments.Aggregate) error {
	if f.Require == "" && f.JUnit == "" {
		return nil
	}
	if !slices.ContainsFunc(rows, func(a experiments.Aggregate) bool { return a.Judged() }) {
		return errors.New("--require, --junit: all policies are oracles, of which nothing is required, " +
			"so that nothing can be judged: expected at least one other policy")
	}
	if f.Require == "" {
		return nil
	}
	var why []string
	for i := range rows {
		if text := rows[i].Unmet(f.requirement()); text != "" {
			why = append(why, text)
		}
	}
	if why == nil {
		return nil
	}
	return cli.Unmet(errors.New("--require " + f.Require + ": " + strings.Join(why, "; ")))
}

// pullSets downloads the public sets that a spec reads and that are not there.
func pullSets(cmd *cobra.Command, s *spec.Spec) error {
	var paths []string
	for _, h := range s.Market.Traces {
		paths = append(paths, h.Path)
	}
	for _, f := range s.Failures() {
		paths = append(paths, f.Trace)
	}
	paths = append(paths, s.OtherFiles()...)
	for _, path := range paths {
		name, public := strings.CutPrefix(path, catalogue.PulledPrefix)
		if !public {
			continue
		}
		if _, err := catalogue.PulledDir(name); err == nil {
			continue
		}
		entry, err := catalogue.EntryNamed(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "pulling %s: %.1f MB from %s\n", name, float64(entry.Bytes())/1e6, entry.Repo)
		opt := catalogue.PullOptions{Download: catalogue.HTTP(nil)}
		if _, err := catalogue.Pull(cmd.Context(), entry, opt); err != nil {
			return cli.Failed(err)
		}
	}
	return nil
}
