package launchers

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// SageMakerSpot runs a job as managed spot training of SageMaker does (SageMaker developer guide, "Managed Spot
// Training", as of 2026): instances of one type, which wait for spot and restart from the last save, never on demand,
// until MaxWaitTimeInSeconds are over; the job ends unfinished then. SIGTERM comes at the notice: it saves. How often
// capacity is asked for is not published, and the price is that of EC2's spot, where SageMaker has one of its own.
type SageMakerSpot struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"InstanceCount; 0 takes as many as the job uses"`
	MaxWait   time.Duration `set:"max_wait_s" min:"0" max:"31536000" doc:"MaxWaitTimeInSeconds: waiting and running, over all attempts; 0: until the deadline"`
	Ask       time.Duration `set:"ask_s" min:"1" max:"3600" doc:"time until capacity that was not there is asked for again" assumed:"not published"`

	saver policyutil.LossSaver
}

// NewSageMakerSpot returns the policy with what is assumed.
func NewSageMakerSpot() *SageMakerSpot { return &SageMakerSpot{Ask: time.Minute} }

// Name implements sim.Policy.
func (*SageMakerSpot) Name() string { return "sagemaker-spot" }

// sageJob is what is remembered of a job.
type sageJob struct {
	cluster
	pools int
	home  int // the pool that is asked; none
}

// NewState implements sim.Stateful.
func (s *SageMakerSpot) NewState(from, used any) any {
	return policyutil.NewMemory[sageJob, *sageJob](s, from, used)
}

// Pools implements policyutil.Kept.
func (k *sageJob) Pools() int { return k.pools }

// Restart implements policyutil.Kept.
func (k *sageJob) Restart(pools int) {
	*k = sageJob{pools: pools, home: none, cluster: cluster{pool: none}}
}

// CopyFrom implements policyutil.Kept.
func (k *sageJob) CopyFrom(src *sageJob) { *k = *src }

// Decide implements sim.Policy.
func (s *SageMakerSpot) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[sageJob, *sageJob])
	for _, j := range v.ActiveJobs() {
		k := memory.Job(j, v.Pools())
		t := turn{View: v, plan: plan, j: j, hold: plan.Jobs[j].Hold, cluster: &k.cluster}
		limit := v.Job(j).Deadline()
		if s.MaxWait > 0 {
			limit = v.Job(j).Submitted().Add(s.MaxWait)
		}
		if !t.waits(limit) {
			plan.Jobs[j].Done = true
			plan.Jobs[j].GivenUp = true
			plan.SetReason("MaxWaitTimeInSeconds are over: the job ends")
			continue
		}
		s.decide(&t, k)
		s.saver.Save(v, j, plan)
	}
}

func (s *SageMakerSpot) decide(t *turn, k *sageJob) {
	if k.home == none {
		k.nodes = sizeOf(t.View, t.j, s.Instances, false)
		idleOn(t.View, t.j, t.plan)
		for p := range t.Pools() {
			spot := !t.Pool(p).OnDemand && t.Pool(p).Wait == 0
			if spot && t.fits(p) && (k.home == none || t.Price(p) < t.Price(k.home)) {
				k.home = p
			}
		}
	}
	for k.home != none {
		switch t.advance() {
		case nothing:
			return
		case free:
			if !t.fits(k.home) { // another job has the quota
				t.pause(s.Ask)
				continue
			}
			t.ask(k.home)
			t.plan.SetReason("asks for spot")
			return
		case refused:
			t.pause(s.Ask)
		case failed, seenLoss:
			t.plan.SetReason("interrupted: waits for spot")
			t.release()
			t.pause(0)
		}
	}
}
