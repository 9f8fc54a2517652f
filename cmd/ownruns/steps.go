package ownruns

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/experiments/stragglers"
	"github.com/marigram/marigram/internal/columnar"
	"github.com/marigram/marigram/internal/table"
	"github.com/marigram/marigram/internal/units"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/traces/catalogue"
)

// stepFlags say how operations of steps were laid out, and what is written of them.
type stepFlags struct {
	Meta string `flag:"meta" help:"sizes of the job (dp_size, pp_size, ...) whose operations FILE has: say why its steps are slow; a <file> of YAML"`
	GPUs int    `flag:"gpus" with:"slow" min:"0" max:"4096" help:"GPUs of an instance of --slow; by default those of a worker"`
	Slow string `flag:"slow" with:"meta" writes:"true" help:"write the instances that compute slower than their peers into this <file>, as slow.trace of a spec reads it"`
}

// ofSteps are the flags that mean something with --meta.
var ofSteps = []string{"meta", "gpus", "slow", "plot", "json", "quiet"}

// runSteps says why recorded steps are slow.
func (f *observeFlags) runSteps(cmd *cobra.Command, args []string) (err error) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if !slices.Contains(ofSteps, flag.Name) && err == nil {
			err = fmt.Errorf("--%s has no effect with --meta: operations of steps are no record of a run", flag.Name)
		}
	})
	if err != nil {
		return err
	}
	if len(args) != 1 {
		return fmt.Errorf("%d files of operations, expected one with --meta", len(args))
	}
	trace, err := pulledFile(args[0])
	if err != nil {
		return err
	}
	meta, err := pulledFile(f.Meta)
	if err != nil {
		return err
	}
	job, err := stragglers.Read(cmd.Context(), trace, meta)
	if err != nil {
		return err
	}
	analysis, err := job.Analyse()
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if err := f.writeSteps(analysis); err != nil {
		return err
	}
	said := whyOf(analysis)
	return f.Give(cmd, said, func(w io.Writer) { said.print(w, analysis) })
}

// pulledFile is the path of a file of a data set that was pulled, pulled:NAME/FILE, or the path as it is.
func pulledFile(path string) (string, error) {
	inside, is := strings.CutPrefix(path, catalogue.PulledPrefix)
	if !is {
		return path, nil
	}
	name, file, _ := strings.Cut(inside, "/")
	dir, err := catalogue.PulledDir(name)
	return filepath.Join(dir, filepath.FromSlash(file)), err
}

// writeSteps writes the figure and the slow instances, where that is asked for.
func (f *observeFlags) writeSteps(a *stragglers.Analysis) error {
	if f.Slow != "" {
		gpus := f.GPUs
		if gpus == 0 {
			gpus = a.Job.TP * a.Job.DSP
		}
		file, err := columnar.CreateCSV[stragglers.Slowdown](f.Slow)
		if err != nil {
			return cli.Failed(err)
		}
		if err := file.Append(a.Slow(gpus)); err != nil {
			file.Abort()
			return cli.Failed(err)
		}
		if err := file.Close(); err != nil {
			return cli.Failed(err)
		}
	}
	if f.Plot == "" {
		return nil
	}
	drawn, err := plots.Stragglers(a.Job.Name, a)
	if err != nil {
		return err
	}
	return f.save(drawn)
}

// why is what steps say, as JSON.
type why struct {
	Name       string             `json:"name"`
	GPUs       int                `json:"gpus"`
	Workers    int                `json:"workers"`
	Steps      int                `json:"steps"`
	RecordedS  float64            `json:"recorded_s"`
	OriginalS  float64            `json:"original_s"`
	IdealS     float64            `json:"ideal_s"`
	S          float64            `json:"s"`
	Waste      float64            `json:"waste"`
	MW         float64            `json:"m_w"`
	MWWorkers  []string           `json:"m_w_workers"` // dp rank/stage
	MS         float64            `json:"m_s"`
	IfReplaced *float64           `json:"if_replaced"` // null: one dp rank
	Replaced   string             `json:"replaced"`
	Causes     []stragglers.Cause `json:"causes"`
	Values     []stragglers.Value `json:"values"`
}

func whyOf(a *stragglers.Analysis) *why {
	said := &why{
		Name:      a.Job.Name,
		GPUs:      a.Job.GPUs(),
		Workers:   len(a.Job.Ranks),
		Steps:     len(a.Job.Steps),
		RecordedS: stragglers.Mean(a.RecordedS),
		OriginalS: a.MW.OriginalS,
		IdealS:    a.MW.IdealS,
		S:         a.S,
		Waste:     1 - 1/a.S,
		MW:        a.MW.Share(),
		MS:        a.MS.Share(),
		Causes:    a.Causes(),
		Values:    a.Values(),
	}
	for _, worker := range a.Slowest {
		said.MWWorkers = append(said.MWWorkers, a.Job.WorkerName(worker))
	}
	if worker, gain := a.MostReplaced(); worker >= 0 {
		said.IfReplaced = &gain
		said.Replaced = a.Job.WorkerName(worker)
	}
	return said
}

// lost is a row of S by type, dp rank or stage.
type lost struct {
	Of    string  `head:"of" left:"true"`
	Name  string  `head:"" left:"true"`
	S     float64 `head:"S" format:"%.4f"`
	Waste float64 `head:"waste" format:"percent"`
}

// print writes the answer first: what helps, then the numbers.
func (y *why) print(w io.Writer, a *stragglers.Analysis) {
	fmt.Fprintf(w, "%s: %s in %s, %s\n", y.Name, units.Count(y.GPUs, "GPU", "GPUs"),
		units.Count(y.Workers, "worker", "workers"), units.Count(y.Steps, "step", "steps"))
	for _, cause := range y.Causes {
		fmt.Fprintf(w, "%s: %s\n    steps are %.3f times as fast without\n", cause.What, cause.Do, cause.Gain)
	}
	if len(y.Causes) == 0 {
		fmt.Fprintln(w, "no machine, stage or micro-batch without which steps would be 3 % faster")
	}
	fmt.Fprintf(w, "\nS = %.4f: a step takes %.4f s, and %.4f s in the ideal job (waste %s); recorded: %.4f s\n", y.S,
		y.OriginalS, y.IdealS, units.Percent(y.Waste), y.RecordedS)
	fmt.Fprintln(w, "S compares with the same slowness spread evenly over all workers, not with a healthy job.")
	if y.IfReplaced == nil {
		fmt.Fprintln(w, "With one replica there is no peer to compare a worker with.")
	} else {
		fmt.Fprintf(w, "If worker (%s) were like its peers, steps would be %.4f times as fast.\n",
			strings.ReplaceAll(y.Replaced, "/", ", "), *y.IfReplaced)
	}
	fmt.Fprintf(w, "M_W = %.4f: part of the waste that goes with the slowest %s (3 %%): %s\n", y.MW,
		units.Count(len(y.MWWorkers), "worker", "workers"), strings.Join(y.MWWorkers, ", "))
	fmt.Fprintf(w, "M_S = %.4f: part of the waste that goes with the last stage\n\n", y.MS)
	var rows []lost
	for _, part := range []struct {
		of     string
		shares []stragglers.Share
	}{{"type", a.Types}, {"dp rank", a.Ranks}, {"stage", a.Stages}} {
		for _, one := range stragglers.Notable(part.shares) {
			rows = append(rows, lost{part.of, one.Name, one.S, 1 - 1/one.S})
		}
	}
	term.Print(w, table.Of(rows))
}
