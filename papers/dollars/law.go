package dollars

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/papers"
)

// published is a published speed, as the table has it.
type published struct {
	Source    string  `col:"source"`
	Kind      string  `col:"kind"` // benchmark, mlperf, or run: a whole training
	Params    float64 `col:"params"`
	Active    float64 `col:"active"`
	Method    string  `col:"method"`
	Precision string  `col:"precision"`
	Seq       float64 `col:"seq"` // NaN: not said
	GPU       string  `col:"gpu"`
	MemoryGB  float64 `col:"memory_gb"`
	GPUs      int     `col:"gpus"`
	PerGPU    float64 `col:"tokens_per_s_gpu"`
	Unfit     string  `col:"fit"` // why it is not fitted
}

// row is a published speed, and what the law needs besides.
type row struct {
	published
	gpu    transformer.GPU
	stack  string
	vendor bool
	ln     float64 // of the utilisation
}

// others are types of which there are too few rows for a number of their own.
var others = map[string]transformer.GPU{
	"RTX-3090": {Name: "RTX-3090", Generation: "geforce", TFLOPS: 71},
	"H200-NVL": {Name: "H200-NVL", Generation: "hopper", TFLOPS: 835.5},
}

// source is the class of a source.
type source struct {
	Name   string `col:"source"`
	Stack  string `col:"stack"`
	Vendor string `col:"vendor"`
}

// fittedRows returns the rows that the law is fitted to.
func fittedRows() ([]row, error) {
	classes := map[string]source{}
	for _, s := range facts.ReadFrom[source](files, "sources") {
		classes[s.Name] = s
	}
	var out []row
	for _, p := range facts.ReadFrom[published](files, "measured") {
		r := row{published: p}
		if r.Unfit != "" {
			continue
		}
		gpu, known := others[r.GPU]
		if !known {
			var err error
			if gpu, _, err = transformer.GPUNamed(r.GPU, 0); err != nil {
				return nil, fmt.Errorf("measured.csv: %s: %w", r.Source, err)
			}
		}
		r.gpu = gpu
		r.stack = classes[r.Source].Stack
		r.vendor = classes[r.Source].Vendor != ""
		if math.IsNaN(r.Seq) {
			r.Seq = 2048
		}
		job := r.job()
		r.ln = math.Log(r.PerGPU * job.WorkPerToken() / (gpu.TFLOPS * 1e12))
		out = append(out, r)
	}
	return out, nil
}

func (r *row) job() transformer.Job {
	return transformer.Job{Params: r.Params, Active: r.Active, Seq: r.Seq, Method: r.Method, Precision: r.Precision}.WithDefaults()
}

// terms returns how much of each effect a row has: the law's, and those of the peak, the generation, what makers of
// GPUs tune, and perhaps the class of the training program.
func (r *row) terms(stack bool) map[string]float64 {
	job := r.job()
	terms := job.Terms(r.GPUs)
	terms["a"] = 1
	terms["b"] = math.Log(r.gpu.TFLOPS / 312)
	terms[r.gpu.Generation] = 1
	if r.Precision == "fp4" {
		terms["fp4"] = 1
	}
	if r.vendor && (r.Precision == "fp8" || r.Precision == "fp4") {
		terms["fp8_vendor"] = 1
	}
	if stack && (r.stack == "tuned" || r.stack == "plain") {
		terms["stack_"+r.stack] = 1
	}
	return terms
}

var generations = []string{"volta", "ampere", "hopper", "blackwell", "mi300", "mi350", "ada", "geforce"}

var slopes = []string{"b", "size", "seq", "scale", "single", "moe", "fp8", "fp8_vendor", "fp4", "lora", "qlora"}

// law is a fitted law.
type law struct {
	effects map[string]float64
	stack   bool
	within  float64 // variance within a source
	between float64
}

