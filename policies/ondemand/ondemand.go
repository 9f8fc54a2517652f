package ondemand

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/spotdnn"
	"github.com/marigram/marigram/sim"
)

// OnDemand is the reference without preemptions: the cheapest schedule of clusters on demand that meets the objective,
// or the one that ends first if none does. With the plan one-cluster it is spotDNN's baseline of that name: one cluster
// for good, by spotDNN's search, for a pipelined model the cheapest layout.
type OnDemand struct {
	Clusters       Clusters `set:"plan" names:"changing,one-cluster" doc:"changing: the cheapest clusters, now and later, that meet the deadline; one-cluster: spotDNN's baseline, the cheapest cluster that meets it, for good"`
	Instances      int      `set:"instances" min:"0" max:"65536" doc:"maximum number of instances of a pipelined job, in the fastest layout, for good; 0 takes what the plan says"`
	OverPrediction float64  `set:"over_prediction" min:"0" max:"1" doc:"share by which predicted contention for the parameter server is increased; for the plan one-cluster"`
	Share          float64  `set:"boot_share" min:"0.5" max:"0.999999" doc:"probability with which the instances of a cluster are ready within the boot time that is planned with"`

	planner Planner
	search  spotdnn.ClusterSearch
	trial   policyutil.Trial
	saver   policyutil.LossSaver
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
		o.saver.SaveOnDemand(v, j, plan)
	}
}

// decide decides for job j.
func (o *OnDemand) decide(v sim.View, j int, plan *sim.Plan) {
	job := v.Job(j)
	model, piped := job.Model().(sim.PipelineModel)
	if _, sideBySide := job.Model().(sim.WorkerModel); sideBySide {
		piped = false
	}
	switch {
	case o.Clusters != OneCluster && (o.Instances == 0 || !piped):
		o.follow(v, j, plan)
	case job.Want() > 0: // for good
	case piped:
		holdPipelines(v, j, o.Instances, model, &o.trial, plan)
	default:
		o.start(v, j, plan)
	}
}

// looks is how often a plan is worked out again while the instances of a cluster become ready, one after the other. As
// often as there are instances is too often for thousands: each time all sizes of clusters are compared.
const looks = 256

// keepsBooting reports whether job j goes on as it is because one more instance became ready of many that start. It
// depends on the numbers alone, not on when the plan was worked out the last time. Jobs of fewer than 2 looks instances
// never do.
func keepsBooting(v sim.View, j int) bool {
	if v.Trigger() != sim.TriggerReady || v.Job(j).Want() < 2*looks {
		return false
	}
	starting := 0
	ready := 0
	for p := range v.Pools() {
		held := v.Held(j, p)
		if held.Want != held.Active() || held.Waiting > 0 || held.Noticed > 0 {
			return false
		}
		starting += held.Starting
		ready += held.Ready
	}
	return starting > 0 && ready%((starting+ready)/looks) != 0
}

// follow has job j hold what the cheapest schedule says.
func (o *OnDemand) follow(v sim.View, j int, plan *sim.Plan) {
	if keepsBooting(v, j) {
		plan.WakeIn(time.Second) // what was asked for before this event is done then
		return
	}
	planner := &o.planner
	planner.Share = o.Share
	planner.Update(v, j, nil, false, plan)
	job := v.Job(j)
	start := Start{Loss: job.Loss(), Left: job.Deadline().Sub(v.Now()).Seconds()}
	if planner.held.N == 0 { // what the last machines had not saved went with them
		start.Loss = job.SavedLoss()
	}
	if end := job.Paused(); end != sim.Never {
		start.Pause = end.Sub(v.Now()).Seconds()
	}
	best, _ := planner.Plan(&start)
	plan.AddInput("time left", start.Left, "s")
	if best.First == nil {
		plan.SetReason("no cluster on demand can train the job")
		return
	}
	planner.Consider(&start, plan)
	ready := planner.Hold(&best, plan)
	planner.Lay(&best, ready, plan)
	planner.Wake(&best, plan)
	planner.Take(&best, plan)
}

// start has job j hold the cluster of spotDNN's search, for good.
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
