package schedulers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/marigram/marigram/policies/schedulers/kueue"
	"github.com/marigram/marigram/sim"
)

// QuotaClaim is what a job asks for by the rules of Kueue: what its user says beside its GPUs (sim.Job.Claim).
type QuotaClaim struct {
	Quotas   *Quotas
	Queue    string // LocalQueue
	Cluster  string // its ClusterQueue
	Priority int32
}

// Kueue admits jobs as the scheduler of Kueue does, by quotas of queues that lend to one another (package kueue). A job
// that is admitted waits for the GPUs of its flavor, as pods do, where there are fewer than the quotas say; where the
// market takes its instances it goes back to its old place in its queue (an eviction by the failure of a node). Quotas
// do not follow what the market has.
type Kueue struct {
	Placement Placement `set:"placement" names:"anywhere,consolidated,closest" doc:"which GPUs of its flavor a job may have: anywhere, consolidated (as few servers as it fills, at one switch; it waits for them) or closest (those that are free, as close together as they are: one server, one rack, and so on)"`
	// Evict is how long the pods of a preempted job take to leave: their quota is held so long. 30 s is the grace
	// period of Kubernetes (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination).
	Evict time.Duration `set:"evict_s" min:"0" max:"86400" doc:"time from a preemption until the quota of the victim is free; 0: at once, with which two jobs can preempt one another for ever"`
}

// NewKueue returns the scheduler with the defaults of Kubernetes.
func NewKueue() *Kueue { return &Kueue{Evict: 30 * time.Second} }

// Name implements sim.Policy.
func (*Kueue) Name() string { return "kueue" }

// Traits says what the policy is.
func (*Kueue) Traits() sim.Traits { return sim.Traits{Plans: sim.ByParts, KnowsModels: true} }

// RentsOnDemand says that it takes what is on demand, for flavors that are.
func (*Kueue) RentsOnDemand() bool { return true }

// CheckClaim reports what is missing in what jobs ask for, and flavors that are to be what the market has not.
func (*Kueue) CheckClaim(claim any, market *sim.Market) error {
	of, is := claim.(*QuotaClaim)
	if !is {
		return errors.New("policy kueue needs the quotas of a cluster, " +
			"expected jobs.kueue: [FILE], the YAML of Kueue's objects")
	}
	return of.Quotas.checkFlavors(market)
}

// kueueState is what it remembers of a run.
type kueueState struct {
	gpus         gpus
	quotas       *Quotas
	cluster      *kueue.Cluster
	releases     limitHeap
	resizes      limitHeap // that are to come; the stamp is which of the job's
	resized      int       // jobs in Quotas.Resizes that were submitted
	stamps       []int     // by job: how often it was admitted, preempted or ended
	preempted    []int     // by job: how often
	mostOften    int       // of them
	mostOftenJob string
	starting     []int // admitted jobs without GPUs, in the order of their admission
	backed       []flavorPools
	atOnce       bool       // quota of victims is free at once
	unnamed      []string   // flavors of several that nothing in the market is called after
	larger       string     // the first job that could have more GPUs than it asks for
	job          kueue.Job  // scratch
	whole        QuotaClaim // of jobs without a claim, on a cluster of so many GPUs
	wholeGPUs    int
}

// NewState implements sim.Stateful.
func (*Kueue) NewState(from, used any) any {
	if was, ok := from.(*kueueState); ok {
		return was.clone()
	}
	if s, own := used.(*kueueState); own {
		s.gpus = s.gpus.empty()
		s.releases = s.releases[:0]
		s.resizes = s.resizes[:0]
		s.resized = 0
		s.stamps = s.stamps[:0]
		s.preempted = s.preempted[:0]
		s.mostOften = 0
		s.starting = s.starting[:0]
		s.backed = s.backed[:0]
		s.unnamed = s.unnamed[:0]
		s.larger = ""
		if s.cluster != nil {
			s.cluster.Reset()
		}
		return s
	}
	return &kueueState{}
}

func (s *kueueState) clone() *kueueState {
	made := *s
	made.gpus = s.gpus.clone()
	made.releases = append(limitHeap(nil), s.releases...)
	made.resizes = append(limitHeap(nil), s.resizes...)
	made.stamps = append([]int(nil), s.stamps...)
	made.preempted = append([]int(nil), s.preempted...)
	made.starting = append([]int(nil), s.starting...)
	made.unnamed = append([]string(nil), s.unnamed...)
	made.job = kueue.Job{}
	if s.cluster != nil {
		made.cluster = s.cluster.Clone()
	}
	return &made
}

// thrashes is how often a job is preempted for a run to say so.
const thrashes = 10

