package traces

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/sim"
)

// Whatever is drawn, sim takes it, and never more machines are there than are
// wanted.
func TestLivesBalance(t *testing.T) {
	tape := NewTape(mustSynthetic(t, 1, SyntheticPools(1, 1, p32), 100*time.Hour))
	rapid.Check(t, func(rt *rapid.T) {
		copies := rapid.IntRange(1, 3).Draw(rt, "copies")
		r := Replay{
			Adapter: rapid.SampledFrom([]Adapter{LaunchOnly, LifetimeResample}).Draw(rt, "adapter"),
			N:       copies * rapid.IntRange(1, 20).Draw(rt, "groups"), Copies: copies,
			Lifetime: ExponentialLifetime(rapid.Float64Range(.01, 50).Draw(rt, "mean")),
			Seed:     rapid.Uint64().Draw(rt, "seed"), Notice: time.Minute,
		}
		from := rapid.Int64Range(0, 90*hourUs).Draw(rt, "from")
		h, end, err := r.Histories(tape, Window{From: from})
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := sim.NewMarket(end, h); err != nil {
			rt.Fatal(err)
		}
		there := 0
		for _, n := range h[0].Nodes {
			if n.Up {
				there++
			} else {
				there--
			}
			if there < 0 || there > r.N || n.At < 0 {
				rt.Fatalf("%d machines of %d at %v", there, r.N, n.At)
			}
		}
	})
}

func BenchmarkLaunchOnly(b *testing.B) {
	tape := NewTape(mustSynthetic(b, 1, SyntheticPools(1, 1, p32), 30*24*time.Hour))
	r := Replay{Adapter: LaunchOnly, N: 16, Lifetime: ExponentialLifetime(5)}
	for i := uint64(0); b.Loop(); i++ {
		r.Seed = i
		if _, _, err := r.Histories(tape, Window{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay makes the market of a window of twelve hours of a recorded
// trace's size.
func BenchmarkReplay(b *testing.B) {
	set := mustSynthetic(b, 1, SyntheticPools(3, 3, p32), 45*24*time.Hour)
	tape := NewTape(set)
	r := Replay{Notice: 120 * time.Second}
	for i := int64(0); b.Loop(); i++ {
		from := i % 1000 * hourUs
		if _, _, err := r.Histories(tape, Window{From: from, Until: from + 12*hourUs}); err != nil {
			b.Fatal(err)
		}
	}
}
