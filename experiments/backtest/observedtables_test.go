package backtest_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/marigram/marigram/experiments/backtest"
	"github.com/marigram/marigram/internal/near"
	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/formats"
	"github.com/marigram/marigram/traces/ownruns"
)

const text = ownruns.Header + `
0,start,,,,
0,launched,a,p3,z,
0,launched,b,p3:on-demand,z,
0,price,,p3,z,3.6
500,price,,p3,z,7.2
0,price,,p3:on-demand,,36
100,ready,a,,,
100,ready,b,p3:on-demand,,
200,step,,,,10
300,step,,,,20
400,step,,,,30
600,preempted,a,,,
1000,step,,,,40
1000,end,,,,
`

func run(t *testing.T, text string) *ownruns.Run {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := formats.ImportRun("plain-csv", []string{path}, traces.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTables(t *testing.T) {
	check := near.Count(t)
	r := run(t, text)
	s, spans, err := backtest.ObservedTables(r, 80)
	if err != nil {
		t.Fatal(err)
	}
	if !s.Finished || *s.FinishS != 1000 || s.Progress != .5 || s.Preemptions != 1 || s.Unannounced != 1 || s.Grants != 2 || s.Scenario != "mine" ||
		check.Off(s.CostSpotUSD, .7, 1e-9) || check.Off(s.CostOnDemandUSD, 10, 1e-9) || check.Off(3600*s.InstanceH, 1600, 1e-6) ||
		check.Off(3600*s.StartingH, 200, 1e-6) {
		t.Errorf("%+v", s)
	}
	last := spans[len(spans)-1]
	if check.Off(last.CostUSD, s.CostUSD, 1e-9) || last.EndS != 1000 || last.Progress != .5 || last.Market != "on-demand" || last.Ready != 1 ||
		last.PriceUSDPerH != 36 {
		t.Errorf("%+v, %v", last, s.CostUSD)
	}
	if _, err := plots.Timeline(s, spans); err != nil {
		t.Error(err)
	}
}

func TestTablesOfBill(t *testing.T) {
	r := run(t, text+"100,charge,a,,,1\n700,charge,a,,,2\n3000,charge,a,,,4\n")
	s, spans, err := backtest.ObservedTables(r, 0)
	if err != nil || s.CostUSD != 7 || spans[len(spans)-1].CostUSD != 3 || s.Progress != 1 {
		t.Errorf("%v, %+v, %v", err, s, spans[len(spans)-1])
	}
	// A trainer's records alone
	r = run(t, ownruns.Header+"\n0,step,,,,0\n100,step,,,,10\n")
	s, spans, err = backtest.ObservedTables(r, 0)
	if err != nil || s.Finished || len(spans) != 1 || spans[0].InstanceType != "machines not recorded" {
		t.Errorf("%v, %+v, %+v", err, s, spans)
	}
	if _, err := plots.Timeline(s, spans); err != nil {
		t.Error(err)
	}
	if _, _, err := backtest.ObservedTables(run(t, ownruns.Header+"\n0,step,,,,0\n"), 0); err == nil {
		t.Error("a run of one instant has a timeline")
	}
}
