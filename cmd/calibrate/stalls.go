package calibrate

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/marigram/marigram/calibrate/stalls"
	"github.com/marigram/marigram/cmd/internal/cli"
	"github.com/marigram/marigram/cmd/internal/term"
	"github.com/marigram/marigram/internal/table"
)

// stallFlags are the times of differential runs.
type stallFlags struct {
	One              float64 `flag:"one" required:"true" min:"1e-09" max:"1e+12" help:"<seconds> of one GPU, synthetic data"`
	All              float64 `flag:"all" required:"true" min:"1e-09" max:"1e+12" help:"<seconds> of all GPUs, synthetic data"`
	Warm             float64 `flag:"warm" required:"true" min:"1e-09" max:"1e+12" help:"<seconds> of all GPUs, real data in the page cache"`
	Cold             float64 `flag:"cold" required:"true" min:"1e-09" max:"1e+12" help:"<seconds> of all GPUs, real data on the disk"`
	Networked        float64 `flag:"networked" min:"0" max:"1e+12" help:"<seconds> of the same number of GPUs on several instances, synthetic data"`
	RealSamples      float64 `flag:"real-samples" min:"0" max:"1e+12" help:"samples per GPU in the runs with real data"`
	SyntheticSamples float64 `flag:"synthetic-samples" min:"0" max:"1e+12" help:"samples per GPU in the runs with synthetic data"`
	Steps            float64 `flag:"steps" required:"true" min:"1" max:"1e+12" help:"steps per GPU in the runs with synthetic data"`
	Samples          float64 `flag:"samples" min:"0" max:"1e+12" help:"samples per GPU in the runs with synthetic data: also prints the rates of DS-Analyzer"`
	cli.Answer
}

func stallsCommand() *cobra.Command {
	var f stallFlags
	cmd := cli.WithFlags(&cobra.Command{
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
			answer, err := f.stalls()
			if err != nil {
				return err
			}
			return f.Give(cmd, answer, answer.print)
		},
	}, &f)
	cmd.MarkFlagsRequiredTogether("real-samples", "synthetic-samples")
	return cmd
}

// stallTable is the answer.
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
	if (f.RealSamples > 0) != (f.SyntheticSamples > 0) {
		return nil, fmt.Errorf("--real-samples %v and --synthetic-samples %v, expected both above 0 or neither",
			f.RealSamples, f.SyntheticSamples)
	}
	runs := stalls.Differential{
		One:              f.One,
		All:              f.All,
		Warm:             f.Warm,
		Cold:             f.Cold,
		Networked:        f.Networked,
		RealSamples:      f.RealSamples,
		SyntheticSamples: f.SyntheticSamples,
	}
	stages := runs.Stages(f.Steps)
	stalls := runs.Stalls()
	answer := &stallTable{StepS: stages.Step(), Stages: []stallRow{
		{Stage: "computation", StepS: stages.Compute},
		{"interconnect", stages.Interconnect, stalls.Interconnect.Share, "all", stalls.Interconnect.Seconds},
		{"network", stages.Network, stalls.Network.Share, "all", stalls.Network.Seconds},
		{"CPU", stages.CPU, stalls.CPU.Share, "warm", stalls.CPU.Seconds},
		{"disk", stages.Disk, stalls.Disk.Share, "cold", stalls.Disk.Seconds},
	}}
	if f.Samples > 0 {
		rates := runs.Rates(f.Samples)
		answer.Rates = []rateRow{{"ingestion", &rates.Ingestion}, {"preparation", &rates.Prep}, {Rate: "fetching"}}
		if !math.IsInf(rates.Fetch, 1) {
			answer.Rates[2].PerGPUPerS = &rates.Fetch
		}
	}
	return answer, nil
}

func (s *stallTable) print(w io.Writer) {
	stages := table.New("stage", "s/step", "stall s", "share", "of run")
	for _, r := range s.Stages {
		if r.Of == "" {
			stages.Row(r.Stage, r.StepS)
			continue
		}
		stages.Row(r.Stage, r.StepS, r.RunS, cli.Percent(r.Share), r.Of)
	}
	stages.Row("step", s.StepS)
	term.Print(w, stages)
	if s.Rates == nil {
		return
	}
	fmt.Fprintln(w)
	rates := table.New("rate", "samples/s per GPU")
	for _, r := range s.Rates {
		if r.PerGPUPerS == nil {
			rates.Row(r.Rate, "no limit")
		} else {
			rates.Row(r.Rate, r.PerGPUPerS)
		}
	}
	term.Print(w, rates)
}
