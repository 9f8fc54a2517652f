package experiments_test

import (
	"context"
	"testing"

	"github.com/marigram/marigram/experiments"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkBounds works out the bounds of a seed of the quickstart: of an objective, with
// on demand and on spot alone.
func BenchmarkBounds(b *testing.B) {
	for o, name := range []string{"40min", "6h"} {
		b.Run(name, func(b *testing.B) {
			s, err := spec.Open("quickstart")
			if err != nil {
				b.Fatal(err)
			}
			s.Objectives, s.Seeds = s.Objectives[o:o+1], 1
			start := simtest.CPUTime()
			for b.Loop() {
				s.Seed++
				study, err := experiments.NewStudy(s)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := study.Bounds(context.Background(), false); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(simtest.CPUTime()-start)/float64(b.N), "cpu-ns/op")
		})
	}
}
