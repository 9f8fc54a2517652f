package compression

import (
	"math"
	"testing"

	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/internal/testutil"
)

func TestLayers(t *testing.T) {
	check := near.Count(t)
	for _, r := range testutil.Rows(t, "papers/compression/testdata/compression_layers.csv") {
		number := func(column string) float64 { return testutil.Number(t, r[column]) }
		l := Layer{Batch: int(number("batch")), Sequence: int(number("sequence")), Hidden: int(number("hidden")), Ranks: int(number("tensor_parallel")),
			FLOPs: number("flops_per_s"), LatencyS: number("latency_s"), BytesPerS: number("bytes_per_s"), BytesPerNumber: 2, Recompute: r["recompute"] == "1"}
		got, err := l.Times(Compressor{CompressionKind(r["compressor"]), number("width_or_share_or_bits"), int(number("compressed_all_reduces"))})
		if err != nil {
			t.Fatal(err)
		}
		for column, x := range map[string]float64{"compute_s": got.Compute, "overhead_s": got.Overhead, "communication_s": got.Compressed, "speedup": got.Speedup()} {
			if want := number(column); check.Off(x, want, 1e-9*want+1e-15) {
				t.Errorf("%v: %s %v", r, column, x)
			}
		}
	}
}

// What cannot be summed while compressed loses as soon as its share of the payload is
// above 2 over the ranks, whatever the latency saves.
func TestGatheredShares(t *testing.T) {
	for _, ranks := range []int{2, 4, 8} {
		for _, bits := range []float64{1, 2, 4, 8} {
			l := Layer{Batch: 32, Sequence: 128, Hidden: 4096, Ranks: ranks, FLOPs: 6e13, BytesPerS: 12e9, BytesPerNumber: 2}
			got, err := l.Times(Compressor{Quantise, bits, 4})
			if err != nil {
				t.Fatal(err)
			}
			if gain, share := got.Speedup(), bits/16; (gain > 1+1e-12) != (share < 2/float64(ranks)) {
				t.Errorf("%v bits of 16 on %d ranks: %v", bits, ranks, gain)
			}
		}
	}
}

func TestBadLayers(t *testing.T) {
	l := Layer{Batch: 1, Sequence: 1, Hidden: 1, Ranks: 2, FLOPs: 1, BytesPerS: 1, BytesPerNumber: 2}
	one := l
	one.Ranks = 1
	for _, c := range []struct {
		l Layer
		c Compressor
	}{{one, Compressor{TopK, 1, 2}}, {l, Compressor{"zip", 1, 2}}, {l, Compressor{TopK, 1, 5}}, {l, Compressor{TopK, math.NaN(), 2}}} {
		if x, err := c.l.Times(c.c); err == nil {
			t.Errorf("%+v: %+v", c, x)
		}
	}
}
