package ondemand

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// OnDemand is the reference without preemptions: the cheapest schedule of clusters on demand that meets the objective, or
// the one that ends first if none does. With the plan one-cluster it is spotDNN's baseline of that name: one cluster for
// good, by spotDNN's search, for a pipelined model the cheapest layout.
type OnDemand struct {
	Clusters       Clusters `set:"plan" names:"changing,one-cluster" doc:"changing: the cheapest clusters, now and later, that meet the deadline; one-cluster: spotDNN's baseline, the cheapest cluster that meets it, for good"`
	Instances      int      `set:"instances" min:"0" max:"65536" doc:"maximum number of instances of a pipelined job, in the fastest layout, for good; 0 takes what the plan says"`
	OverPrediction float64  `set:"over_prediction" min:"0" max:"1" doc:"share by which predicted contention for the parameter server is increased; for the plan one-cluster"`
	Share          float64  `set:"boot_share" min:"0.5" max:"0.999999" doc:"probability with which the instances of a cluster are ready within the boot time that is planned with"`

	planner Planner
	search  spotdnn.ClusterSearch
	trial   policyutil.Trial
}

// Clusters says what OnDemand holds; empty is Changing.
type Clusters string

// The plans.
const (
	Changing   Clusters = "changing"
	OneCluster Clusters = "one-cluster"
)

// New returns the policy with the default settings: where boots take longer than nine in ten do, it requests more.
func New() *OnDemand { return &OnDemand{Share: 0.9} }

// Name implements sim.Policy.
func (*OnDemand) Name() string { return "ondemand" }

// Decide implements sim.Policy.
func (o *OnDemand) Decide(v sim.View, plan *sim.Plan) {
	for _, j := range v.ActiveJobs() {
		o.decide(v, j, plan)
	}
}

// decide decides for job j.
func (o *OnDemand) decide(v sim.View, j int, plan *sim.Plan) {
	job := v.Job(j)
	m, piped := job.Model().(sim.PipelineModel)
	piped = piped && !workers(m)
	switch {
	case o.Clusters != OneCluster && (o.Instances == 0 || !piped):
		o.follow(v, j, plan)
	case job.Want() > 0: // for good
	case piped:
		holdPipelines(v, j, o.Instances, m, &o.trial, plan)
	default:
		o.start(v, j, plan)
	}
}

// follow has job j hold what the cheapest schedule says.
func (o *OnDemand) follow(v sim.View, j int, plan *sim.Plan) {
	p, job := &o.planner, v.Job(j)
	p.Share = o.Share
	p.Update(v, j, nil, false, plan)
	s := Start{Loss: job.Loss(), Left: job.Deadline().Sub(v.Now()).Seconds()}
	if end := job.Paused(); end != sim.Never {
		s.Pause = end.Sub(v.Now()).Seconds()
	}
	best, _ := p.Plan(&s)
	plan.AddInput("time left", s.Left, "s")
	if best.First == nil {
		plan.SetReason("no cluster on demand can train the job")
		return
	}
	p.Consider(&s, plan)
	ready := p.Hold(&best, plan)
	p.Lay(&best, ready, plan)
	p.Wake(&best, plan)
	p.Take(&best, plan)
}

func (o *OnDemand) start(v sim.View, j int, plan *sim.Plan) {
	task := o.search.Reset(v, j, o.OverPrediction)
	for p := range task.Free {
		if v.Pool(p).OnDemand {
			task.Free[p] = policyutil.Headroom(v, plan, j, p)
		}
	}
	task.Seconds -= o.search.ExpectedBoot(v).Seconds()
	spotdnn.ExplainSearch(v, task, plan)
	choice := o.search.Window.Search(task)
	copy(plan.Jobs[j].Hold, choice.Counts)
	policyutil.ExplainChoice(v, choice.Counts, plan)
	plan.SetReason(policyutil.Reason(choice.Feasible, "cheapest on-demand cluster that meets the deadline"))
}

// workers reports whether a model is one of workers as well.
func workers(m sim.Model) bool {
	_, ok := m.(sim.WorkerModel)
	return ok
}

// maxConsidered is how many clusters of a decision a recorder is told of: of more, the cheapest.
const maxConsidered = 32

// Consider tells a recorder which clusters are weighed up: what each costs until the end, and when that is if boots take as
// long as their bound. Of more than 32 it names the cheapest.
func (p *Planner) Consider(s *Start, plan *sim.Plan) {
	if !plan.Recorded() {
		return
	}
	var all []sim.Candidate
	for _, c := range p.list {
		x := p.leg(s, c)
		one, ends := p.alone(&x, c)
		if one.First == nil {
			continue
		}
		note := fmt.Sprintf("ends after %.0f s", ends)
		if ends > s.Left+rounding && !(one.End <= s.Left && p.helped(s, &x, c)) {
			note += fmt.Sprintf(", %.0f s late", ends-s.Left)
		}
		all = append(all, sim.Candidate{Name: p.name(c), Score: one.USD, Unit: "USD", Note: note})
	}
	if len(all) > maxConsidered {
		slices.SortStableFunc(all, func(a, b sim.Candidate) int { return cmp.Compare(a.Score, b.Score) })
		all = all[:maxConsidered]
	}
	for _, c := range all {
		plan.AddCandidate(c)
	}
}

// Take tells a recorder which schedule was taken. Its name is what the plan holds now.
func (p *Planner) Take(best *Schedule, plan *sim.Plan) {
	plan.SetReason(policyutil.Reason(best.InTime, "cheapest schedule on demand that meets the deadline"))
	if !plan.Recorded() {
		return
	}
	note := fmt.Sprintf("ends after %.0f s", best.End)
	if best.Then != nil {
		note = fmt.Sprintf("then %s, after %.0f s; %s", p.name(best.Then), best.Until, note)
	}
	if !best.InTime {
		note += ", which may be late"
	}
	plan.AddCandidate(sim.Candidate{Name: policyutil.ClusterName(p.v, plan.Jobs[p.j].Hold), Score: best.USD, Unit: "USD", Note: note, Chosen: true})
}

// name returns the name of a cluster and the spot instances that are counted on, for people.
func (p *Planner) name(c *Cluster) string {
	counts := make([]int, len(c.Counts))
	for k, n := range c.Counts {
		counts[k] = int(n)
		if p.keep != nil {
			counts[k] += int(p.keep[k])
		}
	}
	return policyutil.ClusterName(p.v, counts)
}
