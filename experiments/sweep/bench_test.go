package sweep

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "github.com/marigram/marigram/papers/extensions"
	"github.com/marigram/marigram/sim/simtest"
	"github.com/marigram/marigram/traces/synth"
)

// BenchmarkSweep runs a sweep of a recorded trace, chunks written and synced.
func BenchmarkSweep(b *testing.B) {
	spec, err := Open(recorded(b, ""))
	if err != nil {
		b.Fatal(err)
	}
	spec.Seeds = 4096
	if err := spec.Override("policy=reactive"); err != nil {
		b.Fatal(err)
	}
	p, err := spec.Plan(context.Background(), "", "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		f, err := p.Begin(filepath.Join(b.TempDir(), "out"))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Run(context.Background(), Options{Workers: 1, Shard: Whole}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(p.Runs()), "ns/run")
}

// million opens the sweep of tools/bench/million on its trace, which it makes.
func million(b *testing.B) *Spec {
	b.Helper()
	const folder = "../../tools/bench/million/"
	settings, err := os.ReadFile(folder + "market.json")
	if err != nil {
		b.Fatal(err)
	}
	var market synth.Synthetic
	if err := json.Unmarshal(settings, &market); err != nil {
		b.Fatal(err)
	}
	like := synth.SyntheticPool{InstanceType: "p3.2xlarge", GPU: "V100", GPUs: 1, OnDemandNano: 3_060_000_000, Cap: 16}
	set, err := market.Set(1, synth.SyntheticPools(2, 4, like), 90*24*time.Hour)
	if err != nil {
		b.Fatal(err)
	}
	dir := filepath.Join(b.TempDir(), "market")
	if err := set.Write(dir); err != nil {
		b.Fatal(err)
	}
	spec, err := Open(folder + "sweep.yaml")
	if err != nil {
		b.Fatal(err)
	}
	if err := spec.Override("market.traces.0.path=" + dir); err != nil {
		b.Fatal(err)
	}
	return spec
}

// BenchmarkMillion runs a hundredth of the sweep of tools/bench/million: 12 hours of
// eight pools and 32 instances a run, with about 1,500 events of which the world
// goes through 180. Chunks are written and synced.
func BenchmarkMillion(b *testing.B) {
	spec := million(b)
	spec.Seeds, spec.Chunk = 10, 500 // 20 chunks, so that two workers end together
	p, err := spec.Plan(b.Context(), "", "")
	if err != nil {
		b.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			before := simtest.CPUTime()
			for b.Loop() {
				f, err := p.Begin(filepath.Join(b.TempDir(), "out"))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Run(context.Background(), Options{Workers: workers, Shard: Whole}); err != nil {
					b.Fatal(err)
				}
			}
			runs := float64(b.N) * float64(p.Runs())
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/runs, "ns/run")
			b.ReportMetric(float64((simtest.CPUTime()-before).Nanoseconds())/runs, "cpu-ns/run")
		})
	}
}
