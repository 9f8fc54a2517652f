package columnar

import (
	"path/filepath"
	"testing"
)

func BenchmarkWrite(b *testing.B) {
	rows := everyRows(50_000, never)
	path := filepath.Join(b.TempDir(), "t.parquet")
	b.ReportAllocs()
	for b.Loop() {
		if err := Write(path, nil, rows); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkRead(b *testing.B) {
	rows := everyRows(50_000, never)
	path := filepath.Join(b.TempDir(), "t.parquet")
	if err := Write(path, nil, rows); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Read[every](path); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
}
