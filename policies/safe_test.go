package policies_test

import (
	"strings"
	"testing"
	"time"

	"github.com/marigram/marigram/calibrate/ps"
	"github.com/marigram/marigram/internal/testutil"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/policies/safe"
	"github.com/marigram/marigram/sim"
)

// hostile is a market whose spot pools are cheap and full until the adversary takes all
// of them, at the given instants, for a while; on demand is always granted.
func hostile(t testing.TB, types []string, notice, boot time.Duration, takes []time.Duration, away time.Duration) *sim.Market {
	t.Helper()
	var hs []sim.Trace
	for _, typ := range types {
		spot := sim.Trace{Pool: sim.Pool{Name: "spot/" + typ, InstanceType: typ, Quota: 8, Notice: notice, Boot: sim.Boot{Median: boot}},
			Prices: []sim.Price{{USD: 0.1}}, Capacity: []sim.Capacity{{N: 8}}}
		for _, at := range takes {
			if last := spot.Capacity[len(spot.Capacity)-1].At; sim.Time(0).Add(at) > last {
				spot.Capacity = append(spot.Capacity, sim.Capacity{At: sim.Time(0).Add(at)},
					sim.Capacity{At: sim.Time(0).Add(at + away), N: 8})
			}
		}
		expensive := sim.Trace{Pool: sim.Pool{Name: "on-demand/" + typ, InstanceType: typ, OnDemand: true, Quota: 16, OnDemandPrice: 3,
			Boot: sim.Boot{Median: boot}}, Prices: []sim.Price{{USD: 3}}}
		hs = append(hs, spot, expensive)
	}
	m, err := sim.NewMarket(sim.At(48*3600), hs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// safeCases are base policies on the jobs that they are made for, on one type.
func safeCases(t testing.TB) map[string]sim.Job {
	t.Helper()
	profile, coef, err := ps.Published("spotdnn-resnet110")
	if err != nil {
		t.Fatal(err)
	}
	asp, err := ps.NewASP(profile, coef, ps.FormArtifact, []string{"p3.2xlarge", "p3.2xlarge"})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]sim.Job{}
	for _, info := range policies.List() {
		base := info.Defaults()
		if sim.TraitsOf(base).KnowsFuture || info.Needs >= policies.Gangs || strings.HasSuffix(info.Name, "-safe") ||
			info.Name == "mdp" {
			continue
		}
		switch info.Needs {
		case policies.WorkerModels, policies.ServerModels, policies.AnyModel, policies.OneType:
			out[info.Name+" on servers"] = sim.Job{Model: asp, ParameterServers: 1, ParameterServerPrice: 0.192,
				Objective: sim.Objective{Loss: 0.6, Within: 3 * time.Hour}}
		}
		if !info.Needs.Workers() {
			job := inPipelines(info.Needs)(1)[0]
			job.Objective.Within = 4 * time.Hour
			out[info.Name+" in pipelines"] = job
		}
		switch info.Needs {
		case policies.WorkerModels, policies.RestartingPipelines, policies.OneType:
			job := dataParallel(1)[0]
			job.Objective.Within = 2 * time.Hour
			out[info.Name+" data-parallel"] = job
		}
	}
	return out
}

// inTime runs a job under a policy by name and reports whether it is in time.
func inTime(t *testing.T, policy string, m *sim.Market, job sim.Job, seed uint64) (bool, sim.JobTotals) {
	t.Helper()
	p, err := policies.New(policy)
	if err != nil {
		t.Fatal(err)
	}
	w, err := sim.New(sim.Config{Market: m, Jobs: []sim.Job{job}, Policy: p, Seed: seed, Billing: sim.PerSecond()})
	if err != nil {
		t.Fatal(err)
	}
	r := w.Run().Jobs[0]
	return r.Finished && r.Elapsed <= job.Objective.Within, r
}

// Whatever spot does, and whenever, the safe form of every policy is in time on every
// model that is feasible on demand. Some of the policies alone are late.
func TestSafeInHostileMarkets(t *testing.T) {
	markets := testutil.Size(10, 40)
	late := 0
	for name, job := range safeCases(t) {
		base, _, _ := strings.Cut(name, " ")
		types := []string{"p3.2xlarge"}
		if strings.HasSuffix(name, "data-parallel") {
			types = []string{"a", "b", "c"}
		}
		for k := range markets {
			draw := func(n uint64) float64 { return sim.Rand{Seed: uint64(k)}.Uniform(sim.PurposeUser, 0, n) }
			takes := []time.Duration{time.Duration((float64(k) + draw(0)) / float64(markets) * float64(job.Objective.Within))}
			for n := range uint64(k % 4) {
				takes = append(takes, takes[n]+time.Duration((0.2+draw(2*n+1))*float64(time.Hour)))
			}
			away := time.Duration(draw(99) * float64(time.Hour))
			m := hostile(t, types, time.Duration(k%3)*time.Minute, 126*time.Second, takes, away)
			if met, r := inTime(t, safe.Prefix+base, m, job, uint64(k)); !met {
				t.Errorf("%s: taken at %v for %v: finished %v after %v of %v", name, takes, away, r.Finished, r.Elapsed, job.Objective.Within)
			}
			if met, _ := inTime(t, base, m, job, uint64(k)); !met {
				late++
			}
		}
	}
	if late == 0 {
		t.Error("the markets are not hostile: every policy alone is in time")
	}
	t.Logf("late without the safe form: %d", late)
}
