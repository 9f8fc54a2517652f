package launchers

import (
	"math"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// RayElastic trains as Ray Train v2 does with ScalingConfig(num_workers=(min, max)) (scaling_policy/elastic.py at
// 68262cc7, controller.py at 01b6c7aa): it starts at once with the workers that are there, once they are Min; after a
// loss it starts again with those that are left, and at most once in an interval it changes their number to what is
// there. Each start and each change goes back to the last save, also one that only grows. An instance is a worker.
//
// What comes is the autoscaler's business. Assumed: it asks all spot pools at once for what is missing of Max, and
// gives the dearest back that are too many. The loss of any instance that was ready is taken for one of the group.
type RayElastic struct {
	Interval    time.Duration `set:"interval_s" min:"2" max:"86400" doc:"elastic_resize_monitor_interval_s: least time between a start of the group, or the last look, and a look at whether its size changes"`
	Min         int           `set:"min" min:"0" max:"4096" doc:"least number of workers; 0: half of max, rounded up" assumed:"a script has to give it"`
	Max         int           `set:"max" min:"0" max:"4096" holds:"all" doc:"largest number of workers; 0: as many as the job uses"`
	Detect      time.Duration `set:"detect_s" min:"0" max:"3600" doc:"time until a lost node is seen" assumed:"not published"`
	MaxFailures int           `set:"max_failures" min:"-1" max:"10000" doc:"failures before the run ends unfinished; -1: any number" assumed:"FailureConfig has 0: the first failure ends the run"`
	Start       time.Duration `set:"start_s" min:"0" max:"86400" doc:"time to start the group, beyond what the job's restart takes" assumed:"not published"`
	Notice      NoticeUse     `set:"notice" names:"ignored,saves" doc:"ignored: as until the middle of 2026; saves: the train function saves at a notice" assumed:"it depends on the script"`

	saver policyutil.LossSaver
	trial policyutil.Trial
}

// NoticeUse says what Ray Train does at a notice; by default nothing.
type NoticeUse string

// SavesAtNotice has the train function save at a notice.
const SavesAtNotice NoticeUse = "saves"

// The turns of the controller: without a group, and with one (controller.py).
const (
	idleTurn    = time.Second
	runningTurn = 2 * time.Second
)

// NewRayElastic returns the policy with the constants of Ray Train, and what is assumed.
func NewRayElastic() *RayElastic {
	return &RayElastic{Interval: time.Minute, Detect: 15 * time.Second, MaxFailures: -1}
}

// Name implements sim.Policy.
func (*RayElastic) Name() string { return "ray-elastic" }

// rayEvent is what a controller does at a turn.
type rayEvent uint8

const (
	rayWaits rayEvent = iota
	rayStarts
	rayStartFailed
	rayResizes
	rayFails
	rayErrs
)

// rayGroup is the group of workers of a job, and the controller's state.
type rayGroup struct {
	least, most int
	workers     int      // 0: no group
	from        sim.Time // without a group: of which its turns are counted
	started     sim.Time // since when the group is, or will be, there
	up          bool     // it is
	considered  sim.Time // the last look at its size
	lostAt      sim.Time // of a loss that is not seen yet; Never
	failures    int
}

// turn returns what the controller does now, with so many workers possible, and when it is to be asked next if nothing
// else happens. It is asked at each change of what is possible and at that instant; of several events at one instant
// one by one, until it waits.
func (r *RayElastic) turn(g *rayGroup, now sim.Time, possible int) (what rayEvent, next sim.Time) {
	possible = min(possible, g.most)
	switch {
	case g.workers == 0:
		if at := turnAt(g.from, now, idleTurn); at > now {
			return rayWaits, at
		}
		if possible < g.least {
			return rayWaits, sim.Never
		}
		r.begin(g, now, possible)
		return rayStarts, now
	case !g.up && now < g.started:
		return rayWaits, g.started
	case !g.up && possible < g.workers:
		g.workers = 0
		g.from = now
		return rayStartFailed, now
	}
	g.up = true
	next = sim.Never
	if g.lostAt != sim.Never {
		next = turnAt(g.started, g.lostAt.Add(r.Detect), runningTurn)
		if now >= next {
			g.workers = 0
			g.from = now
			g.failures++
			if r.MaxFailures >= 0 && g.failures > r.MaxFailures {
				return rayErrs, sim.Never
			}
			return rayFails, now
		}
	}
	look := turnAt(g.started, max(g.started, g.considered).Add(r.Interval), runningTurn)
	for look < now { // it found nothing to change
		g.considered = look
		look = turnAt(g.started, look.Add(r.Interval), runningTurn)
	}
	if possible == g.workers || possible < g.least {
		return rayWaits, next
	}
	if now < look {
		return rayWaits, min(next, look)
	}
	g.considered = now
	r.begin(g, now, possible)
	return rayResizes, now
}

// begin begins to start a group.
func (r *RayElastic) begin(g *rayGroup, now sim.Time, workers int) {
	g.workers = workers
	g.started = now.Add(r.Start)
	g.up = false
	g.lostAt = sim.Never
}

// explainWait gives a decision without a reason one.
func (g *rayGroup) explainWait(plan *sim.Plan) {
	switch {
	case plan.Reason() != "":
	case g.workers == 0:
		plan.SetReason("no group: fewer workers than min are there")
	case g.lostAt != sim.Never:
		plan.SetReason("an instance is gone; the tool has not seen it")
	case !g.up:
		plan.SetReason("the group starts")
	default:
		plan.SetReason("the group runs: its size is looked at once in interval_s")
	}
}

// turnAt returns the first turn at or after an instant, of those that are every apart from another one on.
func turnAt(from, at sim.Time, every time.Duration) sim.Time {
	return from.Add((max(at.Sub(from), 0) + every - 1) / every * every)
}

// rayJob is what is remembered of a job.
type rayJob struct {
	rayGroup
	pools   int
	begun   bool
	resized bool // since it last trained
	losses  int
}

// NewState implements sim.Stateful.
func (r *RayElastic) NewState(from, used any) any {
	return policyutil.NewMemory[rayJob, *rayJob](r, from, used)
}

// Pools implements policyutil.Kept.
func (k *rayJob) Pools() int { return k.pools }

// Restart implements policyutil.Kept.
func (k *rayJob) Restart(pools int) { *k = rayJob{pools: pools, rayGroup: rayGroup{lostAt: sim.Never}} }

// CopyFrom implements policyutil.Kept.
func (k *rayJob) CopyFrom(src *rayJob) { *k = *src }

// Decide implements sim.Policy.
func (r *RayElastic) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[rayJob, *rayJob])
	for _, j := range v.ActiveJobs() {
		r.decide(v, j, memory.Job(j, v.Pools()), plan)
		if r.Notice == SavesAtNotice {
			r.saver.Save(v, j, plan)
		} else {
			r.saver.SaveUnwarned(v, j, plan)
		}
	}
}

