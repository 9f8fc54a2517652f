package ondemand

import (
	"fmt"
	"math"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// holdPipelines holds the fastest layout of at most n instances on demand, of 0
// the cheapest that meets the objective, for good.
func holdPipelines(v sim.View, j, instances int, m sim.PipelineModel, trial *policyutil.Trial, plan *sim.Plan) {
	n := min(instances, m.MaxUseful())
	why := "the fastest on-demand layout"
	if n == 0 {
		var feasible bool
		n, feasible = cheapestPipelines(v, j, m, trial, plan)
		why = policyutil.Reason(feasible, "the cheapest on-demand layout that meets the deadline")
	}
	job := &plan.Jobs[j]
	requestOnDemand(v, j, n, plan)
	job.Pipelines, job.Stages = m.Best(job.Total())
	requestOnDemand(v, j, job.Pipelines*job.Stages, plan) // none without a place
	policyutil.ExplainChoice(v, job.Hold, plan)
	plan.SetReason(why)
}

// cheapestPipelines returns the number of instances with which the job meets its
// objective at the lowest cost, and whether there is one: else it is as many as the
// model can use. There are neither saves nor restarts on demand.
func cheapestPipelines(v sim.View, j int, m sim.PipelineModel, trial *policyutil.Trial, plan *sim.Plan) (best int,
	feasible bool) {
	job := v.Job(j)
	left := job.Deadline().Sub(v.Now()).Seconds()
	smallest := math.Inf(1)
	plan.AddInput("time for training", left, "s")
	best = m.MaxUseful()
	for n := 1; n <= m.MaxUseful(); n++ {
		if pipelines, stages := m.Best(n); pipelines*stages != n {
			continue // no faster than fewer
		}
		usdPerH, ready := requestOnDemand(v, j, n, plan)
		if plan.Jobs[j].Total() < n {
			break
		}
		whole, _ := trial.Train(m, job.Objective(), job.Servers(), n)
		seconds := ready + float64(whole*(1-job.Done()))
		usd := usdPerH * seconds / 3600
		if plan.Recorded() {
			plan.AddCandidate(sim.Candidate{
				Name:  policyutil.ClusterName(v, plan.Jobs[j].Hold),
				Score: usd,
				Unit:  "USD",
				Note:  fmt.Sprintf("ends after %.0f s", seconds),
			})
		}
		if seconds <= left && usd < smallest {
			best = n
			smallest = usd
			feasible = true
		}
	}
	return best, feasible
}

// requestOnDemand has job j hold the n cheapest instances on demand, fewer where the
// quotas allow fewer. It returns their price, USD/h, and the seconds after which all
// are ready with a probability of 99 %.
func requestOnDemand(v sim.View, j, n int, plan *sim.Plan) (usdPerH, ready float64) {
	hold := plan.Jobs[j].Hold
	clear(hold)
	for missing := n; missing > 0; {
		cheapest := -1
		for p := range hold {
			if v.Pool(p).OnDemand && hold[p] == 0 && policyutil.Headroom(v, plan, j, p) > 0 &&
				(cheapest < 0 || v.Price(p) < v.Price(cheapest)) {
				cheapest = p
			}
		}
		if cheapest < 0 {
			break
		}
		hold[cheapest] = min(missing, policyutil.Headroom(v, plan, j, cheapest))
		missing -= hold[cheapest]
		usdPerH += float64(float64(hold[cheapest]) * v.Price(cheapest))
		ready = max(ready, policyutil.ReadyAfter(v.Pool(cheapest).Boot, n, 0.99))
	}
	return usdPerH, ready
}
