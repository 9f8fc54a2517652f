package columnar

import (
	"path/filepath"
	"reflect"
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

// BenchmarkStore stores a column into the rows of a row group, and the same by
// reflection: the reason for cells.
func BenchmarkStore(b *testing.B) {
	rows, values := make([]narrow, GroupRows), make([]int64, GroupRows)
	perValue := func(name string, store func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				store()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*GroupRows), "ns/value")
		})
	}
	field := fieldsOf[narrow]()[2]
	perValue("cells", func() {
		to := cellsOf(rows).part(0, GroupRows, field.offset)
		for i, v := range values {
			*cell[int64](to, i) = v
		}
	})
	perValue("reflection", func() {
		to := reflect.ValueOf(rows)
		for i, v := range values {
			to.Index(i).FieldByIndex(field.index).SetInt(v)
		}
	})
}
