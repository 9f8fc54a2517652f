package experiments

import (
	"context"
	"fmt"
	"time"

	"github.com/marigram/marigram/experiments/market"
	"github.com/marigram/marigram/experiments/results"
	"github.com/marigram/marigram/experiments/spec"
	"github.com/marigram/marigram/experiments/workload"
	"github.com/marigram/marigram/policies"
	"github.com/marigram/marigram/sim"
)

// Runs are runs without a spec: what it would name is made in Go. Every objective is run under every policy and
// every seed.
type Runs struct {
	Name       string // of the study, in results
	Market     *sim.Market
	Job        sim.Job // its Model and servers; Objectives take the place of its objective
	Objectives []sim.Objective
	Policies   []sim.Policy // for one goroutine, as Rows is
	Seed       int64        // the first
	Seeds      int          // 0 means 1

	Horizon time.Duration // after which a run is cut; 0 means three times the objective's time
	Billing *sim.Billing  // nil means sim.PerSecond
}

// Rows runs everything and returns the rows of summary.parquet, in the order of objectives, policies and seeds. The
// same inputs give the same rows. It panics on what a caller should not leave out: a market, a model,
// objectives and policies.
func (r *Runs) Rows(ctx context.Context) (rows []results.Summary, err error) {
	if r.Market == nil || r.Job.Model == nil || len(r.Objectives) == 0 || len(r.Policies) == 0 {
		panic("experiments: Runs without a market, a model, objectives or policies")
	}
	study := &Study{
		work:     oneJob{},
		Markets:  &market.Markets{Name: r.Name, Unit: results.ByStart},
		warnings: make([][len(outcomes)]string, len(r.Policies)),
	}
	for _, policy := range r.Policies {
		assumes := ""
		if info, err := policies.Named(policy.Name()); err == nil { // one of a caller's own has no entry
			assumes = info.Assumptions(policy)
		}
		study.assumes = append(study.assumes, assumes)
	}
	var world sim.World
	var tally jobTally
	for _, o := range r.Objectives {
		for p, policy := range r.Policies {
			for k := range max(r.Seeds, 1) {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				config := r.config(o, policy, r.Seed+int64(k))
				l := label{
					run:       int64(len(rows)),
					policy:    policy.Name(),
					scenario:  r.Name,
					objective: objectiveName(o),
					seed:      r.Seed + int64(k),
				}
				err := guarded(func() error {
					if err := start(&world, policy, config); err != nil {
						return err
					}
					tally.begin(l, &config, 1)
					tally.meet(0, &workload.Job{ID: l.objective})
					totals := world.Run()
					tally.replay(config.Jobs, totals)
					rows = append(rows, study.summary(totals, &config, &tally, &spec.Objective{}, p))
					return nil
				})
				if err != nil {
					return nil, fmt.Errorf("policy %s, seed %d: %w", policy.Name(), config.Seed, err)
				}
			}
		}
	}
	return rows, nil
}

func (r *Runs) config(o sim.Objective, policy sim.Policy, seed int64) sim.Config {
	job := r.Job
	job.Objective = o
	c := sim.Config{
		Market:  r.Market,
		Jobs:    []sim.Job{job},
		Policy:  policy,
		Seed:    uint64(seed),
		Horizon: r.Horizon,
		Billing: sim.PerSecond(),
	}
	if c.Horizon == 0 {
		c.Horizon = 3 * o.Within
	}
	if r.Billing != nil {
		c.Billing = *r.Billing
	}
	return c
}

// objectiveName is what an objective is called that has no name.
func objectiveName(o sim.Objective) string {
	within := fmt.Sprintf("%vs", o.Within.Seconds())
	if o.Within%time.Minute == 0 {
		within = fmt.Sprintf("%vmin", o.Within.Minutes())
	}
	if o.Within%time.Hour == 0 {
		within = fmt.Sprintf("%vh", o.Within.Hours())
	}
	if o.Loss == 0 {
		return "all-in-" + within
	}
	return fmt.Sprintf("loss-%v-in-%s", o.Loss, within)
}
