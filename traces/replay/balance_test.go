package replay_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
	"github.com/marigram/marigram/traces/formats/tracetest"
	"github.com/marigram/marigram/traces/replay"
	"github.com/marigram/marigram/traces/synth"
)

// syntheticSet makes a trace of n regions of as many zones, with 16 machines each.
func syntheticSet(t testing.TB, regions int, span time.Duration) *traces.Set {
	t.Helper()
	like := synth.SyntheticPool{InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16}
	s, err := synth.DefaultSynthetic().Set(1, synth.SyntheticPools(regions, regions, like), span)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Whatever is drawn, sim takes it, and never more machines are there than are
// wanted.
func TestLifetimesBalance(t *testing.T) {
	trace := replay.New(syntheticSet(t, 1, 100*time.Hour))
	rapid.Check(t, func(rt *rapid.T) {
		copies := rapid.IntRange(1, 3).Draw(rt, "copies")
		r := replay.Replay{
			Adapter: rapid.SampledFrom([]replay.Adapter{replay.LaunchOnly, replay.LifetimeResample}).Draw(rt, "adapter"),
			N:       copies * rapid.IntRange(1, 20).Draw(rt, "groups"), Copies: copies,
			Lifetime: describe.ExponentialLifetime(rapid.Float64Range(.05, 50).Draw(rt, "mean")),
			Seed:     rapid.Uint64().Draw(rt, "seed"), Notice: time.Minute,
		}
		from := rapid.Int64Range(0, 90*tracetest.HourUs).Draw(rt, "from")
		h, end, err := r.Traces(trace, replay.Window{From: from})
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
	trace := replay.New(syntheticSet(b, 1, 30*24*time.Hour))
	r := replay.Replay{Adapter: replay.LaunchOnly, N: 16, Lifetime: describe.ExponentialLifetime(5)}
	for i := uint64(0); b.Loop(); i++ {
		r.Seed = i
		if _, _, err := r.Traces(trace, replay.Window{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay makes the market of a window of twelve hours of a recorded
// trace's size.
func BenchmarkReplay(b *testing.B) {
	set := syntheticSet(b, 3, 45*24*time.Hour)
	trace := replay.New(set)
	r := replay.Replay{Notice: 120 * time.Second}
	for i := int64(0); b.Loop(); i++ {
		from := i % 1000 * tracetest.HourUs
		if _, _, err := r.Traces(trace, replay.Window{From: from, Until: from + 12*tracetest.HourUs}); err != nil {
			b.Fatal(err)
		}
	}
}