// fit fits the law with a random intercept by source: ridge with a standard deviation of 0.25 on generations and 0.5 on
// other slopes, none on a; both variances by expectation maximisation (Laird and Ware, "Random-effects models for
// longitudinal data", Biometrics 1982).
func fit(rows []row, stack bool) *law {
	names := append([]string{"a"}, slopes...)
	if stack {
		names = append(names, "stack_tuned", "stack_plain")
	}
	names = append(names, generations...)
	fixed := len(names)
	var sources []string
	for i := range rows {
		if !slices.Contains(sources, rows[i].Source) {
			sources = append(sources, rows[i].Source)
		}
	}
	total := fixed + len(sources)
	design := mat.NewDense(len(rows), total, nil)
	y := mat.NewVecDense(len(rows), nil)
	for i := range rows {
		terms := rows[i].terms(stack)
		for k, name := range names {
			design.Set(i, k, terms[name])
		}
		design.Set(i, fixed+slices.Index(sources, rows[i].Source), 1)
		y.SetVec(i, rows[i].ln)
	}
	prior := make([]float64, total) // precisions
	for k, name := range names {
		switch {
		case name == "a":
		case slices.Contains(generations, name):
			prior[k] = 1 / (0.25 * 0.25)
		default:
			prior[k] = 1 / (0.5 * 0.5)
		}
	}
	out := &law{stack: stack, within: 0.04, between: 0.08}
	var products mat.SymDense
	products.SymOuterK(1, design.T())
	var right, solution, residual mat.VecDense
	right.MulVec(design.T(), y)
	for range 2000 {
		precision := mat.NewSymDense(total, nil)
		for i := range total {
			for k := i; k < total; k++ {
				precision.SetSym(i, k, products.At(i, k)/out.within)
			}
			own := prior[i]
			if i >= fixed {
				own = 1 / out.between
			}
			precision.SetSym(i, i, precision.At(i, i)+own)
		}
		var factor mat.Cholesky
		if !factor.Factorize(precision) {
			panic("dollars: the law has no solution") // the prior makes the matrix positive
		}
		if err := factor.SolveVecTo(&solution, &right); err != nil {
			panic(err)
		}
		solution.ScaleVec(1/out.within, &solution)
		residual.MulVec(design, &solution)
		residual.SubVec(y, &residual)
		// Given the effects, intercepts are independent of each other.
		spread := 0.0
		between := 0.0
		for i := fixed; i < total; i++ {
			speeds := products.At(i, i) // of the source
			variance := 1 / (speeds/out.within + 1/out.between)
			spread += speeds * variance
			between += solution.AtVec(i)*solution.AtVec(i) + variance
		}
		within := (mat.Dot(&residual, &residual) + spread) / float64(len(rows))
		between /= float64(len(sources))
		moved := math.Abs(within-out.within) + math.Abs(between-out.between)
		out.within = within
		out.between = between
		if moved < 1e-9 {
			break
		}
	}
	out.effects = map[string]float64{}
	for k, name := range names {
		out.effects[name] = solution.AtVec(k)
	}
	return out
}

// predict returns the logarithm of the utilisation of a row, without what its source differs by.
func (l *law) predict(r *row) float64 {
	terms := r.terms(l.stack)
	ln := 0.0
	for _, name := range slices.Sorted(maps.Keys(terms)) {
		ln += l.effects[name] * terms[name]
	}
	return ln
}

// utilisation returns the share of the peak of a GPU type for full training of 7e9 parameters.
func (l *law) utilisation(gpu transformer.GPU) float64 {
	return math.Exp(l.effects["a"] + l.effects["b"]*math.Log(gpu.TFLOPS/312) + l.effects[gpu.Generation])
}

// refit reports the coefficients of the law, fitted again, and the utilisations that follow from them.
func refit(f *papers.Figure) error {
	rows, err := fittedRows()
	if err != nil {
		return err
	}
	first := fit(rows, false)
	for _, name := range append([]string{"a"}, slopes...) {
		f.Report(name, first.effects[name])
	}
	f.Report("within", first.within)
	f.Report("between", first.between)
	withStack := fit(rows, true)
	moved := withStack.effects["a"] - first.effects["a"]
	f.Report("stack_tuned", withStack.effects["stack_tuned"]+moved)
	f.Report("stack_plain", withStack.effects["stack_plain"]+moved)
	for _, gpu := range transformer.GPUs() {
		f.Report(gpu.Name, first.utilisation(gpu))
	}
	return nil
}
