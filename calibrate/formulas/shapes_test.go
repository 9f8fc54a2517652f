package formulas

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// The three shapes: the gain fades with the width; a gather loses above 2/ranks; between
// stages the share alone counts, and more nodes gain more.
func TestShapes(t *testing.T) {
	check := near.Count(t)
	l := Layer{Batch: 32, Sequence: 128, Hidden: 1, Ranks: 4, FLOPs: 60e12, LatencyS: 1e-5, BytesPerS: 12e9, BytesPerNumber: 2}
	gains, err := l.ByWidth(Compressor{AutoEncoder, 100, 2}, Widths())
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(gains); i++ {
		if !(gains[i] < gains[i-1]) || !(gains[i] > 1) {
			t.Errorf("width %d: %v, before %v", Widths()[i], gains[i], gains[i-1])
		}
	}
	l.Hidden, l.LatencyS = 4096, 0
	for _, c := range []struct {
		ranks int
		bits  float64
		gains int // 1: gains, 0: neither, -1: loses
	}{{4, 8, 0}, {8, 4, 0}, {2, 8, 1}, {4, 4, 1}, {8, 8, -1}} {
		l.Ranks = c.ranks
		x, err := l.Times(Compressor{Quantise, c.bits, 4})
		if err != nil {
			t.Fatal(err)
		}
		if got := math.Round(1e9 * (x.Speedup() - 1)); math.Signbit(got) != (c.gains < 0) && c.gains != 0 || (got == 0) != (c.gains == 0) {
			t.Errorf("%d ranks, %v bits of 16: %v times as fast", c.ranks, c.bits, x.Speedup())
		}
		if ratio := Gathered(c.bits/16, c.ranks); check.Off(x.Compressed/x.Exchange, ratio, 1e-12) {
			t.Errorf("%d ranks, %v bits: %v of the bytes, want %v", c.ranks, c.bits, x.Compressed/x.Exchange, ratio)
		}
	}
	before := 1.0
	for _, layers := range []int{12, 6, 3} { // of 2, 4 and 8 nodes
		s := CompressionStage{Layer: l, Layers: layers, BytesPerS: 1.25e9}
		got, err := s.Speedup(Compressor{Kind: Quantise, Size: 4})
		if err != nil || !(got > before) {
			t.Errorf("%d layers a stage: %v times as fast, before %v (%v)", layers, got, before, err)
		}
		before = got
	}
}
