package transformer_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/internal/near"
)

// reference is a job and what an independent program with the same numbers makes of it.
type reference struct {
	Params    float64 `col:"params"`
	Active    float64 `col:"active"`
	Tokens    float64 `col:"tokens"`
	GPU       string  `col:"gpu"`
	GPUs      int     `col:"gpus"`
	Seq       float64 `col:"seq"`
	Method    string  `col:"method"`
	Precision string  `col:"precision"`
	Stack     string  `col:"stack"`

	Utilisation float64 `col:"utilisation"`
	TokensPerS  float64 `col:"tokens_per_s"`
	Fast        float64 `col:"hours_fast"`
	Hours       float64 `col:"hours"`
	Slow        float64 `col:"hours_slow"`
	GB          float64 `col:"memory_gb"`
	TP          int     `col:"tensor_parallel"`
	Fits        string  `col:"fits"`
}

func (r *reference) job() transformer.Job {
	return transformer.Job{Params: r.Params, Active: r.Active, Seq: r.Seq, Method: r.Method, Precision: r.Precision, Stack: r.Stack}.WithDefaults()
}

func TestReference(t *testing.T) {
	rows := facts.ReadFrom[reference](os.DirFS("testdata"), "reference")
	for i := range rows {
		r := &rows[i]
		gpu, _, err := transformer.GPUNamed(r.GPU, 0)
		if err != nil {
			t.Fatal(err)
		}
		job := r.job()
		speed, err := job.On(gpu, r.GPUs)
		if err != nil {
			t.Fatal(err)
		}
		hours := r.Tokens / speed.TokensPerS / 3600
		memory := job.Memory(gpu, transformer.Layout{GPUs: r.GPUs, Node: 8})
		near.Rel(t, r.GPU+" utilisation", speed.Utilisation, r.Utilisation, 1e-4)
		near.Rel(t, r.GPU+" tokens/s", speed.TokensPerS, r.TokensPerS, 1e-4)
		near.Rel(t, r.GPU+" hours", hours, r.Hours, 1e-4)
		near.Rel(t, r.GPU+" slow", hours*math.Exp(speed.Slow.Of80), r.Slow, 1e-4)
		near.Rel(t, r.GPU+" fast", hours*math.Exp(-speed.Fast.Of80), r.Fast, 1e-4)
		near.Rel(t, r.GPU+" GB", memory.GB, r.GB, 1e-4+5e-4) // printed with four digits
		if memory.TensorParallel != r.TP || memory.Fit.String() != r.Fits {
			t.Errorf("%g parameters on %d %s: tensor parallelism %d, %s, expected %d, %s", r.Params, r.GPUs, r.GPU, memory.TensorParallel,
				memory.Fit, r.TP, r.Fits)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		job    transformer.Job
		gpu    string
		gpus   int
		expect string
	}{
		{transformer.Job{Params: 70e9}, "H100", 8, "70e9 parameters, full, on 8 H100: 162 GB of 86; fits on 32; with --lora 38 GB"},
		{transformer.Job{Params: 8e9}, "T4", 1, "no published speed of training a transformer on T4"},
		{transformer.Job{Params: 8e9, Precision: "fp8"}, "A100-80", 8, "fp8 on A100-80"},
		{transformer.Job{Params: 5e7}, "H100", 8, "5e7 parameters"},
		{transformer.Job{Params: 2e12}, "H100", 8, "2000e9 parameters"},
		{transformer.Job{Params: 8e9, Seq: 131072}, "H100", 8, "sequences of 131072 tokens"},
		{transformer.Job{Params: 8e9}, "RTX-4090", 16, "more than one machine"},
		{transformer.Job{Params: 8e9}, "MI300X", 64, "at most 32"},
		{transformer.Job{Params: 8e9, Active: 9e9}, "H100", 8, "active"},
		{transformer.Job{Params: 8e9, Measured: []transformer.Measured{{GPU: "K80", GPUs: 1, TokensPerS: 1}}}, "H100", 8, "measured[0]"},
	} {
		gpu, _, err := transformer.GPUNamed(c.gpu, 0)
		job := c.job.WithDefaults()
		layout := transformer.Layout{GPUs: c.gpus, Node: 8}
		if err == nil {
			_, err = job.Check(gpu, layout)
		}
		if err == nil {
			_, err = job.Room(gpu, layout)
		}
		if err == nil {
			_, err = job.On(gpu, c.gpus)
		}
		if err == nil || !strings.Contains(err.Error(), c.expect) {
			t.Errorf("%+v on %d %s: %v, expected %q", c.job, c.gpus, c.gpu, err, c.expect)
		}
	}
}

func TestMeasured(t *testing.T) {
	h100, _, _ := transformer.GPUNamed("H100", 0)
	job := transformer.Job{Params: 8e9}.WithDefaults()
	before, _ := job.On(h100, 8)
	job.Measured = []transformer.Measured{{GPU: "H100", GPUs: 8, TokensPerS: 2 * before.TokensPerS}}
	same, _ := job.On(h100, 8)
	near.Rel(t, "the same GPUs", same.TokensPerS, 2*before.TokensPerS, 1e-12)
	near.Rel(t, "the band of the same GPUs", same.Slow.Of80, 0.02, 1e-12)
	other := transformer.Job{Params: 8e9}.WithDefaults()
	law, _ := other.On(h100, 16)
	moved, _ := job.On(h100, 16)
	near.Rel(t, "other GPUs", moved.TokensPerS, law.TokensPerS*math.Exp(0.72*0.6931471805599453), 1e-12)
	near.Rel(t, "the band of other GPUs", moved.Slow.Of80, 0.44, 1e-12)
}

func TestNames(t *testing.T) {
	for name, expect := range map[string]string{
		"A100": "A100-40", "A100-80GB": "A100-80", "a100": "A100-40", "RTX4090": "RTX-4090", "h100": "H100", "V100": "V100", "V100-32GB": "", "A100-40": "A100-40",
	} {
		gpu, _, err := transformer.GPUNamed(name, 0)
		if gpu.Name != expect && expect != "" || (expect == "") != (err != nil) {
			t.Errorf("%s: %s, %v, expected %q", name, gpu.Name, err, expect)
		}
	}
	for _, c := range []struct {
		name   string
		memory float64
		expect string
	}{{"A100", 80, "A100-80"}, {"V100", 32, "V100"}} {
		if gpu, _, err := transformer.GPUNamed(c.name, c.memory); gpu.Name != c.expect || gpu.MemoryGB != c.memory {
			t.Errorf("%s, %g GB: %+v, %v", c.name, c.memory, gpu, err)
		}
	}
	if _, _, err := transformer.GPUNamed("H100", 40); err == nil {
		t.Error("an H100 of 40 GB, expected an error")
	}
}
