package spec

import (
	"fmt"
	"math"
	"strings"

	"github.com/marigram/marigram/calibrate/parallel"
	"github.com/marigram/marigram/calibrate/transformer"
	"github.com/marigram/marigram/internal/units"
)

// Estimated is a job whose speed is estimated from what it trains.
type Estimated struct {
	transformer.Job
	Tokens   float64
	MemoryGB float64 // of a GPU, where the type is sold with several; 0: by its name
}

// Offer is what an estimated job comes to on demand on some instances.
type Offer struct {
	Params     float64            `json:"params"`
	Tokens     float64            `json:"tokens"`
	Seq        float64            `json:"seq"`
	Method     string             `json:"method"`
	Type       string             `json:"instance_type"`
	GPU        string             `json:"gpu"`
	GPUs       int                `json:"gpus"` // of all instances
	Nodes      int                `json:"nodes"`
	USDPerH    float64            `json:"usd_per_h"` // of all instances; 0: not known
	TokensPerS Band               `json:"tokens_per_s"`
	Share      float64            `json:"utilisation"` // of the bf16 peak
	Hours      Band               `json:"hours"`
	USD        Band               `json:"usd"`
	Memory     transformer.Memory `json:"memory"`
	Fit        string             `json:"fit"`
	Measured   bool               `json:"measured"`         // on this type and number of GPUs
	Stacks     map[string]Band    `json:"stacks,omitempty"` // hours by training program, where none was said
	Notes      []string           `json:"notes,omitempty"`
}

// Band is an estimate: its middle, and the ends between which eight of ten jobs are.
type Band struct {
	Low    float64 `json:"low"`
	Middle float64 `json:"middle"`
	High   float64 `json:"high"`
}

func (b Band) times(x float64) Band { return Band{x * b.Low, x * b.Middle, x * b.High} }

// hoursOf is how long so many tokens take.
func hoursOf(tokens float64, s transformer.Speed) Band {
	middle := tokens / s.TokensPerS / 3600
	return Band{middle * math.Exp(-s.Fast.Of80), middle, middle * math.Exp(s.Slow.Of80)}
}

// Offer returns what the estimated job comes to on the instances; an error says that there is no speed for it, or that
// it does not fit into memory, and what would.
func (s Starter) Offer() (*Offer, error) {
	x := &starting{Starter: s}
	x.Nodes = max(1, x.Nodes)
	return x.offer()
}

func (x *starting) offer() (*Offer, error) {
	priced := x.machine()
	if priced != nil && x.gpu.Name == "" {
		return nil, priced
	}
	job := x.Estimated.Job.WithDefaults()
	layout := transformer.Layout{GPUs: x.Nodes * x.GPU.Count, Node: x.GPU.Count}
	if x.Estimated.Active == 0 && job.Params > 200e9 {
		return nil, fmt.Errorf("--active: %s parameters are often those of a mixture of experts; "+
			"expected how many a token uses, or the same number", transformer.Short(job.Params))
	}
	notes, err := job.Check(x.gpu, layout)
	if err != nil {
		return nil, err
	}
	memory, err := job.Room(x.gpu, layout)
	if err != nil {
		return nil, err
	}
	if memory.Fit == transformer.Tight {
		notes = append(notes, "memory is tight: offloading would slow the job")
	}
	speed, err := job.On(x.gpu, layout.GPUs)
	if err != nil {
		return nil, err
	}
	middle := speed.TokensPerS
	out := &Offer{
		Params: job.Params, Tokens: x.Estimated.Tokens, Seq: job.Seq, Method: job.Method,
		Type: x.Type, GPU: x.gpu.Name, GPUs: layout.GPUs, Nodes: x.Nodes,
		TokensPerS: Band{middle * math.Exp(-speed.Slow.Of80), middle, middle * math.Exp(speed.Fast.Of80)},
		Share:      speed.Utilisation, Hours: hoursOf(x.Estimated.Tokens, speed),
		Memory: memory, Fit: memory.Fit.String(), Measured: speed.Measured, Notes: notes,
	}
	if priced == nil {
		out.USDPerH = x.USD * float64(x.Nodes)
		out.USD = out.Hours.times(out.USDPerH)
	}
	if job.Stack == "unknown" && len(job.Measured) == 0 {
		out.Stacks = map[string]Band{}
		for _, stack := range []string{"tuned", "plain"} {
			job.Stack = stack
			narrower, err := job.On(x.gpu, layout.GPUs)
			if err != nil {
				return nil, err
			}
			out.Stacks[stack] = hoursOf(x.Estimated.Tokens, narrower)
		}
	}
	for _, published := range parallel.Speeds() {
		sameGPUs := published.GPU == x.gpu.Name && published.GPUs == layout.GPUs
		if sameGPUs && sameNetwork(published.Network, &job) {
			out.Notes = append(out.Notes, fmt.Sprintf("a speed of %s on %d %s is published: "+
				"--network %[1]s --hours in place of --params", published.Network, published.GPUs, published.GPU))
			break
		}
	}
	return out, nil
}

