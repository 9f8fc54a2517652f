package schedulers

import (
	"slices"
	"time"

	"github.com/marigram/marigram/sim"
)

// Patience says how long a job waits for the cluster before it goes to the cloud.
type Patience string

// The patiences, by what Starburst.Factor is multiplied with; the empty one is Constant.
const (
	Constant     Patience = "constant"  // hours
	PerRuntime   Patience = "runtime"   // the job's run time
	PerGPU       Patience = "gpus"      // hours and the job's GPUs
	PerGPUHour   Patience = "gpu-hours" // the job's GPU-hours: Starburst's own
	WithoutLimit Patience = "endless"   // there is no cloud
)

// Starburst (ATC 2024; michaelzhiluo/starburst at 39a380a) serves jobs first come first served on a fixed cluster and
// sends those that wait too long to the cloud: the market's pools on demand. A job for which they have no room goes
// on waiting, and takes what comes first. It knows how long jobs run, at a speed of 1. Starburst's further options (a
// longest queue, long jobs that begin in the cloud and come back) are left out, and so they are of its recorded runs.
type Starburst struct {
	Patience Patience `set:"patience" names:"constant,runtime,gpus,gpu-hours,endless" doc:"what factor is multiplied with: the job's GPU-hours, one hour, its run time, or its GPUs and one hour; endless: never to the cloud"`
	Factor   float64  `set:"factor" min:"0" max:"1000000" doc:"how long a job waits for the cluster before it goes to the cloud: times what patience says, in hours"`
	// Backfill passes over a job that does not fit, else it keeps those behind it waiting.
	Backfill bool `set:"backfill" doc:"passes over a job that does not fit; else it keeps those behind it waiting"`
}

// NeedsOnDemand reports whether it sends jobs to the cloud.
func (s *Starburst) NeedsOnDemand() bool { return s.Patience != WithoutLimit }

// Name implements sim.Policy.
func (*Starburst) Name() string { return "starburst" }

// Traits says what the policy is.
func (*Starburst) Traits() sim.Traits {
	return sim.Traits{Plans: sim.ByParts, KnowsModels: true, KnowsWork: true}
}

// RentsOnDemand reports whether it takes anything on demand.
func (s *Starburst) RentsOnDemand() bool { return s.NeedsOnDemand() }

// burst is what Starburst remembers: who waits, and until when.
type burst struct {
	queueing
	cloud  int // the first pool on demand, none if there is none
	until  limitHeap
	stamps []int      // by job: of its place in until
	due    []int      // jobs that have waited too long, in the order in which they are to go to the cloud
	full   []sim.Time // by pool: until when it is not asked, as it did not grant a gang
	room   []int      // scratch, by pool: GPUs on demand that nobody has
}

// NewState implements sim.Stateful.
func (*Starburst) NewState(from, used any) any {
	if was, ok := from.(*burst); ok {
		return &burst{
			queueing: queueing{gpus: was.gpus.clone(), line: was.line.clone(), where: was.where},
			cloud:    was.cloud,
			until:    slices.Clone(was.until),
			stamps:   slices.Clone(was.stamps),
			due:      slices.Clone(was.due),
			full:     slices.Clone(was.full),
		}
	}
	if b, own := used.(*burst); own {
		b.empty()
		b.cloud = 0
		b.until = b.until[:0]
		b.stamps = b.stamps[:0]
		b.due = b.due[:0]
		b.full = b.full[:0]
		return b
	}
	return &burst{}
}

// Decide implements sim.Policy. A job whose patience is 0 is tried once.
func (s *Starburst) Decide(v sim.View, plan *sim.Plan) {
	b := v.State().(*burst)
	if len(b.gpus.free) == 0 {
		b.gpus.setUp(v)
		b.where = Consolidated
		b.cloud = firstOnDemand(v)
		b.full = append(b.full[:0], make([]sim.Time, v.Pools())...)
	}
	for _, change := range v.JobChanges() {
		if change.What == sim.JobFinished || change.What == sim.JobLost {
			b.end(plan, change.Job)
		}
	}
	b.gpus.watch(v, plan, Consolidated, func(j int) {
		b.gpus.stop(plan, j)
		s.enqueue(v, b, plan, j, true)
	})
	b.countRoom(v)
	b.takeBack(v, plan)
	b.sendDue(v, plan)
	for _, change := range v.JobChanges() {
		if change.What == sim.JobSubmitted {
			s.enqueue(v, b, plan, change.Job, false)
		}
	}
	for sent := true; sent; sent = b.sendDue(v, plan) {
		b.start(plan, s.Backfill)
	}
	if plan.Recorded() {
		b.say(v, plan, s.Backfill, "; jobs that have waited too long go to the cloud", s.cloudLater(b))
	}
	if b.cloud != none && len(b.until) > 0 {
		plan.WakeIn(b.until[0].at.Sub(v.Now()))
	}
	for _, until := range b.full {
		if until > v.Now() && len(b.due) > 0 {
			plan.WakeIn(until.Sub(v.Now()))
		}
	}
}

