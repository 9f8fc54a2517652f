package sweep

import (
	"context"
	"path/filepath"
	"testing"
)

// BenchmarkSweep runs a sweep of a recorded history, chunks written and synced.
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
