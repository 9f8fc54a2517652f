package columnar

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/marigram/marigram/sim/simtest"
)

// price has the columns of the price table of a trace (package traces).
type price struct {
	T            int64  `col:"t" type:"timestamp"`
	UncertainUs  int64  `col:"t_uncertainty_us"`
	Seq          int32  `col:"seq"`
	PoolID       int32  `col:"pool_id" dict:"true"`
	SrcFile      int32  `col:"src_file" dict:"true"`
	SrcRow       int64  `col:"src_row"`
	Origin       string `col:"origin" dict:"true"`
	PriceNanoUSD int64  `col:"price_nanousd_per_hour"`
	Currency     string `col:"currency" dict:"true"`
	CarryIn      bool   `col:"carry_in"`
	Heartbeat    bool   `col:"heartbeat"`
}

// narrow has the columns that a replay needs.
type narrow struct {
	T            int64 `col:"t" type:"timestamp"`
	PoolID       int32 `col:"pool_id"`
	PriceNanoUSD int64 `col:"price_nanousd_per_hour"`
}

// pricesFile writes n prices of 100 pools, a change every few seconds in one
// of them, of a few parts in a thousand.
func pricesFile(b *testing.B, n int) string {
	b.Helper()
	dice := rand.New(rand.NewPCG(1, 2))
	rows := make([]price, n)
	var last [100]int64
	t := int64(1_700_000_000_000_000)
	for i := range rows {
		t += 1_000_000 * dice.Int64N(60)
		pool := dice.IntN(len(last))
		if last[pool] == 0 {
			last[pool] = 300_000_000 + dice.Int64N(30_000_000_000)
		}
		last[pool] += (dice.Int64N(2001) - 1000) * last[pool] / 1_000_000 / 100_000 * 100_000
		rows[i] = price{T: t, PoolID: int32(pool), SrcRow: int64(n - i), Origin: "api", PriceNanoUSD: last[pool], Currency: "USD"}
	}
	path := filepath.Join(b.TempDir(), "prices.parquet")
	if err := Write(path, nil, rows); err != nil {
		b.Fatal(err)
	}
	return path
}

// BenchmarkScanPrices reads a price table: three columns of it as a replay
// needs them, all of it, and three with Arrow's own column readers, which check
// nothing and leave no rows behind. Compare the rates of one run.
func BenchmarkScanPrices(b *testing.B) {
	const n = 1 << 20
	path := pricesFile(b, n)
	b.Run("narrow", func(b *testing.B) { benchmarkScan(b, n, func() (int, error) { return scanRows[narrow](path, true) }) })
	b.Run("narrow-unchecked", func(b *testing.B) { benchmarkScan(b, n, func() (int, error) { return scanRows[narrow](path, false) }) })
	b.Run("whole", func(b *testing.B) { benchmarkScan(b, n, func() (int, error) { return scanRows[price](path, true) }) })
	b.Run("arrow", func(b *testing.B) { benchmarkScan(b, n, func() (int, error) { return scanArrow(path) }) })
}

func benchmarkScan(b *testing.B, want int, scan func() (rows int, err error)) {
	runtime.GC()
	b.ReportAllocs()
	start := simtest.CPUTime()
	for b.Loop() {
		if n, err := scan(); n != want || err != nil {
			b.Fatal(n, err)
		}
	}
	b.ReportMetric(float64(want)*float64(b.N)/(simtest.CPUTime()-start).Seconds()/1e6, "Mrows/cpu-s")
}

// scanRows is Read, with or without the checksum.
func scanRows[T any](path string, sum bool) (n int, err error) {
	err = withSource(context.Background(), path, func(s source) error {
		rows, _, err := parse[T](fieldsOf[T](), s, sum)
		n = len(rows)
		return err
	})
	return n, err
}

// scanArrow reads the columns of narrow in batches, into the same memory.
func scanArrow(path string) (int, error) {
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	int64s, int32s := make([]int64, GroupRows), make([]int32, GroupRows)
	rows := 0
	for g := range r.NumRowGroups() {
		group := r.RowGroup(g)
		for _, f := range fieldsOf[narrow]() {
			column, err := group.Column(r.MetaData().Schema.ColumnIndexByName(f.Name))
			if err != nil {
				return 0, err
			}
			var n int64
			switch c := column.(type) {
			case *file.Int64ColumnChunkReader:
				n, _, err = c.ReadBatch(group.NumRows(), int64s, nil, nil)
			case *file.Int32ColumnChunkReader:
				n, _, err = c.ReadBatch(group.NumRows(), int32s, nil, nil)
			}
			if err != nil || n != group.NumRows() {
				return 0, fmt.Errorf("%d of %d values: %w", n, group.NumRows(), err)
			}
		}
		rows += int(group.NumRows())
	}
	return rows, nil
}
