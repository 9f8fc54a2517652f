package reference

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// makers return the policy of a run by the name that the public code gives it.
var makers = map[string]func(w *world, o Options) policy{
	"multi_region_rc_cr_threshold":                func(*world, Options) policy { return &threshold{last: -1} },
	"multi_region_rc_cr_threshold_eager_failover": func(*world, Options) policy { return &threshold{cheapest: true, last: -1} },
	"multi_region_availability_probe_simple":      func(w *world, _ Options) policy { return newProber(w, false) },
	"multi_region_probe_cost_ratio":               func(w *world, _ Options) policy { return newProber(w, true) },
	"unified_cost_model_risk":                     func(w *world, o Options) policy { return newNomad(w, o) },
	"unified_cost_model_oracle":                   func(w *world, o Options) policy { return newOracle(w, o, planned) },
	"unified_cost_model_oracle_rate_ratio":        func(w *world, o Options) policy { return newOracle(w, o, rateRatio) },
	"unified_cost_model_rate_ratio":               func(w *world, o Options) policy { return newValued(w, o, rateRatio) },
	"multi_region_oracle_dp":                      func(w *world, _ Options) policy { return newOptimal(w) },
}

func init() {
	for name, f := range ablations {
		makers["ablation_"+name] = func(w *world, o Options) policy { return newValued(w, o, ablation(f)) }
	}
}

// single is the name of Uniform Progress in one zone.
const single = "rc_cr_threshold"

// Policies returns the names of the policies, which are those of the public code; those
// of its ablation begin with ablation_.
func Policies() []string { return slices.Sorted(maps.Keys(makers)) }

func newValued(w *world, o Options, value func(*nomad, *world) float64) policy {
	n := newNomad(w, o)
	n.value = value
	return n
}

func newOracle(w *world, o Options, value func(*nomad, *world) float64) policy {
	n := newNomad(w, o)
	n.knows, n.value = true, value
	return n
}

// Run replays a job under a policy, in zones whose order matters. watch, if it is not
// nil, is told of every tick at which something is decided. An error means that there
// is no such policy, that the traces end too early, or that the job is late.
func Run(name string, o Options, job Job, zones []*Zone, watch func(*Tick)) (Result, error) {
	ticks := int(job.DeadlineS/job.TickS) + 1
	if job.TickS <= 0 || job.WorkS <= 0 || job.RestartS < 0 || job.CheckpointGB < 0 || job.Start < 0 || len(zones) == 0 {
		return Result{}, fmt.Errorf("job %+v in %d zones: expected a tick, work and zones", job, len(zones))
	}
	for _, z := range zones {
		if n := min(len(z.Available), len(z.SpotUSD)); job.Start+ticks > n {
			return Result{}, fmt.Errorf("%s has %d ticks, expected %d and %d more", z.Name, n, job.Start, ticks)
		}
	}
	w := newWorld(job, zones, nil, watch)
	if job.WorkS+job.RestartS > job.DeadlineS { // the public code then runs on demand from the start
		r := Result{FinishS: job.WorkS + job.RestartS, SafetyNet: -1}
		r.FullUSD = w.minOnDemand() * r.FinishS / 3600
		r.RecordedUSD, r.OnDemandS = r.FullUSD, r.FinishS
		return r, nil
	}
	if name == single {
		if len(zones) != 1 {
			return Result{}, fmt.Errorf("%s in %d zones, expected one", name, len(zones))
		}
		return runSingle(job, zones[0])
	}
	make, known := makers[name]
	if !known {
		return Result{}, fmt.Errorf("no policy %q, expected %s or one of %s", name, single, strings.Join(Policies(), ", "))
	}
	w.policy = make(w, o)
	_, w.unsafe = w.policy.(*optimal)
	return w.run()
}
