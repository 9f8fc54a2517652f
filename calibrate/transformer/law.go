// Package transformer says how fast decoder-only transformers train where nothing was measured, and how many GB a GPU
// needs, from parameters, tokens and the GPU. The law was fitted to published speeds (papers/dollars, docs/dollars.md);
// it is wide: eight of ten jobs take between 0.61 and 2.23 times as long as its middle says.
package transformer

import (
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/marigram/marigram/calibrate/facts"
)

// The ways to train.
const (
	Full  = "full"  // all parameters
	LoRA  = "lora"  // adapters of a frozen network in 16 bits
	QLoRA = "qlora" // adapters of a frozen network in 4 bits
)

// Job is what is trained and how: what its speed and memory are worked out from. Empty words are the first of their
// names.
type Job struct {
	Params     float64    `json:"params" min:"1e6" max:"1e15" jsonschema:"parameters of the network (decoder-only transformers only)"`
	Active     float64    `json:"active,omitempty" min:"1e6" max:"1e15" jsonschema:"parameters that a token uses, of a mixture of experts; all if absent"`
	Seq        float64    `json:"seq,omitempty" min:"1" max:"1e9" jsonschema:"tokens of a sequence; 4096 if absent"`
	Method     string     `json:"method,omitempty" names:"full,lora,qlora" jsonschema:"which parameters are trained: full (all), lora or qlora (adapters); full if absent"`
	Precision  string     `json:"precision,omitempty" names:"bf16,fp8" jsonschema:"of products; bf16 if absent"`
	Stack      string     `json:"stack,omitempty" names:"unknown,tuned,plain" jsonschema:"the training program: tuned (made for speed: Megatron, NeMo, torchtitan, packed sequences, fused attention), plain (the script of a model, stock HuggingFace) or unknown; unknown if absent"`
	StateBytes float64    `json:"state_bytes,omitempty" min:"2" max:"64" jsonschema:"bytes of weights, gradients and optimizer of a trained parameter: 18 Adam in mixed precision, 10 or 8 where states are in bf16 or 8 bits; 18 if absent"`
	Rank       float64    `json:"rank,omitempty" min:"1" max:"100000" jsonschema:"of the adapters of lora and qlora; 16 if absent"`
	Vocab      float64    `json:"vocab,omitempty" min:"2" max:"1e7" jsonschema:"size of the vocabulary; 128256 if absent"`
	Measured   []Measured `json:"measured,omitempty" items:"1000" jsonschema:"measured speeds of this job, which move the estimate and narrow its band"`
}

// Measured is a measured speed.
type Measured struct {
	GPU        string  `json:"gpu" jsonschema:"GPU type: H100, A100-80"`
	GPUs       int     `json:"gpus" min:"1" max:"1000000" jsonschema:"GPUs that trained together"`
	TokensPerS float64 `json:"tokens_per_s" above:"0" max:"1e12" jsonschema:"tokens a second of all of them together"`
}

// WithDefaults returns the job with what is absent filled in.
func (j Job) WithDefaults() Job {
	orNumber(&j.Active, j.Params)
	orNumber(&j.Seq, 4096)
	orNumber(&j.StateBytes, 18)
	orNumber(&j.Rank, 16)
	orNumber(&j.Vocab, 128256)
	orWord(&j.Method, Full)
	orWord(&j.Precision, "bf16")
	orWord(&j.Stack, "unknown")
	return j
}

func orNumber(x *float64, otherwise float64) {
	if *x == 0 {
		*x = otherwise
	}
}

func orWord(x *string, otherwise string) {
	if *x == "" {
		*x = otherwise
	}
}

// shape returns the layers and the width that a network with so many parameters has, both fractions: 12 layers times
// width squared are the parameters, and the width is 128 times the layers.
func (j *Job) shape() (layers, width float64) {
	layers = math.Cbrt(j.Active / 196608)
	return layers, 128 * layers
}

// WorkPerToken returns the floating-point operations of a token: 6 for a trained parameter (4 for a frozen one, which
// has no gradient of its own), and causal attention. Recomputation is no work.
func (j *Job) WorkPerToken() float64 {
	layers, width := j.shape()
	each := 6.0
	if j.Method != Full {
		each = 4
	}
	return float64(each*j.Active) + float64(6*layers*width*j.Seq)
}

// Effects has what the law is made of, by the names of calibrate/facts/transformer_law.csv.
var Effects = sync.OnceValue(func() map[string]float64 {
	type row struct {
		Name  string  `col:"name"`
		Value float64 `col:"value"`
	}
	effects := map[string]float64{}
	for _, r := range facts.Read[row]("transformer_law") {
		effects[r.Name] = r.Value
	}
	return effects
})

// Mixture reports whether the network is a mixture of experts.
func (j *Job) Mixture() bool { return j.Params > 1.5*j.Active }