// sameNetwork reports whether a network of published speeds, such as llama-2-70b-lora, has the job's parameters.
func sameNetwork(name string, job *transformer.Job) bool {
	if strings.HasSuffix(name, "-lora") != (job.Method == transformer.LoRA) || job.Method == transformer.QLoRA {
		return false
	}
	for _, part := range strings.Split(name, "-") {
		var billions float64
		if n, _ := fmt.Sscanf(part, "%gb", &billions); n != 1 || !strings.HasSuffix(part, "b") {
			continue
		}
		if math.Abs(math.Log(job.Params/(1e9*billions))) < 0.05 {
			return true
		}
	}
	return false
}

// trained is how a text says which parameters are trained.
var trained = map[string]string{
	transformer.Full:  "all parameters trained",
	transformer.LoRA:  "LoRA",
	transformer.QLoRA: "QLoRA",
}

// String has a line each for what is trained, speed, price and memory, and what would narrow the band.
func (o *Offer) String() string {
	instances := o.Type
	if o.Nodes > 1 {
		instances = fmt.Sprintf("%d %s", o.Nodes, o.Type)
	}
	lines := []string{fmt.Sprintf("%s parameters, %s tokens, sequence %g, %s, on %d %s (%s)",
		transformer.Short(o.Params), transformer.Short(o.Tokens), o.Seq, trained[o.Method],
		o.GPUs, o.GPU, instances)}
	of := "80 %% band %s to %s"
	switch {
	case o.Measured:
		of = "measured; a step differs by 2 %%: %s to %s"
	case o.Stacks != nil:
		of += " (facts of 29 sources; no training program said)"
	}
	of = fmt.Sprintf(of, units.Thousands(o.TokensPerS.Low, 3), units.Thousands(o.TokensPerS.High, 3))
	lines = append(lines, fmt.Sprintf("speed      %s tokens/s, %.1f %% of the peak of bf16; %s",
		units.Thousands(o.TokensPerS.Middle, 3), 100*o.Share, of))
	price := "; the price is not known (--usd-per-h)"
	if o.USDPerH > 0 {
		price = fmt.Sprintf(", %.0f USD (%.0f to %.0f) at %.2f USD/h", o.USD.Middle, o.USD.Low, o.USD.High, o.USDPerH)
	}
	lines = append(lines,
		fmt.Sprintf("on demand  %.1f h (%.1f to %.1f)%s", o.Hours.Middle, o.Hours.Low, o.Hours.High, price),
		fmt.Sprintf("memory     %.0f of %.0f GB a GPU at least: %s", o.Memory.GB, o.Memory.OfGB, o.Fit))
	if o.Stacks != nil {
		var parts []string
		for _, stack := range []string{"tuned", "plain"} {
			band := o.Stacks[stack]
			parts = append(parts, fmt.Sprintf("--stack %s: %.1f h (%.1f to %.1f)",
				stack, band.Middle, band.Low, band.High))
		}
		lines = append(lines, "narrower   "+strings.Join(parts, "; ")+"; one measured --tokens-per-s: a factor of 1.55")
	}
	for _, note := range o.Notes {
		lines = append(lines, "note       "+note)
	}
	return strings.Join(lines, "\n") + "\n"
}

