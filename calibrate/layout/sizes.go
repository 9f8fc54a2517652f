package layout

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/internal/registry"
)

// Transformer is a decoder whose layers are all alike, by its sizes. Its feed-forward part is four times as wide as a
// layer.
type Transformer struct {
	Hidden int // width of a layer
	Heads  int // of attention, which divide the width
	Layers int
	Seq    int // tokens of a sample
	Vocab  int
}

// Check returns what is impossible about sizes.
func (n Transformer) Check() error {
	switch {
	case min(n.Hidden, n.Heads, n.Layers, n.Seq, n.Vocab) < 1:
		return fmt.Errorf("hidden %d, heads %d, layers %d, seq %d, vocab %d, expected 1 or more of each",
			n.Hidden, n.Heads, n.Layers, n.Seq, n.Vocab)
	case n.Hidden%n.Heads != 0:
		return fmt.Errorf("%d heads, expected a divisor of hidden, %d", n.Heads, n.Hidden)
	}
	return nil
}

// Params returns how many parameters the network has; those of the vocabulary count once.
func (n Transformer) Params() float64 {
	width := float64(n.Hidden)
	return 12*width*width*float64(n.Layers) + width*float64(n.Vocab)
}

// LayerTimes says how long the layers of a transformer take that nobody measured, from its sizes: a row of
// calibrate/facts/layer_times.csv. Its numbers are fitted to layouts that vTrain measured (papers/vtrain), with mixed
// precision and everything recomputed in the backward pass; no other GPU type has such rows. They hold between the
// sizes that were measured (Beyond).
//
// A layer takes on a GPU the cubic mean of two times. One is of its work: products at a share of the peak, memory
// traffic by tokens and width, attention by tokens, tokens of a sequence and heads, and six all-reduces of tensor
// parallelism. The other is of launching its kernels.
type LayerTimes struct {
	GPU      string  `col:"gpu"`
	TFLOPS   float64 `col:"tflops"`   // peak of dense products in 16 bits, 1e12 operations per second
	Node     int     `col:"node"`     // GPUs of a node
	Products float64 `col:"products"` // share of the peak that products reach
	// Memory traffic, 1e-12 s: by token and unit of width, and by token, token of its sequence and head.
	StreamPS    float64 `col:"stream_ps"`
	AttentionPS float64 `col:"attention_ps"`
	// An all-reduce of tensor parallelism: the bandwidth of a GPU inside a node, 1e9 bytes per second, and for every
	// GPU of the group but one, 1e-6 s.
	InsideGBPerS float64 `col:"inside_gb_per_s"`
	LatencyUS    float64 `col:"latency_us"`
	// Launching the kernels of a layer, and more for every GPU of its group but one, 1e-6 s.
	LaunchUS   float64 `col:"launch_us"`
	LaunchTPUS float64 `col:"launch_tp_us"`
	StageUS    float64 `col:"stage_us"`         // each stage for each micro-batch, 1e-6 s
	NetworkGB  float64 `col:"network_gb_per_s"` // bandwidth of a node's link to others, 1e9 bytes per second
	Exposed    float64 `col:"exposed"`          // as Runtime.Exposed
	UpdatePS   float64 `col:"update_ps"`        // update of a parameter of a GPU, 1e-12 s
	LeastWidth int     `col:"least_hidden"`     // measured widths, from
	MostWidth  int     `col:"most_hidden"`      // and to
	LeastSeq   int     `col:"least_seq"`        // measured tokens of a sample, from
	MostSeq    int     `col:"most_seq"`         // and to
	MostMicro  int     `col:"most_micro"`       // largest measured micro-batch
	Doc        string  `col:"fitted_to"`        // measurements that it was fitted to
}

// LayerTimesOf returns the row of a GPU type, whose name may end in its memory (A100-40); the error names all.
func LayerTimesOf(gpu string) (LayerTimes, error) {
	var names []string
	for _, times := range facts.Read[LayerTimes]("layer_times") {
		if family := times.GPU + "-"; gpu == times.GPU || len(gpu) > len(family) && gpu[:len(family)] == family {
			return times, nil
		}
		names = append(names, times.GPU)
	}
	return LayerTimes{}, registry.Unknown("GPU with times of layers from sizes", gpu, names)
}

// Beyond returns which sizes are not between those that were measured.
func (t *LayerTimes) Beyond(n Transformer) (beyond []string) {
	if n.Hidden < t.LeastWidth || n.Hidden > t.MostWidth {
		beyond = append(beyond, fmt.Sprintf("hidden %d (measured: %d to %d)", n.Hidden, t.LeastWidth, t.MostWidth))
	}
	if n.Seq < t.LeastSeq || n.Seq > t.MostSeq {
		beyond = append(beyond, fmt.Sprintf("seq %d (measured: %d to %d)", n.Seq, t.LeastSeq, t.MostSeq))
	}
	return beyond
}

