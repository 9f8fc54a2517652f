//go:build !js

package policies

import (
	"github.com/marigram/marigram/calibrate/facts"
	"github.com/marigram/marigram/policies/schedulers"
	"github.com/marigram/marigram/sim"
)

const (
	tiresiasSource = "Tiresias (NSDI 2019)"
	gavelSource    = "Gavel (OSDI 2020)"
)

func init() {
	for _, p := range []struct {
		doc, source string
		policy      func() sim.Policy
	}{
		{"first come first served: a job that does not fit keeps those behind it waiting; " +
			"with placement consolidated YARN's capacity scheduler (YARN-CS)",
			tiresiasSource,
			func() sim.Policy { return &schedulers.FIFO{} }},
		{"first come first served, but jobs that fit pass those that do not", tiresiasSource,
			func() sim.Policy { return &schedulers.FIFO{Backfill: true} }},
		{"shortest remaining time first, preemptive; knows how long jobs run", tiresiasSource,
			func() sim.Policy { return &schedulers.Shortest{Key: schedulers.RemainingTime} }},
		{"shortest remaining service (time times GPUs) first, preemptive; knows how long jobs run", tiresiasSource,
			func() sim.Policy { return &schedulers.Shortest{Key: schedulers.RemainingService} }},
		{"the job of fewest GPUs first, preemptive", tiresiasSource,
			func() sim.Policy { return &schedulers.Shortest{Key: schedulers.Size} }},
		{"jobs that have had least service (time times GPUs) first, in three queues (2D-LAS)", tiresiasSource,
			func() sim.Policy { return &schedulers.LAS{Limits: schedulers.DefaultLimits} }},
		{"as tiresias, the jobs of a queue by their Gittins index, " +
			"from the service of 1,001 jobs of YARN",
			tiresiasSource,
			func() sim.Policy {
				return &schedulers.LAS{Limits: schedulers.DefaultLimits, Gittins: yarn}
			}},
		{"jobs that have run least first, in three queues, whatever their GPUs", tiresiasSource,
			func() sim.Policy { return &schedulers.LAS{Limits: schedulers.DefaultLimits, TimeOnly: true} }},
		{"first come first served on the cluster; jobs that wait too long go to the cloud; knows how long jobs run",
			"Starburst (ATC 2024)",
			func() sim.Policy { return &schedulers.Starburst{Patience: schedulers.PerGPUHour, Factor: 0.25} }},
		{"keeps jobs close together: they wait for one server, then for one rack; " +
			"leased GPUs go first to jobs that the network has slowed down most",
			"Dally (arXiv 2401.16492)",
			func() sim.Policy { return schedulers.NewDally() }},
		{"servers by deadline, spot while there is slack, " +
			"on demand from the latest start that meets the deadline; knows how much work is left",
			"marigram",
			func() sim.Policy { return schedulers.NewDeadlines() }},
		{"admits jobs within quotas of queues that lend to one another, with preemption and fair sharing; " +
			"needs jobs.kueue",
			"Kueue, github.com/kubernetes-sigs/kueue at ff69552",
			func() sim.Policy { return schedulers.NewKueue() }},
		{"as deadline-spot, but rents spot at once where no server is free",
			"Can't Be Late (NSDI 2024), its safe greedy rule by job",
			func() sim.Policy { return newDeadlines(schedulers.DeadlineGreedy) }},
		{"as deadline-spot, without spot", "marigram",
			func() sim.Policy { return newDeadlines(schedulers.DeadlineOnDemand) }},
		{"as deadline-spot, but plans ahead: servers in the order that costs least, " +
			"spot for what these cannot do in time; learns how long jobs take",
			"marigram",
			func() sim.Policy { return schedulers.NewEDF() }},
	} {
		registerScheduler(p.doc, p.source, p.policy)
	}
	registerRounds()
}

func newDeadlines(form schedulers.DeadlineForm) sim.Policy {
	policy := schedulers.NewDeadlines()
	policy.Form = form
	return policy
}

// yarn is the index of the sample that comes with Tiresias.
var yarn = schedulers.LaterGittins(yarnServices, schedulers.DefaultLimits.First)

func yarnServices() []float64 {
	type row struct {
		Seconds float64 `col:"gpu_seconds"`
	}
	var services []float64
	for _, r := range facts.Read[row]("tiresias_service") {
		services = append(services, r.Seconds)
	}
	return services
}

// registerScheduler registers a policy for many jobs under its own name.
func registerScheduler(doc, source string, policy func() sim.Policy) {
	register(doc, source, Gangs, policy)
}

// registerRounds registers the rules of sharing that know the models of GPU and that do not.
func registerRounds() {
	registerScheduler("max-min fairness by weight (LAS) that knows how fast jobs are on each model of GPU", gavelSource,
		func() sim.Policy { return schedulers.NewMaxMin("gavel", false) })
	registerScheduler("equal time by weight, whatever the model of GPU (agnostic LAS)", gavelSource,
		func() sim.Policy { return schedulers.NewMaxMin("gavel-agnostic", true) })
}