// Warnings says what a run left to names, and which jobs were preempted again and again.
func (s *kueueState) Warnings() (texts []string) {
	if s.cluster == nil {
		return nil
	}
	if len(s.unnamed) > 0 {
		texts = append(texts, fmt.Sprintf("no GPU, type or market is called %s: "+
			"the quota there is on all GPUs that are not on demand, with that of other flavors "+
			"(jobs.kueue_flavors says what a flavor is)", strings.Join(s.unnamed, " or ")))
	}
	if all := len(s.quotas.Resizes); s.resized < all {
		text := fmt.Sprintf("jobs.kueue_resizes is of %d jobs, of which %d are in the run", all, s.resized)
		texts = append(texts, text)
	}
	if s.larger != "" {
		texts = append(texts, fmt.Sprintf("max_gpus of job %s changes nothing: "+
			"Kueue admits a job with its gpus, or with fewer down to min_gpus", s.larger))
	}
	if n := s.cluster.Ties(); n > 0 {
		texts = append(texts, fmt.Sprintf("%d times the order of two jobs, of the same priority and second, "+
			"was open in Kueue: it went by name", n))
	}
	if s.mostOften >= thrashes {
		texts = append(texts, fmt.Sprintf("job %s was preempted %d times: "+
			"in a cluster its pods start and are killed again and again", s.mostOftenJob, s.mostOften))
	}
	return texts
}

// kueueFailure is why a run cannot go on.
type kueueFailure struct{ error }

// PolicyFailed marks it as the policy's, not the simulator's.
func (*kueueFailure) PolicyFailed() {}

// mustKueue ends the run with an error.
func mustKueue(at sim.Time, err error) {
	if err != nil {
		panic(&kueueFailure{fmt.Errorf("policy kueue at %v s: %w", at.Seconds(), err)})
	}
}

// Decide implements sim.Policy.
func (k *Kueue) Decide(v sim.View, plan *sim.Plan) {
	s := v.State().(*kueueState)
	s.gpus.rents = true
	s.gpus.setUp(v)
	changed := s.releaseLeft(v)
	for _, change := range v.JobChanges() {
		switch change.What {
		case sim.JobSubmitted:
			k.submit(v, plan, s, change.Job)
			changed = true
		case sim.JobFinished, sim.JobLost:
			s.gpus.freeAll(plan, change.Job)
			s.cluster.Finish(numberOf(change.Job))
			s.forgetResizes(change.Job)
			s.forget(change.Job)
			changed = true
		}
	}
	s.gpus.watch(v, plan, k.Placement, func(j int) {
		s.gpus.stop(plan, j)
		s.cluster.Release(numberOf(j))
		s.forget(j)
		changed = true
	})
	changed = k.resizeDue(v, plan, s) || changed
	if changed {
		err := s.cluster.Settle(int64(v.Now().Seconds()), func(e kueue.Event) {
			e.Job = jobOf(e.Job)
			s.forget(e.Job)
			switch e.Kind {
			case kueue.Admitted:
				s.starting = append(s.starting, e.Job)
			case kueue.Preempted:
				s.gpus.stop(plan, e.Job)
				s.countPreemption(v, e.Job)
				if k.Evict > 0 {
					s.releases.push(limit{at: v.Now().Add(k.Evict), job: e.Job, stamp: s.stamps[e.Job]})
				}
			}
		})
		mustKueue(v.Now(), err)
	}
	s.start(v, plan, k.Placement)
	for _, coming := range [...]limitHeap{s.releases, s.resizes} {
		if len(coming) > 0 {
			plan.WakeIn(coming[0].at.Sub(v.Now()))
		}
	}
	if plan.Recorded() {
		s.say(v, plan)
	}
}

// releaseLeft gives back the quota of jobs whose pods have left, and reports whether there were any.
func (s *kueueState) releaseLeft(v sim.View) (any bool) {
	for len(s.releases) > 0 && s.releases[0].at <= v.Now() {
		next := s.releases.pop()
		if s.stamps[next.job] == next.stamp {
			s.cluster.Release(numberOf(next.job))
			any = true
		}
	}
	return any
}

// forget has nothing wait for a job any more.
func (s *kueueState) forget(j int) {
	s.stamps[j]++
	for i, other := range s.starting {
		if other == j {
			s.starting = append(s.starting[:i], s.starting[i+1:]...)
			return
		}
	}
}

// countPreemption notes the job that is preempted most often.
func (s *kueueState) countPreemption(v sim.View, j int) {
	s.preempted[j]++
	if s.preempted[j] > s.mostOften {
		s.mostOften = s.preempted[j]
		s.mostOftenJob = v.Job(j).Name()
	}
}

// submit puts a job into its queue, or has it admitted where it runs already.
func (k *Kueue) submit(v sim.View, plan *sim.Plan, s *kueueState, j int) {
	claim, is := v.Job(j).Claim().(*QuotaClaim)
	if !is {
		claim = s.wholeCluster()
	}
	if s.cluster == nil || s.quotas != claim.Quotas || s.atOnce != (k.Evict == 0) {
		config := claim.Quotas.Config
		config.ReleaseAtOnce = k.Evict == 0
		cluster, err := kueue.New(config)
		mustKueue(v.Now(), err)
		s.cluster = cluster
		s.quotas = claim.Quotas
		s.atOnce = config.ReleaseAtOnce
	}
	if len(s.backed) == 0 {
		s.findFlavors(v)
	}
	for len(s.stamps) <= j {
		s.stamps = append(s.stamps, 0)
		s.preempted = append(s.preempted, 0)
	}
	s.preempted[j] = 0
	of := s.gpus.meet(v, plan, j, k.Placement)
	gpus, resized := s.comingResizes(v, j, claim, of.gang)
	job := s.describe(v, j, claim, gpus)
	if resized {
		job.PodSets[0].Min = 0 // Kueue has either
	}
	if plan.Held(j) == 0 {
		mustKueue(v.Now(), s.cluster.Submit(numberOf(j), job))
		return
	}
	mustKueue(v.Now(), s.cluster.Admit(numberOf(j), job, s.flavorOf(firstHeld(plan, j)), int64(plan.Held(j))))
}