// leastThatTrains returns the least number of instances, of some to most, on which job j trains.
func (r *RayElastic) leastThatTrains(v sim.View, j, least, most int) int {
	job := v.Job(j)
	for ; least < most; least++ {
		if s, _ := r.trial.Train(job.Model(), job.Objective(), job.Servers(), least); !math.IsInf(s, 1) {
			break
		}
	}
	return least
}

// measure takes in how many workers a job may have.
func (r *RayElastic) measure(v sim.View, j int, k *rayJob) {
	k.begun = true
	k.from = v.Now()
	k.most = mostOf(v, j, r.Max)
	k.least = r.Min
	if r.Min == 0 {
		k.least = (k.most + 1) / 2
	}
	k.least = r.leastThatTrains(v, j, k.least, k.most)
}

// hold has the group train, if it is up and no loss is unseen, and else wait on what it has.
func (k *rayJob) hold(v sim.View, j int, plan *sim.Plan) {
	if !k.up || k.lostAt != sim.Never {
		idleOn(v, j, plan)
		return
	}
	train(v, j, k.workers, plan)
	if k.resized {
		k.resized = false
		plan.Jobs[j].Restart = true
		plan.AskAgain() // the next change may be no restart
	}
}

// decide follows the group of a job until it waits for something.
func (r *RayElastic) decide(v sim.View, j int, k *rayJob, plan *sim.Plan) {
	if !k.begun {
		r.measure(v, j, k)
		idleOn(v, j, plan)
	}
	policyutil.RequestSpot(v, j, k.most, plan)
	plan.Jobs[j].Restart = false
	if losses := v.Job(j).Losses(); losses > k.losses {
		k.losses = losses
		if k.up && k.lostAt == sim.Never {
			k.lostAt = v.Now()
			idleOn(v, j, plan)
			plan.SetReason("an instance is gone; the tool has not seen it")
		}
	}
	possible := 0
	for p := range v.Pools() {
		held := v.Held(j, p)
		possible += held.Ready + held.Noticed
	}
	for {
		what, next := r.turn(&k.rayGroup, v.Now(), possible)
		switch what {
		case rayStarts:
			plan.SetReason("starts the group on what is there")
		case rayResizes:
			plan.SetReason("changes the size of the group: back to the last save")
			k.resized = true
		case rayStartFailed:
			plan.SetReason("an instance went while the group started")
		case rayFails:
			plan.SetReason("the loss is seen: starts again")
		case rayErrs:
			plan.SetReason("more failures than max_failures: the run ends")
			plan.Jobs[j].Done = true
			plan.Jobs[j].GivenUp = true
			return
		case rayWaits:
			if next != sim.Never {
				plan.WakeIn(next.Sub(v.Now()))
			}
			k.explainWait(plan)
			k.hold(v, j, plan)
			return
		}
		plan.AddInput("workers possible", float64(possible), "")
		plan.AddInput("workers of the group", float64(k.workers), "")
	}
}
