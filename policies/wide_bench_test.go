package policies_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
	"github.com/marigram/marigram/sim/simtest"
)

// BenchmarkWide is a run of two hours by every policy of one job, in markets of more and more zones whose
// capacity moves about every ten minutes.
func BenchmarkWide(b *testing.B) {
	for _, zones := range []int{8, 64, 400, 4000} {
		var market *sim.Market
		synthetic := func(b testing.TB) *sim.Market {
			if market == nil {
				market = denseMarket(b, zones, 2*time.Hour, 600)
			}
			return market
		}
		run := func(name string, jobs func(n int) []sim.Job, fresh func() sim.Policy) {
			b.Run(fmt.Sprintf("%s/zones=%d", name, zones), func(b *testing.B) {
				benchmarkWide(b, sim.Config{Market: synthetic(b), Jobs: jobs(1), Policy: withMarket(fresh(), synthetic(b)), Billing: sim.PerSecond()})
			})
		}
		onServers := func(int) []sim.Job { return configIn(b, synthetic(b)).Jobs }
		for _, info := range policies.List() {
			if info.Needs == policies.WorkerModels || info.Needs == policies.ServerModels {
				if !foretold(&info) {
					run(info.Name, onServers, info.Defaults)
				}
			}
		}
		forPipelines(func(name string, needs policies.Needs, fresh func() sim.Policy) {
			run(name+" in pipelines", inPipelines(needs), fresh)
		})
	}
}

func benchmarkWide(b *testing.B, c sim.Config) {
	var w sim.World
	before, runs, events := simtest.CPUTime(), 0, int64(0)
	for b.Loop() {
		c.Seed++
		if err := w.Reset(c); err != nil {
			b.Fatal(err)
		}
		events += w.Run().Events
		runs++
	}
	cpu := float64(simtest.CPUTime() - before)
	b.ReportMetric(cpu/float64(runs), "cpu-ns/op")
	b.ReportMetric(float64(events)/float64(runs), "events/run")
	b.ReportMetric(float64(w.Totals().Decisions), "decisions/run")
}