// describe says what a job is in Kueue that asks for a number of GPUs.
func (s *kueueState) describe(v sim.View, j int, claim *QuotaClaim, gpus int) *kueue.Job {
	job := &s.job
	job.Name = v.Job(j).Name()
	job.Queue = claim.Cluster
	job.Priority = claim.Priority
	job.Created = int64(v.Job(j).Submitted().Seconds())
	if job.PodSets == nil {
		job.PodSets = []kueue.PodSet{{Name: "main", Requests: []kueue.Request{{Amount: 1}}}}
	}
	set := &job.PodSets[0]
	least, _ := sim.RangeOf(gang(v, j))
	set.Count = int64(gpus)
	set.Min = int64(min(least, gpus))
	set.Requests[0] = kueue.Request{Resource: claim.Quotas.Resource, Amount: claim.Quotas.each()}
	set.Flavors = s.runsOn(v, j, set.Flavors[:0])
	return job
}

// wholeCluster is the claim of jobs without one: a queue for all, with the quota of the cluster.
func (s *kueueState) wholeCluster() *QuotaClaim {
	if s.whole.Quotas != nil && s.wholeGPUs == s.gpus.all {
		return &s.whole
	}
	s.wholeGPUs = s.gpus.all
	quota := kueue.Quota{Nominal: int64(s.gpus.all), Borrowing: kueue.NoLimit, Lending: kueue.NoLimit}
	flavor := kueue.FlavorQuotas{Flavor: "all", Quotas: []kueue.Quota{quota}}
	group := kueue.Group{Resources: []string{"gpu"}, Flavors: []kueue.FlavorQuotas{flavor}}
	queue := kueue.ClusterQueue{Name: "all", Groups: []kueue.Group{group}, Weight: 1}
	quotas := &Quotas{Config: kueue.Config{Queues: []kueue.ClusterQueue{queue}}, Resource: "gpu"}
	s.whole = QuotaClaim{Quotas: quotas, Queue: "all", Cluster: "all"}
	return &s.whole
}

// start gives admitted jobs the GPUs of their flavors, in the order of their admission; one that finds too few waits.
func (s *kueueState) start(v sim.View, plan *sim.Plan, where Placement) {
	left := s.starting[:0]
	for _, j := range s.starting {
		flavor := s.cluster.Flavor(numberOf(j), 0, s.quotas.Resource)
		s.gpus.partOf[j] = 0
		for i := range s.backed {
			if s.backed[i].flavor == flavor && len(s.gpus.models) > 1 {
				s.gpus.partOf[j] = int32(s.gpus.findPart(gang(v, j), s.backed[i].models))
			}
		}
		pods := int(s.cluster.Pods(numberOf(j), 0))
		held := plan.Held(j)
		if held == 0 && !s.gpus.place(plan, j, pods, where) || held > 0 && !s.gpus.grow(plan, j, pods-held) {
			left = append(left, j)
		}
	}
	s.starting = left
}

// saidQueues is of how many queues a recorder hears what they use.
const saidQueues = 64

// say says what queues use of their quotas, and why the jobs wait, in Kueue's words.
func (s *kueueState) say(v sim.View, plan *sim.Plan) {
	if s.quotas == nil {
		return
	}
	for i := range s.quotas.Config.Queues[:min(len(s.quotas.Config.Queues), saidQueues)] {
		name := s.quotas.Config.Queues[i].Name
		used, nominal := s.cluster.Use(name, s.quotas.Resource)
		each := float64(s.quotas.each())
		plan.AddInput(name, float64(used)/each, "GPUs used")
		plan.AddInput(name, float64(nominal)/each, "GPUs nominal")
	}
	say(v, plan, "Kueue admits within quotas", func(j, gpus, _ int) string {
		for _, other := range s.starting {
			if other != j {
				continue
			}
			pods := int(s.cluster.Pods(numberOf(j), 0))
			flavor := s.cluster.Flavor(numberOf(j), 0, s.quotas.Resource)
			if pods < gpus {
				return fmt.Sprintf("admitted in flavor %s with %d of %d GPUs: it waits for them there",
					flavor, pods, gpus)
			}
			return fmt.Sprintf("admitted in flavor %s: it waits for %d GPUs there", flavor, pods)
		}
		return s.cluster.Explain(numberOf(j))
	})
}
