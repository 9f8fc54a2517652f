package calibrate

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
)

// stallFlags are the times of differential runs.
type stallFlags struct {
	runs           stalls.Differential
	steps, samples float64
	json           bool
}

func stallsCommand() *cobra.Command {
	var f stallFlags
	cmd := &cobra.Command{
		Use:   "stalls",
		Short: "Split the step time into computation and stalls, from differential runs (Stash)",
		Long: `Splits the time of a training step into computation and stalls, from the
differential runs of Stash: one GPU with synthetic data; all GPUs of an instance
with synthetic data; the same with real data in the page cache; the same with a cold
page cache; and, if measured, the same number of GPUs on several instances. All runs
have the same number of steps per GPU, unless --real-samples and --synthetic-samples
are given. Times are in seconds. A negative stall is noise and counts as 0.`,
		Example: `  marigram calibrate stalls --one 50 --all 60 --warm 65 --cold 70 --steps 100
  marigram calibrate stalls --one 50 --all 60 --warm 65 --cold 70 --networked 300 --steps 100 --samples 3200 --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.stalls()
			if err != nil {
				return err
			}
			if f.json {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			return cli.Failed(s.print(cmd.OutOrStdout()))
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.runs.One, "one", 0, "`seconds` of one GPU, synthetic data")
	flags.Float64Var(&f.runs.All, "all", 0, "`seconds` of all GPUs, synthetic data")
	flags.Float64Var(&f.runs.Warm, "warm", 0, "`seconds` of all GPUs, real data in the page cache")
	flags.Float64Var(&f.runs.Cold, "cold", 0, "`seconds` of all GPUs, real data on the disk")
	flags.Float64Var(&f.runs.Networked, "networked", 0, "`seconds` of the same number of GPUs on several instances, synthetic data")
	flags.Float64Var(&f.runs.RealSamples, "real-samples", 0, "samples per GPU in the runs with real data")
	flags.Float64Var(&f.runs.SyntheticSamples, "synthetic-samples", 0, "samples per GPU in the runs with synthetic data")
	flags.Float64Var(&f.steps, "steps", 0, "steps per GPU in the runs with synthetic data")
	flags.Float64Var(&f.samples, "samples", 0,
		"samples per GPU in the runs with synthetic data: also prints the rates of DS-Analyzer")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	for _, name := range []string{"one", "all", "warm", "cold", "steps"} {
		cli.Must(cmd.MarkFlagRequired(name))
	}
	cmd.MarkFlagsRequiredTogether("real-samples", "synthetic-samples")
	return cmd
}

// stallTable is the answer, with the names of its JSON form.
type stallTable struct {
	StepS  float64    `json:"step_time_s"`
	Stages []stallRow `json:"stages"`
	Rates  []rateRow  `json:"rates,omitempty"`
}

type stallRow struct {
	Stage string  `json:"stage"`
	StepS float64 `json:"step_time_s"`       // its part of a step
	Share float64 `json:"share_of_run"`      // of the run that Stash divides by; 0 for computation
	Of    string  `json:"run,omitempty"`     // that run
	RunS  float64 `json:"stall_s,omitempty"` // in the whole run
}

type rateRow struct {
	Rate       string   `json:"rate"`
	PerGPUPerS *float64 `json:"samples_per_s"` // of one GPU; null: it never waits
}

func (f *stallFlags) stalls() (*stallTable, error) {
	for _, q := range []struct {
		name  string
		x     float64
		least float64
	}{
		{"one", f.runs.One, 1e-9}, {"all", f.runs.All, 1e-9}, {"warm", f.runs.Warm, 1e-9}, {"cold", f.runs.Cold, 1e-9},
		{"steps", f.steps, 1},
		{"networked", f.runs.Networked, 0}, {"samples", f.samples, 0}, {"real-samples", f.runs.RealSamples, 0},
		{"synthetic-samples", f.runs.SyntheticSamples, 0},
	} {
		if !(q.x >= q.least) || q.x > 1e12 {
			return nil, fmt.Errorf("--%s %v, expected %v to 1e+12", q.name, q.x, q.least)
		}
	}
	if (f.runs.RealSamples > 0) != (f.runs.SyntheticSamples > 0) {
		return nil, fmt.Errorf("--real-samples %v and --synthetic-samples %v, expected both above 0 or neither",
			f.runs.RealSamples, f.runs.SyntheticSamples)
	}
	stages, stalls := f.runs.Stages(f.steps), f.runs.Stalls()
	t := &stallTable{StepS: stages.Step(), Stages: []stallRow{
		{Stage: "computation", StepS: stages.Compute},
		{"interconnect", stages.Interconnect, stalls.Interconnect.Share, "all", stalls.Interconnect.Seconds},
		{"network", stages.Network, stalls.Network.Share, "all", stalls.Network.Seconds},
		{"CPU", stages.CPU, stalls.CPU.Share, "warm", stalls.CPU.Seconds},
		{"disk", stages.Disk, stalls.Disk.Share, "cold", stalls.Disk.Seconds},
	}}
	if f.samples > 0 {
		r := f.runs.Rates(f.samples)
		t.Rates = []rateRow{{"ingestion", &r.Ingestion}, {"preparation", &r.Prep}, {Rate: "fetching"}}
		if !math.IsInf(r.Fetch, 1) {
			t.Rates[2].PerGPUPerS = &r.Fetch
		}
	}
	return t, nil
}

func (s *stallTable) print(w io.Writer) error {
	t := term.NewTable("stage", "s/step", "stall s", "share", "of run")
	for _, r := range s.Stages {
		if r.Of == "" {
			t.Row(r.Stage, cli.Significant(r.StepS), "", "", "")
			continue
		}
		t.Row(r.Stage, cli.Significant(r.StepS), cli.Significant(r.RunS), cli.Percent(r.Share), r.Of)
	}
	t.Row("step", cli.Significant(s.StepS), "", "", "")
	if err := t.Print(w); err != nil || s.Rates == nil {
		return err
	}
	fmt.Fprintln(w)
	rates := term.NewTable("rate", "samples/s per GPU")
	for _, r := range s.Rates {
		text := "no limit"
		if r.PerGPUPerS != nil {
			text = cli.Significant(*r.PerGPUPerS)
		}
		rates.Row(r.Rate, text)
	}
	return rates.Print(w)
}
