package pipeline

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/internal/near"
)

// layersOf returns layers of n milliseconds forward and twice that
// backward, with weights of 100 bytes, activations of 10 and outputs of 1.
func layersOf(ms ...int) []Layer {
	var out []Layer
	for i, x := range ms {
		t := time.Duration(x) * time.Millisecond
		out = append(out, Layer{string(rune('a' + i)), t, 2 * t, 100, 10, 1})
	}
	return out
}

func network(ms ...int) *Network {
	return &Network{Layers: layersOf(ms...), MicroBatch: 2, Batch: 16, Schedule: GPipe, MemoryBytes: 1e9, StateFactor: 4, BytesPerS: 1000, Instances: 4}
}

// Four layers of 10 ms forward: by hand. A step of 16 samples is 8 micro-batches
// on one pipeline, 4 on two, 2 on four; a byte takes 1 ms on a link, a stage of k
// layers holds 100 k bytes of weights.
func TestComputedSpeeds(t *testing.T) {
	check := near.Count(t)
	got, err := network(10, 10, 10, 10).Speeds()
	if err != nil {
		t.Fatal(err)
	}
	// M(2F+B) + (P-1)(F+B+2s) + all-reduce, in ms; 3 stages have two layers in one of them.
	want := map[[2]int]float64{
		{1, 1}: 8 * 160, {2, 1}: 4*160 + 2*400*1.0/2, {3, 1}: 3*160 + 2*400*2.0/3, {4, 1}: 2*160 + 2*400*3.0/4,
		{1, 2}: 8*80 + 62, {2, 2}: 4*80 + 62 + 2*200/2, {1, 4}: 8*40 + 3*32,
	}
	for _, s := range got {
		if ms, ok := want[[2]int{s.Pipelines, s.Stages}]; ok && check.Off(16/s.SamplesPerS*1000, ms, 1e-3) {
			t.Errorf("%+v: a step takes %v ms, want %v", s, 16/s.SamplesPerS*1000, ms)
		}
	}
	if len(got) != 8 {
		t.Errorf("%d layouts of four instances, want 8: %v", len(got), got)
	}
}

// The slowest stage of Cut is that of the best of all cuts.
func TestCutIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.SliceOfN(rapid.IntRange(1, 20), 1, 7).Draw(t, "layers")
		n := network(ms...)
		n.Schedule = Schedule(rapid.IntRange(0, 2).Draw(t, "schedule"))
		n.MemoryBytes = float64(rapid.IntRange(300, 2000).Draw(t, "memory"))
		stages, m := rapid.IntRange(1, len(ms)).Draw(t, "stages"), rapid.IntRange(1, 20).Draw(t, "micro-batches")
		best := math.Inf(1)
		for set := range 1 << (len(ms) - 1) { // the bits are the cuts
			var cut []int
			for i := range len(ms) - 1 {
				if set>>i&1 == 1 {
					cut = append(cut, i+1)
				}
			}
			if cut = append(cut, len(ms)); len(cut) == stages {
				best = min(best, slowestStage(n, cut, m))
			}
		}
		cut := n.cut(stages, m)
		if math.IsInf(best, 1) != (cut == nil) {
			t.Fatalf("cut %v, the best of all has %v", cut, best)
		}
		if cut != nil && (slowestStage(n, cut, m) != best || !slices.IsSorted(cut)) {
			t.Errorf("cut %v takes %v, the best %v", cut, slowestStage(n, cut, m), best)
		}
	})
}

// slowestStage returns +Inf if a stage does not fit.
func slowestStage(n *Network, cut []int, m int) float64 {
	worst, from := 0.0, 0
	for k, to := range cut {
		var s Layer
		for _, l := range n.Layers[from:to] {
			s = join(s, l)
		}
		behind := len(cut) - 1 - k
		if n.memory(s, n.input(from), behind, m) > n.MemoryBytes {
			return math.Inf(1)
		}
		worst, from = max(worst, n.work(s, behind)), to
	}
	return worst
}

func TestComputedErrors(t *testing.T) {
	for says, change := range map[string]func(*Network){
		"the shallowest pipeline that fits into memory has 4 stages, but the fleet has 3": func(n *Network) { n.MemoryBytes, n.Instances = 450, 3 },
		`the model fits at no depth: a stage with only layer "b" needs 418 bytes`:         func(n *Network) { n.MemoryBytes = 417 },
		"steps of 1 samples in micro-batches of 2":                                        func(n *Network) { n.Batch = 1 },
		"links of 0 bytes/s":     func(n *Network) { n.BytesPerS = 0 },
		"a fleet of 0 instances": func(n *Network) { n.Instances = 0 },
		"0 layers":               func(n *Network) { n.Layers = nil },
	} {
		n := network(10, 10, 10, 10)
		change(n)
		if _, err := n.Speeds(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func TestReadLayers(t *testing.T) {
	const head = "layer,forward_s,backward_s,weight_bytes,activation_bytes,output_bytes\n"
	got, err := ReadLayers("l.csv", strings.NewReader(head+"conv,0.01,0.02,4e6,1e6,2e5\n"))
	if want := (Layer{"conv", 10 * time.Millisecond, 20 * time.Millisecond, 4e6, 1e6, 2e5}); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
	for says, text := range map[string]string{
		`l.csv:2:6: forward_s: "0"`:     head + "conv,0,0.02,4e6,1e6,2e5\n",
		`l.csv:2:1: layer: ""`:          head + ",1,0.02,4e6,1e6,2e5\n",
		`l.csv:3:7: weight_bytes: "-1"`: head + "a,1,1,1,1,1\nb,1,1,-1,1,1\n",
		"no column":                     "layer,forward_s\nconv,1\n",
	} {
		if _, err := ReadLayers("l.csv", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

func BenchmarkSpeeds(b *testing.B) {
	n := network(slices.Repeat([]int{10}, 48)...)
	n.Schedule, n.Batch, n.Instances = Varuna, 512, 48
	for b.Loop() {
		if _, err := n.Speeds(); err != nil {
			b.Fatal(err)
		}
	}
}
