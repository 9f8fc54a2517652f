package main

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/marigram/marigram/internal/columnar"
)

// The scan: of a table of prices as package traces writes it, the number of the
// prices of every pool, their sum and the last instant.

const (
	scanRows  = 4 << 20
	scanPools = 100
)

// price has the columns of the table.
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

// scanned has the columns that the scan needs.
type scanned struct {
	T            int64 `col:"t" type:"timestamp"`
	PoolID       int32 `col:"pool_id"`
	PriceNanoUSD int64 `col:"price_nanousd_per_hour"`
}

// poolSum is what the scan says of a pool.
type poolSum struct {
	Pool, Rows, NanoUSD, LastUs int64
}

// writePrices writes the table into a folder: a change every half minute in one of
// the pools, by at most a thousandth.
func writePrices(folder string) (path string, err error) {
	luck := splitmix(1)
	rows := make([]price, scanRows)
	var last [scanPools]int64
	t := int64(1_700_000_000_000_000)
	for i := range rows {
		t += 1_000_000 * int64(luck.next()%60)
		pool := luck.next() % scanPools
		if last[pool] == 0 {
			last[pool] = 300_000_000 + int64(luck.next()%30_000_000_000)
		}
		last[pool] += (int64(luck.next()%2001) - 1000) * (last[pool] / 1_000_000)
		rows[i] = price{T: t, PoolID: int32(pool), SrcRow: int64(len(rows) - i), Origin: "api", PriceNanoUSD: last[pool], Currency: "USD"}
	}
	path = filepath.Join(folder, "prices.parquet")
	return path, columnar.Write(path, nil, rows)
}

// scanOurs reads the three columns, checks the checksum of the file, and sums.
func scanOurs(path string) ([]poolSum, error) {
	sums := make([]poolSum, scanPools)
	_, err := columnar.Scan(path, func(rows []scanned) error {
		for _, r := range rows {
			if r.PoolID < 0 || r.PoolID >= scanPools {
				return fmt.Errorf("pool %d, expected 0 to %d", r.PoolID, scanPools-1)
			}
			s := &sums[r.PoolID]
			s.Pool, s.Rows, s.NanoUSD, s.LastUs = int64(r.PoolID), s.Rows+1, s.NanoUSD+r.PriceNanoUSD, max(s.LastUs, r.T)
		}
		return nil
	})
	return slices.DeleteFunc(sums, func(s poolSum) bool { return s.Rows == 0 }), err
}

// scanTime returns the processor time of a row, ns.
func scanTime(path string) func() (float64, error) {
	return func() (float64, error) {
		const times = 8
		start := cpuTime()
		for range times {
			if _, err := scanOurs(path); err != nil {
				return 0, err
			}
		}
		return perEvent(start, cpuTime(), times*scanRows), nil
	}
}
