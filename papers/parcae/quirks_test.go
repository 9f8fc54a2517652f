package parcae

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/marigram/marigram/calibrate/pipeline"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/papers/parcae/reference"
	"github.com/marigram/marigram/policies/forecast"
	"github.com/marigram/marigram/policies/parcae"
)

// parcaeVariant is the public code of Parcae with something changed.
type parcaeVariant struct {
	name      string
	change    func(*pipeline.ParcaeQuirks)
	objective parcae.Objective
}

var parcaeVariants = []parcaeVariant{
	{"no LastStageOnly", func(q *pipeline.ParcaeQuirks) { q.LastStageOnly = false }, parcae.Throughput},
	{"no IdleRegroup", func(q *pipeline.ParcaeQuirks) { q.IdleRegroup = false }, parcae.Throughput},
	{"no DropRemainder", func(q *pipeline.ParcaeQuirks) { q.DropRemainder = false }, parcae.Throughput},
	{"no StickyPenalties", func(q *pipeline.ParcaeQuirks) { q.StickyPenalties = false }, parcae.Throughput},
	{"none of them", func(q *pipeline.ParcaeQuirks) { *q = pipeline.ParcaeQuirks{} }, parcae.Throughput},
	{"all, liveput", func(*pipeline.ParcaeQuirks) {}, parcae.Liveput},
	{"none, liveput", func(q *pipeline.ParcaeQuirks) { *q = pipeline.ParcaeQuirks{} }, parcae.Liveput},
}

// What each slip of the public code is worth, and the objective of the paper:
// the table in DEVIATIONS.md is what this prints.
func TestParcaeQuirksCost(t *testing.T) {
	if testing.Short() {
		t.Skip("eighty replays of 683 minutes: not with -short")
	}
	var table strings.Builder
	fmt.Fprintf(&table, "| %-18s | %-9s | %7s | %8s | %7s | %7s | %7s | %7s |\n", "", "network", "known", "forecast", "HADP", "HASP", "LADP", "LASP")
	fmt.Fprintf(&table, "|%s|%s|%s:|%s:|%[3]s:|%[3]s:|%[3]s:|%[3]s:|\n", strings.Repeat("-", 20), strings.Repeat("-", 11), strings.Repeat("-", 8),
		strings.Repeat("-", 9))
	networks := pipeline.ParcaeNetworks()
	networks = networks[:testutil.Size(2, len(networks))]
	published := map[string][]float64{}
	for _, network := range networks {
		published[network] = parcaeSamples(t, network, parcaeVariant{"", func(*pipeline.ParcaeQuirks) {}, parcae.Throughput})
	}
	for _, v := range parcaeVariants {
		for _, network := range networks {
			fmt.Fprintf(&table, "| %-18s | %-9s |", v.name, network)
			for i, samples := range parcaeSamples(t, network, v) {
				width := 7
				if i == 1 {
					width = 8
				}
				fmt.Fprintf(&table, " %*s |", width, percent(samples, published[network][i]))
			}
			fmt.Fprintln(&table)
		}
	}
	t.Log("\n" + table.String())
	written, err := os.ReadFile("../../calibrate/DEVIATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(table.String()) {
		if !strings.Contains(string(written), strings.TrimSpace(line)) {
			t.Errorf("DEVIATIONS.md does not have %s", line)
		}
	}
}

// percent is how much more x is than base, %.
func percent(x, base float64) string {
	if s := fmt.Sprintf("%+.2f", 100*(x/base-1)); s != "-0.00" && s != "+0.00" {
		return s
	}
	return "0"
}

// parcaeSamples returns what is trained in the whole p3 trace with the future
// known and with forecasts, and of the latter in each of the four hours.
func parcaeSamples(t *testing.T, network string, v parcaeVariant) []float64 {
	t.Helper()
	m, err := pipeline.LoadParcae(network)
	if err != nil {
		t.Fatal(err)
	}
	m.Quirks = pipeline.ParcaeAsPublished()
	v.change(&m.Quirks)
	p := reference.Simulator{Model: m, Ahead: 12, Planner: parcae.NewPlanner(m, 32, 60)}
	p.Planner.Objective = v.objective
	minutes := p.Replay(pipeline.ParcaeTrace())
	out := []float64{minutes[len(minutes)-1].Samples}
	info, err := forecast.Named(m.Quirks.Forecaster())
	if err != nil {
		t.Fatal(err)
	}
	forecaster, counts := info.New(forecast.Setup{Window: 12, Min: 8, Max: 32}), recordedCounts()
	p.Forecast = func(trace []int, horizon int) (coming []int) {
		next := make([]float64, horizon)
		forecaster.Forecast(next, counts[:len(trace)])
		for _, n := range next {
			coming = append(coming, int(n))
		}
		return coming
	}
	minutes = p.Replay(pipeline.ParcaeTrace())
	out = append(out, minutes[len(minutes)-1].Samples)
	for _, s := range pipeline.ParcaeSegments() {
		out = append(out, minutes[s.End-1].Samples-minutes[s.First-1].Samples)
	}
	return out
}