// operationsOfLayer returns those of a layer for a micro-batch of so many tokens, forward, again, and backward, which
// is twice that: eight by token and parameter of its products, and attention.
func (n Transformer) operationsOfLayer(tokens float64) float64 {
	width := float64(n.Hidden)
	return 96*tokens*width*width + 16*tokens*float64(n.Seq)*width
}

// bytesOfNumber are those of a number in 16 bits.
const bytesOfNumber = 2

// layer returns how long a layer takes for a micro-batch, forward, again, and backward, s.
func (t *LayerTimes) layer(n Transformer, micro, tp int) float64 {
	tokens := float64(micro * n.Seq)
	group := float64(tp)
	width := float64(n.Hidden)
	work := n.operationsOfLayer(tokens) / group / (t.Products * t.TFLOPS * 1e12)
	work += 1e-12 * t.StreamPS * tokens * width
	work += 1e-12 * t.AttentionPS * tokens * float64(n.Seq) * float64(n.Heads) / group
	if tp > 1 {
		speed := 1e9 * t.InsideGBPerS
		if tp > t.Node {
			speed = 1e9 * t.NetworkGB
		}
		const allReduces = 6 // two forward, two when it is computed again, two backward
		bytes := bytesOfNumber * tokens * width
		work += allReduces * (2*(group-1)/group*bytes/speed + 1e-6*t.LatencyUS*(group-1))
	}
	launch := 1e-6 * (t.LaunchUS + t.LaunchTPUS*(group-1))
	return math.Cbrt(work*work*work + launch*launch*launch)
}

// logits returns how long the products with the vocabulary and the loss take for a micro-batch, forward and backward,
// s.
func (t *LayerTimes) logits(n Transformer, micro, tp int) float64 {
	numbers := float64(micro*n.Seq) * float64(n.Vocab) / float64(tp) // of logits
	return 6*numbers*float64(n.Hidden)/(t.Products*t.TFLOPS*1e12) + 1e-12*t.StreamPS*numbers
}

// times returns those of all layers for a micro-batch; the last one is that of the logits.
func (t *LayerTimes) times(n Transformer, micro, tp int) []Time {
	each := t.layer(n, micro, tp)
	out := make([]Time, n.Layers+1)
	for i := range n.Layers {
		out[i] = Time{Forward: each / 4, Backward: 3 * each / 4}
	}
	logits := t.logits(n, micro, tp)
	out[n.Layers] = Time{Forward: logits / 3, Backward: 2 * logits / 3}
	return out
}

// sizes returns those of all layers: the first one has the embedding, the last one are the logits with a copy of it. A
// layer keeps its input only; what computing one again needs is counted with the logits, of which a stage has one at
// most: 34 numbers by token and unit of width, and 5 by token, token of its sequence and head (Korthikanti et al.,
// "Reducing activation recomputation in large transformer models", MLSys 2023, equation 1), in 16 bits.
func (n Transformer) sizes(tp int) []Size {
	group := float64(tp)
	width := float64(n.Hidden)
	tokens := float64(n.Seq)
	const numbers = bytesOfNumber / 4. // Size counts in 4 bytes
	out := make([]Size, n.Layers+1)
	output := numbers * tokens * width
	for i := range n.Layers {
		out[i] = Size{Params: 12 * width * width / group, Output: output, Activations: output}
	}
	vocabulary := width * float64(n.Vocab) / group
	again := (34*tokens*width + 5*tokens*tokens*float64(n.Heads)) / group / 4
	out[n.Layers] = Size{
		Params:      vocabulary,
		Output:      output,
		Activations: again + 3*tokens*float64(n.Vocab)/group,
	}
	out[0].Params += vocabulary
	return out
}

// Profile returns the profile of a network on GPU types of the row (A100-40), for these micro-batches and tensor
// parallelisms, of which 1 is always one.
func (t *LayerTimes) Profile(n Transformer, gpus []string, micros, tps []int) *Profile {
	sizes := map[int][]Size{1: n.sizes(1)}
	times := map[Point][]Time{}
	for _, tp := range tps {
		sizes[tp] = n.sizes(tp)
		for _, micro := range micros {
			list := t.times(n, micro, tp)
			for _, gpu := range gpus {
				times[Point{gpu, micro, tp}] = list
			}
		}
	}
	return &Profile{Network: "sizes", sizes: sizes, times: times}
}

// Runtime returns what a training program adds: times as fitted. Memory was not published with these layouts; it is by
// arithmetic: 18 bytes a parameter (Adam in mixed precision), 2e9 bytes of the program, and all that is kept. Gradients
// are added up in 16 bits.
func (t *LayerTimes) Runtime() Runtime {
	return Runtime{
		Name:     "sizes",
		Compute:  1,
		Exposed:  t.Exposed,
		Sync:     bytesOfNumber / 4.,
		StageUS:  t.StageUS,
		UpdatePS: t.UpdatePS,
		BaseGB:   2,
		State:    18 / 4.,
		Kept:     1,
		Doc:      t.Doc,
	}
}

// Within returns the bandwidth between GPUs of a node.
func (t *LayerTimes) Within() Curve { return Curve{0, 0, t.InsideGBPerS} }
