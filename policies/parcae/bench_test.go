package parcae_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/policies/parcae"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkPlanner is one decision over twelve intervals: warm, all costs
// are known; cold, a new planner computes those that it looks at.
func BenchmarkPlanner(b *testing.B) {
	for _, largest := range []int{32, 64, 128, 256} {
		s := parcae.State{Instances: largest, Shape: parcae.Shape{Pipelines: largest / 8, Stages: 8}}
		events := slices.Repeat([]parcae.Turnover{{Removed: 1}, {}, {Added: 1}}, 4)
		benchmarkDecisions(b, fmt.Sprintf("N=%d", largest), broad(largest), largest, s, events)
	}
	for _, name := range pipeline.ParcaeNetworks() {
		m, err := pipeline.LoadParcae(name)
		if err != nil {
			b.Fatal(err)
		}
		benchmarkDecisions(b, name, m, 32, parcae.State{Instances: 32}, future(32, 32, 12))
	}
}

func benchmarkDecisions(b *testing.B, name string, m *pipeline.Parcae, largest int, s parcae.State,
	events []parcae.Turnover) {
	decide := func(kind string, planner func() *parcae.Planner) {
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
	p := parcae.NewPlanner(m, largest, 60)
	decide("warm", func() *parcae.Planner { return p })
	decide("cold", func() *parcae.Planner { return parcae.NewPlanner(m, largest, 60) })
}
