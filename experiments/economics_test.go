package experiments

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/internal/near"
)

const sessionsSpec = `name: own-sessions
model:
  notebooks: {sessions: sessions.csv}
objectives: [{within: 12h}]
policies: [%s]
market:
  boot: {median_s: 0, sigma: 0}
  billing: {increment_s: 0, minimum_s: 0}
  synthetic: {zones: 1, machines: 8}
  pools:
    - {type: p3.16xlarge, quota: 8, on_demand_quota: 8, on_demand_usd_per_h: 24}
`

// By hand: one host on demand from the beginning, both sessions fit, and a cell that is due
// while the one before runs waits for it. What reservations take is 2 x 4 + 4 x 3 GPU-h.
func TestNotebooks(t *testing.T) {
	check := near.Count(t)
	dir, write := ownModel(t)
	write("sessions.csv", "session,event,start_s,duration_s,gpus\n0,session,0,14400,2\n0,cell,600,1200,2\n0,cell,1500,600,1\n1,session,1800,"+
		"10800,4\n1,cell,2400,3000,4\n")
	path := func(policies string) string {
		write("sessions.yaml", fmt.Sprintf(sessionsSpec, policies))
		return filepath.Join(dir, "sessions.yaml")
	}
	r := runStudy(t, study(t, path("{name: notebook-ondemand, settings: {min_hosts: 1, buffer: 0}}"), 1)).Summaries[0]
	if r.Cells != 3 || r.CellsLost != 0 || *r.ReservedGPU != 20 || check.Off(*r.ActiveGPU, 15000./3600, 1e-9) || *r.ProvisionedGPU != 32 || *r.SavedGPU != -12 {
		t.Errorf("%+v: %v reserved, %v active, %v held", r, *r.ReservedGPU, *r.ActiveGPU, *r.ProvisionedGPU)
	}
	if !r.Met || *r.FinishS != 14400 || r.CostUSD != 4*24 || r.CostSpotUSD != 0 || *r.DelayMaxS != 0 || r.PeakHosts != 1 {
		t.Errorf("%+v: finished after %v s, longest delay %v s", r, *r.FinishS, *r.DelayMaxS)
	}
	if a := Aggregates([]results.Summary{r})[0].Notebooks; a == nil || a.Cells != 3 || a.SavedGPUH != -12 || a.CostOnDemandUSD != 96 {
		t.Errorf("%+v", a)
	}
	for _, c := range []struct{ old, with, want string }{
		{"{sessions: sessions.csv}", "{}", "expected one of published, sessions and template"},
		{"{sessions: sessions.csv}", "{published: z}", `no sessions "z"`},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, tick_s: 5}", "tick_s: 5, expected only with template"},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, from_h: 5}", "from_h: 5, expected only with hours"},
		{"{sessions: sessions.csv}", "{sessions: sessions.csv, host_gpus: 2}", "expected 0 <= start <= stop"},
		{"{sessions: sessions.csv}", "{template: sessions.csv}", "sessions.csv: template"},
		{"{sessions: sessions.csv}", "{sessions: none.csv}", "none.csv"},
		{"  notebooks:", "  published: spotdnn-resnet110\n  notebooks:", "expected notebooks or published, not both"},
		{"name: notebook-pool", "name: reactive", "the model is of sessions of notebooks"},
		{"name: notebook-pool", "name: safe:notebook-pool", "has no safe form"},
	} {
		text := strings.Replace(fmt.Sprintf(sessionsSpec, "{name: notebook-pool}"), c.old, c.with, 1)
		write("bad.yaml", text)
		if _, err := spec.Open(filepath.Join(dir, "bad.yaml")); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.with, err, c.want)
		}
	}
	const trains = "name: x\nmodel: {published: spotdnn-resnet110}\nobjectives: [{loss: 0.8, time_s: 7200}]\npolicies: [{name: notebook-pool}]\n" +
		"market: {synthetic: {}, pools: [{type: p3.2xlarge, quota: 1, on_demand_usd_per_h: 3.06}]}\n"
	if _, err := spec.Parse("x.yaml", []byte(trains)); err == nil || !strings.Contains(err.Error(), "sessions of notebooks") {
		t.Errorf("a policy of notebooks for a job that trains: %v", err)
	}
}
