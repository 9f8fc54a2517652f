package policies_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkParcaePlanner is one decision over twelve intervals: warm, all costs
// are known; cold, a new planner computes those that it looks at.
func BenchmarkParcaePlanner(b *testing.B) {
	for _, most := range []int{32, 64, 128, 256} {
		s := policies.ParcaeState{Instances: most, Shape: policies.Shape{Pipelines: most / 8, Stages: 8}}
		events := slices.Repeat([]policies.Turnover{{Removed: 1}, {}, {Added: 1}}, 4)
		benchmarkDecisions(b, fmt.Sprintf("N=%d", most), broad(most), most, s, events)
	}
	for _, name := range pipeline.ParcaeNetworks() {
		m, err := pipeline.LoadParcae(name)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkDecisions(b, name, m, 32, policies.ParcaeState{Instances: 32}, future(32, 32, 12))
	}
}

func benchmarkDecisions(b *testing.B, name string, m *pipeline.Parcae, most int, s policies.ParcaeState, events []policies.Turnover) {
	decide := func(kind string, planner func() *policies.ParcaePlanner) {
		b.Run(kind+"/"+name, func(b *testing.B) {
			planner().Next(s, events)
			b.ReportAllocs()
			before := simtest.CPUTime()
			for b.Loop() {
				planner().Next(s, events)
			}
			b.ReportMetric(float64(simtest.CPUTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
	p := policies.NewParcaePlanner(m, most, 60)
	decide("warm", func() *policies.ParcaePlanner { return p })
	decide("cold", func() *policies.ParcaePlanner { return policies.NewParcaePlanner(m, most, 60) })
}