// countRoom counts the room in the cloud.
func (b *burst) countRoom(v sim.View) {
	b.room = zeros(b.room, v.Pools())
	for p := max(b.cloud, 0); b.cloud != none && p < v.Pools(); p++ {
		if v.Pool(p).OnDemand && b.full[p] <= v.Now() {
			b.room[p] = v.Free(p)
		}
	}
}

// takeBack puts jobs back into the queue to which the cloud did not grant all their GPUs, or that lost some there.
// They are first to go there again.
func (b *burst) takeBack(v sim.View, plan *sim.Plan) {
	taken := 0
	for _, j := range v.ActiveJobs() {
		p := firstHeld(plan, j)
		if p == none || !b.gpus.rented[p] || !holdsPart(v, plan, j) {
			continue
		}
		b.full[p] = v.Now().Add(fullAgain)
		b.room[p] = 0
		plan.Stop(j)
		b.line.push(j, b.gpus.meet(v, plan, j, b.where), true)
		b.due = slices.Insert(b.due, taken, j)
		taken++
	}
}

// cloudLater says what becomes of jobs that wait.
func (s *Starburst) cloudLater(b *burst) string {
	if b.cloud == none || !s.NeedsOnDemand() {
		return ""
	}
	return "; it goes to the cloud when it has waited too long and there is room"
}

// firstOnDemand returns the first pool on demand, none if there is none.
func firstOnDemand(v sim.View) int {
	for p := range v.Pools() {
		if v.Pool(p).OnDemand {
			return p
		}
	}
	return none
}

// sendDue sends the jobs whose patience is over to the cloud, as far as it has room, and reports whether any went.
func (b *burst) sendDue(v sim.View, plan *sim.Plan) bool {
	for len(b.until) > 0 && b.until[0].at <= v.Now() {
		next := b.until.pop()
		if b.stamps[next.job] == next.stamp && b.line.waits(next.job) {
			b.due = append(b.due, next.job)
		}
	}
	stay := b.due[:0]
	sent := false
	for _, j := range b.due {
		if !b.line.waits(j) {
			continue // it has GPUs of the cluster, or is over
		}
		p := b.findCloud(v, j)
		if p == none {
			stay = append(stay, j)
			continue
		}
		n := gang(v, j).Gang()
		b.room[p] -= n
		b.line.remove(j)
		plan.Place(j, p, n)
		sent = true
	}
	b.due = stay
	return sent
}

// findCloud returns the first pool on demand on which a job runs and that has room for all of it, none if there is
// none.
func (b *burst) findCloud(v sim.View, j int) int {
	model := gang(v, j)
	for p := max(b.cloud, 0); b.cloud != none && p < v.Pools(); p++ {
		if b.room[p] >= model.Gang() && b.gpus.runsOn(model, p) {
			return p
		}
	}
	return none
}

// enqueue puts a job at the end of the queue, or at its front, and starts its patience.
func (s *Starburst) enqueue(v sim.View, b *burst, plan *sim.Plan, j int, front bool) {
	of := b.gpus.meet(v, plan, j, b.where)
	if plan.Held(j) > 0 {
		return // it runs, on a cluster that was taken over
	}
	b.line.push(j, of, front)
	for len(b.stamps) <= j {
		b.stamps = append(b.stamps, 0)
	}
	b.stamps[j]++
	if s.Patience != WithoutLimit && b.cloud != none {
		b.until.push(limit{v.Now().Add(s.patience(gang(v, j))), j, b.stamps[j]})
	}
}

// patience is how long a job waits.
func (s *Starburst) patience(g sim.GangModel) time.Duration {
	hours := s.Factor
	switch s.Patience {
	case PerRuntime:
		hours *= g.Work() / 3600
	case PerGPU:
		hours *= float64(g.Gang())
	case PerGPUHour:
		hours *= float64(g.Gang()) * (g.Work() / 3600)
	}
	return time.Duration(hours * float64(time.Hour))
}