// Against compares an offer with another one on demand: which is cheaper, if the speeds of two GPU types are known well
// enough for that (80 % of their ratios are within exp(0.30), docs/dollars.md).
func (o *Offer) Against(other *Offer) string {
	ratio := math.Log(o.USD.Middle / other.USD.Middle)
	sooner := o
	if other.Hours.Middle < o.Hours.Middle {
		sooner = other
	}
	earlier := fmt.Sprintf("; %s is %.1f h sooner", sooner.Type, math.Abs(o.Hours.Middle-other.Hours.Middle))
	apart := 100 * (math.Exp(math.Abs(ratio)) - 1)
	if math.Abs(ratio) < 0.30 {
		return fmt.Sprintf("not decided: %.1f %% apart, the ratio of two GPU types is known to a factor of 1.35%s",
			apart, earlier)
	}
	cheaper := o
	if ratio > 0 {
		cheaper = other
	}
	// Two parts of a GPU type's own, of which each has the standard deviation sd_own.
	share := 0.5 * math.Erfc(-math.Abs(ratio)/(2*transformer.Effects()["sd_own"]))
	return fmt.Sprintf("%s is cheaper: %.0f %% apart, in %.0f %% of draws%s", cheaper.Type, apart, 100*share, earlier)
}

// estimate writes the model of the estimated job.
func (x *starting) estimate(p func(format string, args ...any)) {
	job := x.Estimated.Job.WithDefaults()
	p("  transformer:  # docs/dollars.md")
	p("    params: %s", transformer.Short(job.Params))
	if job.Active != job.Params {
		p("    active: %s", transformer.Short(job.Active))
	}
	p("    tokens: %s", transformer.Short(x.Estimated.Tokens))
	p("    seq: %g", job.Seq)
	p("    method: %s           # full | lora | qlora", job.Method)
	p("    precision: %s        # bf16 | fp8", job.Precision)
	p("    stack: %s         # unknown | tuned | plain", job.Stack)
	p("    state_bytes: %g         # 18 Adam in mixed precision; 10 or 8 where states are in bf16 or 8 bits",
		job.StateBytes)
	p("    speed: band             # band (three columns) | drawn | low | middle | high")
	if job.Measured == nil {
		p("    measured: []            # {gpu: %s, gpus: %d, tokens_per_s: 61000}", x.gpu.Name, x.Nodes*x.GPU.Count)
	} else {
		m := job.Measured[0]
		p("    measured: [{gpu: %s, gpus: %d, tokens_per_s: %g}]", m.GPU, m.GPUs, m.TokensPerS)
	}
	p("    batch_tokens: 524288    # how fine steps are; not an input of the speed")
	if !x.listed {
		p("    instances: [{type: %s, gpu: %s, gpus: %d, memory_gb: %g}]",
			x.Type, x.gpu.Name, x.GPU.Count, x.gpu.MemoryGB)
	}
	fits := func(nodes int) bool {
		layout := transformer.Layout{GPUs: nodes * x.GPU.Count, Node: x.GPU.Count}
		return job.Memory(x.gpu, layout).Fit == transformer.Fits
	}
	least := x.Nodes
	for least > 1 && fits(least-1) {
		least--
	}
	p("    workers: {min: %d, max: %d}", least, x.Nodes)
}

// saveS is how long a save takes: 12 bytes a parameter (weights, and Adam's two moments) at 2 GB/s from each instance,
// and at least 5 s; adapters alone take those.
func (x *starting) saveS() float64 {
	if x.Estimated == nil {
		return 30
	}
	if x.Estimated.Method == transformer.LoRA || x.Estimated.Method == transformer.QLoRA {
		return 5
	}
	return math.Ceil(max(5, 12*x.Estimated.Params/(2e9*float64(x.Nodes))))
}

// shareWithin returns the share of jobs that are done within so many hours on demand: by a normal distribution in two
// pieces, of the logarithm, that has the band.
func (o *Offer) shareWithin(hours float64) float64 {
	const of80 = 1.2815515655446004 // standard normal: eight of ten are within
	ln := math.Log(hours / o.Hours.Middle)
	end := math.Log(o.Hours.High / o.Hours.Middle)
	if ln < 0 {
		end = math.Log(o.Hours.Middle / o.Hours.Low)
	}
	return 0.5 * math.Erfc(-ln*of80/end/math.Sqrt2)
}