// Terms returns by what the logarithm of the utilisation is moved, by the names of effects: how much of each. That of
// the GPU type and the stack are not among them.
func (j *Job) Terms(gpus int) map[string]float64 {
	terms := map[string]float64{
		"size":  math.Log10(j.Active / 7e9),
		"seq":   max(0, math.Log2(j.Seq/4096)),
		"scale": max(0, math.Log2(float64(gpus)/8)),
	}
	flags := map[string]bool{
		"single": gpus == 1,
		"moe":    j.Mixture(),
		"fp8":    j.Precision == "fp8",
		"lora":   j.Method == LoRA,
		"qlora":  j.Method == QLoRA,
	}
	for name, is := range flags {
		if is {
			terms[name] = 1
		}
	}
	return terms
}

// order is that in which terms are added up: a sum depends on it.
var order = []string{"size", "seq", "scale", "single", "moe", "fp8", "lora", "qlora"}

// Utilisation returns the useful share of the bf16 peak that the job has on so many GPUs by the law, measured speeds
// apart.
func (j *Job) Utilisation(gpu GPU, gpus int) float64 {
	effects := Effects()
	terms := j.Terms(gpus)
	ln := math.Log(gpu.Utilisation)
	for _, name := range order {
		ln += float64(effects[name] * terms[name])
	}
	if j.Stack != "unknown" {
		ln += effects["stack_"+j.Stack]
	}
	return math.Exp(ln)
}

// few reports whether published rows of such jobs are few, so that bands are wider.
func (j *Job) few(gpu GPU) bool { return gpu.Evidence == "few" || j.Active < 5e8 || j.Mixture() }

// Speed is an estimated speed: its middle, and how far the logarithm of the true one is below and above it in so many
// of a hundred jobs.
type Speed struct {
	TokensPerS  float64 // the middle, of all GPUs together
	Utilisation float64 // of the bf16 peak
	Slow, Fast  Widths
	Measured    bool // on this type and number of GPUs
}

// Widths are those of bands, of the logarithm of a speed.
type Widths struct{ Of50, Of80, Of90 float64 }

// measuredWidth is that of a speed measured on the same GPUs: a step differs by 2 %.
const measuredWidth = 0.02

// On returns the speed on so many GPUs of a type.
func (j *Job) On(gpu GPU, gpus int) (Speed, error) {
	law := j.law(gpu, gpus)
	speed := Speed{TokensPerS: law}
	sum := 0.0
	for i, m := range j.Measured {
		other, _, err := GPUNamed(m.GPU, 0)
		if err != nil {
			return Speed{}, fmt.Errorf("measured[%d]: %w", i, err)
		}
		if m.GPUs == gpus && (other.Name == gpu.Name || strings.HasPrefix(plain(gpu.Name), plain(m.GPU))) {
			speed.TokensPerS = m.TokensPerS
			speed.Measured = true
		}
		sum += math.Log(m.TokensPerS / j.law(other, m.GPUs))
	}
	switch n := float64(len(j.Measured)); {
	case speed.Measured:
		speed.Slow = Widths{measuredWidth, measuredWidth, measuredWidth}
		speed.Fast = speed.Slow
	case n > 0:
		speed.TokensPerS = law * math.Exp(keep(n)*sum/n)
		speed.Slow = widths("after")
		speed.Fast = speed.Slow
	default:
		speed.Slow, speed.Fast = j.band(gpu)
	}
	speed.Utilisation = speed.TokensPerS * j.WorkPerToken() / (float64(gpus) * gpu.TFLOPS * 1e12)
	return speed, nil
}

// law returns tokens a second by the law alone.
func (j *Job) law(gpu GPU, gpus int) float64 {
	return float64(gpus) * j.Utilisation(gpu, gpus) * gpu.TFLOPS * 1e12 / j.WorkPerToken()
}

// keep is the share of the mean deviation of n measured speeds that other settings have, too: what sources differ by,
// against what rows of one differ by.
func keep(n float64) float64 {
	if n == 1 {
		return Effects()["keep"]
	}
	between := n * Effects()["between"]
	return between / (between + Effects()["within"])
}

// band returns the widths of the estimate of a job of which nothing was measured.
func (j *Job) band(gpu GPU) (slow, fast Widths) {
	few := j.few(gpu)
	switch {
	case j.Stack == "unknown" && few:
		return widths("few_slow"), widths("few_fast")
	case j.Stack == "unknown":
		return widths("slow"), widths("fast")
	case few:
		return widths("stack_few"), widths("stack_few")
	}
	return widths("stack"), widths("stack")
}

// widths reads those of the three bands of a name.
func widths(name string) Widths {
	effects := Effects()
	return Widths{effects[name+"50"], effects[name+"80"], effects[name+"90"]}
}
