package layout

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// round has numbers with which times are worked out by hand.
var round = LayerTimes{
	GPU: "A100", TFLOPS: 100, Node: 8, Products: 0.5, StreamPS: 10, AttentionPS: 20, InsideGBPerS: 100, LatencyUS: 5,
	LaunchUS: 1000, LaunchTPUS: 100, StageUS: 500, NetworkGB: 50, Exposed: 1, UpdatePS: 20,
}

var tiny = Transformer{Hidden: 1000, Heads: 10, Layers: 2, Seq: 1000, Vocab: 10000}

// Times of layers by hand: a micro-batch of 2 is 2,000 tokens. Products: 96 x 2,000 x 1e6 + 16 x 2,000 x 1e6 operations
// at 50e12 a second are 4.48 ms. Memory traffic: 2e6 x 10 ps = 0.02 ms. Attention: 2,000 x 1,000 x 10 x 20 ps = 0.4 ms.
func TestLayerTimesByHand(t *testing.T) {
	cubic := func(a, b float64) float64 { return math.Cbrt(a*a*a + b*b*b) }
	near.Rel(t, "alone", round.layer(tiny, 2, 1), cubic(4.9e-3, 1e-3), 1e-12)
	// Tensor parallelism 2 halves products and attention. Six all-reduces of 4 MB: a GPU sends 2 x 1/2 of them at 100 GB/s,
	// 40 us, and 5 us of latency. Launching takes 100 us more.
	near.Rel(t, "two", round.layer(tiny, 2, 2), cubic(2.24e-3+0.02e-3+0.2e-3+6*(40e-6+5e-6), 1.1e-3), 1e-12)
	// A group of two nodes sends 2 x 15/16 over the link of a node.
	near.Rel(t, "sixteen", round.layer(tiny, 2, 16), cubic(0.28e-3+0.02e-3+0.025e-3+6*(150e-6+75e-6), 2.5e-3), 1e-12)
	// Logits: 6 x 2,000 x 10,000 x 1,000 operations, and 2e7 numbers of traffic.
	near.Rel(t, "logits", round.logits(tiny, 2, 1), 2.4e-3+0.2e-3, 1e-12)
	near.Abs(t, "parameters", tiny.Params(), 2*12e6+10e6, 0)
}

// A step of a layout by hand: a pipeline of two stages on one node, and its update; then two nodes that add up gradients.
func TestStepOfSizesByHand(t *testing.T) {
	at := End{"here", "A100", 1}
	links := NewLinks(map[[2]End]Curve{{at, at}: {0, 0, round.NetworkGB}}, nil)
	links.SetInside("A100", round.Within())
	m := Model{round.Profile(tiny, []string{"A100"}, []int{1}, []int{1, 8}), links, round.Runtime()}
	place := Place{"A100", "here", 8, 1}
	cost := func(l Layout) Cost {
		t.Helper()
		c, err := m.Cost(&l)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	layer, logits := round.layer(tiny, 1, 1), round.logits(tiny, 1, 1)
	// 1,000 tokens of width 1,000 in 16 bits are 2 MB: 20 us inside the node.
	c := cost(Layout{Micro: 1, Batch: 4, Stages: []Stage{{[]int{0}, []Place{place}}, {[]int{1, 2}, []Place{place}}}})
	last := layer + logits + 500e-6 + 20e-6
	near.Rel(t, "pipeline", c.Step, 3*last+(layer+500e-6+20e-6)+(last-20e-6)+22e6*20e-12, 1e-12)
	near.Abs(t, "no gradients", c.Sync, 0, 0)
	// Two replicas on two nodes, each of one group of 8: half of the gradients in 16 bits, 2 x 44 MB, twice over 50 GB/s.
	group := Place{"A100", "here", 8, 8}
	c = cost(Layout{Micro: 1, Batch: 2, Stages: []Stage{{[]int{0, 1, 2}, []Place{group, group}}}})
	near.Rel(t, "gradients", c.Sync, 2*44e6/50e9, 1e-12)
	// On one node each of two GPUs sends its own half, twice, at 100 GB/s.
	c = cost(Layout{Micro: 1, Batch: 2, Stages: []Stage{{[]int{0, 1, 2}, []Place{place, place}}}})
	near.Rel(t, "gradients in a node", c.Sync, 2*44e6/100e9, 1e-12)
}

// More of anything never makes a layer faster but tensor parallelism, which never makes its products slower.
func TestLayerTimesProperties(t *testing.T) {
	times, err := LayerTimesOf("A100-40")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, hidden := range []int{1024, 2048, 4096, 12288} {
		for _, micro := range []int{1, 2, 4, 8} {
			for _, tp := range []int{1, 2, 4, 8} {
				n := Transformer{Hidden: hidden, Heads: 16, Layers: 12, Seq: 1024, Vocab: 51200}
				base := times.layer(n, micro, tp)
				wider, longer, most := n, n, n
				wider.Hidden *= 2
				longer.Seq *= 2
				most.Heads *= 2
				for what, other := range map[string]float64{
					"width": times.layer(wider, micro, tp), "sequence": times.layer(longer, micro, tp), "heads": times.layer(most, micro, tp),
					"micro-batch": times.layer(n, 2*micro, tp),
				} {
					if !(other > base) {
						t.Errorf("%d, %d, %d: twice the %s takes %v s, expected more than %v", hidden, micro, tp, what, other, base)
					}
					checked++
				}
				peak := n.operationsOfLayer(float64(micro*n.Seq)) / float64(tp) / (times.TFLOPS * 1e12)
				if !(base > peak) {
					t.Errorf("%d, %d, %d: %v s, less than the peak allows, %v", hidden, micro, tp, base, peak)
				}
			}
		}
	}
	if checked < 200 {
		t.Errorf("%d checked", checked)
	}
}

func TestSizesRefused(t *testing.T) {
	for text, n := range map[string]Transformer{
		"expected a divisor of hidden, 1000": {1000, 3, 2, 10, 10}, "layers 0": {1000, 10, 0, 10, 10}, "seq -1": {1000, 10, 1, -1, 10},
	} {
		if err := n.Check(); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%v, expected %q", err, text)
		}
	}
	if _, err := LayerTimesOf("H100"); err == nil || !strings.Contains(fmt.Sprint(err), "A100") {
		t.Errorf("%v, expected the GPU types that there are", err)
	}
	times, err := LayerTimesOf("A100")
	if err != nil {
		t.Fatal(err)
	}
	if got := times.Beyond(Transformer{512, 8, 2, 4096, 10}); len(got) != 2 || times.Beyond(Transformer{1024, 8, 2, 2048, 10}) != nil {
		t.Errorf("%v, expected the width and the sequence", got)
	}
}
