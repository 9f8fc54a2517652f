package sweep

import (
	"math"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/internal/near"
)

// Pooled, the cells of a sweep are one table: each of its cells and seeds is a pair, and a unit of intervals.
func TestComparePooled(t *testing.T) {
	check := near.Count(t)
	p := planOf(t, "base: quickstart\nseeds: 2\nmatrix: {policy: [reactive, ondemand], objectives: [[{loss: 0.8, time_s: 2400}], [{loss: 0.8, time_s: 3600}]]}\n")
	f := begin(t, p)
	r := &runner{plan: p, progress: &Progress{}}
	for chunk := range p.Chunks() {
		if _, err := r.chunk(t.Context(), chunk); err != nil {
			t.Fatal(err)
		}
		for i := range r.rows {
			row := &r.rows[i]
			row.Error, row.Finished, row.Met = "", true, true
			row.CostUSD = 10 + float64(row.Seed-p.Seed) // 10, 11
			if strings.Contains(row.Parameters, "3600") {
				row.CostUSD += 20 // 30, 31 in the other cell
			}
			if row.Policy == "ondemand" {
				row.CostUSD += 2
				if strings.Contains(row.Parameters, "3600") {
					row.CostUSD += 4
				}
			}
		}
		if err := results.WritePart(t.Context(), f.Part(chunk), results.Part{Provenance: p.Provenance(), Plan: p.Hash, Chunk: chunk}, r.rows); err != nil {
			t.Fatal(err)
		}
	}
	apart, err := f.Compare(By{Baseline: "reactive"})
	if err != nil || len(apart) != 4 {
		t.Fatalf("%d comparisons, %v, expected two policies in each of two cells", len(apart), err)
	}
	all, err := f.Compare(By{Baseline: "reactive", Pooled: true})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d comparisons, %v, expected two policies", len(all), err)
	}
	base, on := all[0], all[1]
	if base.N != 4 || base.Value != 20.5 || base.Parameters != "{}" {
		t.Errorf("baseline %+v, expected the mean of 10, 11, 30 and 31", base)
	}
	if on.Pairs != 4 || on.Diff != 4 || on.DiffCI == nil || on.DiffCI.Units != 4 {
		t.Errorf("ondemand %+v, expected 2 more expensive in two pairs and 6 in two, of four units", on)
	}
	half := 3.1824 * math.Sqrt(16./3/4) // Student's for four numbers
	if on.DiffCI != nil && check.Off(on.DiffCI.High, 4+half, 1e-3) {
		t.Errorf("interval %+v, expected 4 -+ %v", on.DiffCI, half)
	}
}
