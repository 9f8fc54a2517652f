package dollars

import (
	"math"

	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/papers"
)

// answer is a time that a whole run took.
type answer struct {
	Name   string  `yaml:"name"`
	Params float64 `yaml:"params"`
	Tokens float64 `yaml:"tokens"`
	Seq    float64 `yaml:"seq"`
	GPUs   int     `yaml:"gpus"`
	PerGPU bool    `yaml:"per_gpu"` // hours are those of all GPUs together
}

// answers reports both ends of the 80 % band of the hours of runs with the plain script of a model, on A100 of 80 GB.
func answers(f *papers.Figure) error {
	var in struct {
		Runs []answer `yaml:"runs"`
	}
	if err := f.Inputs(&in); err != nil {
		return err
	}
	gpu, _, err := transformer.GPUNamed("A100-80", 0)
	if err != nil {
		return err
	}
	for _, run := range in.Runs {
		job := transformer.Job{Params: run.Params, Seq: run.Seq, Stack: "plain"}.WithDefaults()
		speed, err := job.On(gpu, run.GPUs)
		if err != nil {
			return err
		}
		hours := run.Tokens / speed.TokensPerS / 3600
		if run.PerGPU {
			hours *= float64(run.GPUs)
		}
		f.Report(run.Name+"-low", hours*math.Exp(-speed.Fast.Of80))
		f.Report(run.Name+"-high", hours*math.Exp(speed.Slow.Of80))
		f.Note(run.Name+"-high", job.Memory(gpu, transformer.Layout{GPUs: run.GPUs, Node: 8}).Fit.String())
	}
	return nil
}
