package transformer

import (
	"errors"
	"fmt"
	"strings"
)

// Fit says whether what a GPU holds has room in its memory.
type Fit uint8

// Fits takes at most 80 % of the memory, Tight at most 95 %.
const (
	Fits Fit = iota
	Tight
	TooLarge
)

// String returns fits, tight, or does not fit.
func (f Fit) String() string { return [...]string{"fits", "tight", "does not fit"}[f] }

// Memory is what a GPU holds at least.
type Memory struct {
	GB             float64 // 1e9 bytes
	OfGB           float64 // that the GPU has, 1e9 bytes
	TensorParallel int     // GPUs that share a layer
	Fit            Fit
}

// Layout is over how many GPUs a job is spread, and how its activations are kept.
type Layout struct {
	GPUs int
	Node int // GPUs of a machine, at least 1
	// Stored says that all activations are kept; else each layer's are computed again.
	Stored bool
}

const gib = 1.073741824 // GB

// Memory returns what a GPU holds at least with a sequence as a micro-batch and the state shared by all GPUs: the rule
// of docs/dollars.md, checked on 91 published statements (papers/dollars). Tensor parallelism is the least of 1, 2, 4
// and 8 with which it fits, at most the GPUs of a machine; else that which needs least.
func (j *Job) Memory(gpu GPU, l Layout) Memory {
	best := Memory{GB: -1}
	for tp := 1; tp <= min(8, l.Node, l.GPUs); tp *= 2 {
		m := Memory{GB: j.gigabytes(l, float64(tp)), OfGB: gpu.MemoryGB * gib, TensorParallel: tp}
		switch {
		case m.GB <= 0.8*m.OfGB:
			return m
		case m.GB <= 0.95*m.OfGB:
			m.Fit = Tight
		default:
			m.Fit = TooLarge
		}
		if best.GB < 0 || m.GB < best.GB {
			best = m
		}
	}
	return best
}

// gigabytes is what a GPU holds, 1e9 bytes.
func (j *Job) gigabytes(l Layout, tp float64) float64 {
	layers, width := j.shape()
	gpus := float64(l.GPUs)
	adapters := 16 * j.Rank * 20 * layers * width // of all matrices, with their Adam
	state := 0.0
	gathered := 0.0
	switch j.Method {
	case LoRA:
		state = (2*j.Params + adapters) / gpus
	case QLoRA: // weights in 4 bits are not shared
		state = float64(0.6*j.Params) + float64(4*j.Vocab*width) + adapters
	default:
		state = j.StateBytes * j.Params / gpus
	}
	if l.GPUs > 1 && j.Method != QLoRA {
		gathered = 4 * j.Params / layers / tp
	}
	kept := 2 * layers * width // inputs of layers
	if l.Stored {
		kept = 34 * layers * width
	}
	activations := (float64(12*j.Vocab) + kept + float64(60*width)) * j.Seq / tp
	const program = 2e9
	return (state + gathered + activations + program) / 1e9
}

// Check refuses what no published row bears: precisions that a GPU does not have, and jobs and clusters beyond the
// rows. An extrapolation that is worked out nevertheless is in warnings.
func (j *Job) Check(gpu GPU, l Layout) (warnings []string, err error) {
	switch {
	case j.Params < 1e8 || j.Params > 1e12 || j.Active < 1e8:
		return nil, fmt.Errorf("%s parameters: the published speeds are of 1e8 to 1e12", Short(min(j.Params, j.Active)))
	case j.Active > j.Params:
		return nil, fmt.Errorf("active %s, expected at most the %s parameters of the network",
			Short(j.Active), Short(j.Params))
	case j.Seq > 65536:
		return nil, fmt.Errorf("sequences of %g tokens: the published speeds are of at most 65536", j.Seq)
	case l.GPUs > l.Node && gpu.Machines == "1":
		return nil, fmt.Errorf("%s on more than one machine: no published speed, and such GPUs have no fast network",
			gpu.Name)
	case l.GPUs > gpu.MostGPUs:
		return nil, fmt.Errorf("%d %s: the published speeds are of at most %d", l.GPUs, gpu.Name, gpu.MostGPUs)
	case j.Precision == "fp8" && (gpu.Generation == "volta" || gpu.Generation == "ampere"):
		return nil, fmt.Errorf("fp8 on %s, which has no products in fp8: expected bf16", gpu.Name)
	}
	if gpu.Generation == "volta" {
		warnings = append(warnings, "a V100 has no bf16: fp16 is taken")
	}
	if j.Method == QLoRA && l.GPUs > 1 {
		warnings = append(warnings, "qlora on more than one GPU is an extrapolation: the published speeds are of one")
	}
	return warnings, nil
}

// Room returns what the job needs of a GPU's memory; an error says that it does not fit, and what would.
func (j *Job) Room(gpu GPU, l Layout) (Memory, error) {
	m := j.Memory(gpu, l)
	if m.Fit != TooLarge {
		return m, nil
	}
	text := fmt.Sprintf("%s parameters, %s, on %d %s: %.0f GB of %.0f",
		Short(j.Params), j.Method, l.GPUs, gpu.Name, m.GB, m.OfGB)
	if gpus := j.smallest(gpu, l); gpus > 0 {
		text += fmt.Sprintf("; fits on %d", gpus)
	}
	for _, other := range j.smaller() {
		if with := other.job.Memory(gpu, l); with.Fit == Fits {
			text += fmt.Sprintf("; with %s %.0f GB", other.flag, with.GB)
			break
		}
	}
	for _, larger := range GPUs() {
		if larger.Evidence == "many" && larger.MemoryGB > gpu.MemoryGB && j.Memory(larger, l).Fit == Fits {
			text += fmt.Sprintf("; fits on %d %s", l.GPUs, larger.Name)
			break
		}
	}
	return m, errors.New(text)
}

// smallest returns the least number of GPUs, in whole machines beyond one, on which the job has room; 0: none.
func (j *Job) smallest(gpu GPU, l Layout) int {
	most := gpu.MostGPUs
	if gpu.Machines == "1" {
		most = l.Node
	}
	for gpus := 2 * l.GPUs; gpus <= most; gpus *= 2 {
		if j.Memory(gpu, Layout{GPUs: gpus, Node: l.Node, Stored: l.Stored}).Fit == Fits {
			return gpus
		}
	}
	return 0
}

// smallerJob is a job that needs less memory, and the flag of marigram init that asks for it.
type smallerJob struct {
	flag string
	job  Job
}

// smaller returns what would need less, the nearest first.
func (j *Job) smaller() (jobs []smallerJob) {
	if j.Method == Full && j.StateBytes > 8 {
		with := *j
		with.StateBytes = 8
		jobs = append(jobs, smallerJob{"--state-bytes 8", with})
	}
	if j.Method == Full {
		with := *j
		with.Method = LoRA
		jobs = append(jobs, smallerJob{"--lora", with})
	}
	if j.Method != QLoRA {
		with := *j
		with.Method = QLoRA
		jobs = append(jobs, smallerJob{"--qlora", with})
	}
	return jobs
}

// Short writes a number of parameters or tokens as people do: 70e9, 1e8.
func Short(x float64) string {
	if x >= 1e9 && x < 1e15 {
		return fmt.Sprintf("%ge9", x/1e9)
	}
	return strings.NewReplacer("e+0", "e", "e+", "e").Replace(fmt.Sprintf("%g", x))
}
