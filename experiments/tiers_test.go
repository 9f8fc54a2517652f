package experiments

import (
	"strings"
	"testing"

	"github.com/marigram/marigram/internal/near"
)

// tiersSpec has two pods of two racks of two servers of 2 GPUs.
const tiersSpec = `
name: tiers
market:
  servers: [{gpu: v100, gpus: 2, count: 8, usd_per_gpu_h: 1}]
  tiers: [{name: rack, of: 2}, {name: pod, of: 2}]
model:
  gang:
    network: [1, 0.8, 0.5, 0.25]
    network_by_kind: {local: [1, 1, 1, 1]}
jobs: {trace: jobs.csv}
policies: [{name: fifo, settings: {placement: closest}}, {name: dally}]
`

// A job is as fast as the tier says at which its GPUs are, by its kind; both schedulers keep it as close together as
// can be.
func TestTiersBySpec(t *testing.T) {
	check := near.Count(t)
	set := runCluster(t, tiersSpec, `job_id,submit_s,gpus,duration_s,kind
server,0,2,3600,
rack,20000,4,3600,
pod,40000,8,3600,
all,60000,16,3600,
local,80000,16,3600,local
`)
	for i, want := range []float64{3600, 4500, 7200, 14400, 3600, 3600, 4500, 7200, 14400, 3600} {
		if j := &set.Jobs[i]; check.Off(*j.JCTS, want, 1e-6) {
			t.Errorf("%s, job %s: %v s, expected %v", j.Policy, j.ID, *j.JCTS, want)
		}
	}
}

// Racks of the entries may be in one pod; what moves take goes by the tier.
func TestMovesByTier(t *testing.T) {
	text := `
name: moves
market:
  servers:
    - {gpu: v100, gpus: 1, count: 2, per_rack: 1, usd_per_gpu_h: 1}
    - {gpu: p100, gpus: 1, usd_per_gpu_h: 1}
    - {gpu: k80, gpus: 1, usd_per_gpu_h: 1}
  tiers: [{name: rack}, {name: pod, of: 2}]
  moves: {gb: 100, by_tier: [{}, {usd_per_gb: 0.01, gb_per_s: 1}, {usd_per_gb: 0.1, gb_per_s: 0.5}]}
jobs: {trace: jobs.csv}
policies: [{name: fifo}]
`
	s, err := openCluster(t, text, "job_id,submit_s,gpus,duration_s\na,0,1,1000\n")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Markets.For(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		from, to int
		usd, s   float64
	}{{0, 0, 0, 0}, {0, 1, 1, 100}, {1, 2, 10, 200}, {2, 3, 1, 100}, {3, 0, 10, 200}} {
		got := s.Markets.Moves().Move(nil, m.Pool(x.from), m.Pool(x.to))
		if got.USD != x.usd || got.Time.Seconds() != x.s {
			t.Errorf("from %s to %s: %+v, expected %v USD and %v s", m.Pool(x.from).Name, m.Pool(x.to).Name, got, x.usd, x.s)
		}
	}
}

// Wrong tiers name their place, and what has no effect is said.
func TestBadTiers(t *testing.T) {
	for _, x := range []struct{ from, to, want string }{
		{"of: 2}, {name: pod, of: 2}", "of: 2}, {name: pod}", "of is missing, expected how many of rack are in one"},
		{"{name: pod, of: 2}", "{name: rack, of: 2}", "expected a name that is used once"},
		{"{name: pod, of: 2}", "{name: server, of: 2}", "and not server"},
		{"{name: pod, of: 2}", "{name: pod, of: -2}", "-2, expected 1 to"},
		{"count: 8", "count: 8, per_rack: 2", "per_rack: 2, but market.tiers says how many servers are in one rack (of: 2)"},
		{"[1, 0.8, 0.5, 0.25]", "[1, 0.8, 0.5]", "3 numbers, expected 4: on one server, within one rack, within one pod, beyond one pod"},
		{"[1, 0.8, 0.5, 0.25]", "[1, 0.8, 0.5, 0]", "network[3]: 0, expected more than 0 and at most 1"},
		{"local: [1, 1, 1, 1]", "local: [1, 1]", `kind "local"`},
		{"model:", "  moves: {gb: 1, by_tier: [{}]}\nmodel:", "1 entries, expected 3: within one rack, within one pod, beyond one pod"},
		{"model:", "  moves: {gb: 1, usd_per_gb: 1, by_tier: [{}, {}, {}]}\nmodel:", "not usd_per_gb and by_tier"},
		{"model:", "  moves: {gb: 1, by_tier: [{}, {}, {usd_per_gb: -1}]}\nmodel:", "-1, expected 0 to 10000"},
		{"servers: [{gpu: v100, gpus: 2, count: 8, usd_per_gpu_h: 1}]", "servers: [{gpu: v100, gpus: 2, on_demand: true}]", "expected market.servers"},
	} {
		text := strings.Replace(tiersSpec, x.from, x.to, 1)
		if _, err := openCluster(t, text, smallTrace); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, expected %q", x.to, err, x.want)
		}
	}
	s, err := openCluster(t, strings.Replace(tiersSpec, "    network: [1, 0.8, 0.5, 0.25]\n    network_by_kind: {local: [1, 1, 1, 1]}\n",
		"    restart_s: 1\n", 1), smallTrace)
	if err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), "market.tiers: how far apart") {
		t.Errorf("%v, warnings %q", err, s.Warnings)
	}
	if s, err = openCluster(t, tiersSpec, smallTrace); err != nil || !strings.Contains(strings.Join(s.Warnings, "\n"), `no job is of kind "local"`) {
		t.Errorf("%v, warnings %q", err, s.Warnings)
	}
}
