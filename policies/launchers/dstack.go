package launchers

import (
	"slices"
	"strings"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Dstack submits a run as dstack does (src/dstack/_internal/server at commit 511c318c of 21 August 2026): the offers by
// price, spot and on demand in one list, each asked once; without capacity, or after a loss, all of it again after a
// delay, as long as the limit of the retries allows. A loss counts once the instance is unreachable for two minutes, no
// notice is used, and at the end the instances stay for a while, and are paid. A fleet is assumed that allows spot and
// any number of instances.
type Dstack struct {
	Instances int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"nodes: instances of one pool that the job trains on; 0 takes as many as it uses"`
	Spot      SpotPolicy    `set:"spot_policy" names:"auto,spot,on-demand" doc:"which offers count, by price alone" assumed:"the tool's own default is on-demand"`
	Retry     bool          `set:"retry" doc:"a run is submitted again without capacity, after an interruption and after an error" assumed:"the tool's own default is that the first loss ends the run"`
	RetryOn   RetryEvents   `set:"retry_on" names:"all,no-capacity,interruption,error,no-capacity+interruption,no-capacity+error,interruption+error" doc:"retry.on_events: what it is retried after"`
	Duration  time.Duration `set:"retry_s" min:"0" max:"31536000" doc:"how long it is, from the submission, or from the end of the last run that had instances"`
	MaxPrice  float64       `set:"max_price" min:"0" max:"100000" doc:"highest price of an offer, USD per hour of an instance; 0: no limit"`
	Idle      time.Duration `set:"idle_s" min:"0" max:"2592000" doc:"how long instances stay after the end, and are paid"`
	Try       time.Duration `set:"try_s" min:"0" max:"3600" doc:"time until an offer without capacity has refused" assumed:"not published"`
	Loop      time.Duration `set:"loop_s" min:"0" max:"600" doc:"what the loops of the server add to a delay" assumed:"2 to 5 s in its code"`

	saver policyutil.LossSaver
	turn  dstackTurn // scratch
}

// SpotPolicy says which offers of dstack count.
type SpotPolicy string

// What counts beside the default, auto: offers of both kinds.
const (
	SpotOffers     SpotPolicy = "spot"
	OnDemandOffers SpotPolicy = "on-demand"
)

// RetryEvents are events of dstack that a run is retried after, with + between them; by default all.
type RetryEvents string

// RetryEvent is one of them.
type RetryEvent string

// The events of dstack.
const (
	NoCapacity   RetryEvent = "no-capacity"
	Interruption RetryEvent = "interruption"
	RunError     RetryEvent = "error"
)

// unreachable is how long an instance is before it counts as lost (jobs_running.py), and provisioning how long a job
// may take from its submission until it runs. maxOffers is DSTACK_SERVER_MAX_OFFERS_TRIED.
const (
	unreachable  = 2 * time.Minute
	provisioning = 10 * time.Minute
	maxOffers    = 25
)

// delays are the times until a run is submitted again (runs/pending.py); the last one repeats.
var delays = [...]time.Duration{
	15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
}

// NewDstack returns the policy with the constants of dstack, and what is assumed.
func NewDstack() *Dstack {
	return &Dstack{
		Retry: true, Duration: time.Hour, Idle: 5 * time.Minute, Try: 10 * time.Second, Loop: 4 * time.Second,
	}
}

// Name implements sim.Policy.
func (*Dstack) Name() string { return "dstack" }

// dstackJob is what is remembered of a job.
type dstackJob struct {
	cluster
	tried     []bool // pools, in this submission
	offers    int    // tried in it
	begun     bool
	told      bool     // the wait under way is for a refusal
	submitted sim.Time // this submission
	ended     sim.Time // the last submission that had instances; Never: none had
	again     int      // submissions since then
}

// NewState implements sim.Stateful.
func (d *Dstack) NewState(from, used any) any {
	return policyutil.NewMemory[dstackJob, *dstackJob](d, from, used)
}

// Pools implements policyutil.Kept.
func (k *dstackJob) Pools() int { return len(k.tried) }

// Restart implements policyutil.Kept.
func (k *dstackJob) Restart(pools int) {
	if len(k.tried) != pools {
		k.tried = make([]bool, pools)
	}
	clear(k.tried)
	*k = dstackJob{tried: k.tried, cluster: cluster{pool: none}, ended: sim.Never}
}

// CopyFrom implements policyutil.Kept.
func (k *dstackJob) CopyFrom(src *dstackJob) {
	*k = *src
	k.tried = slices.Clone(src.tried)
}

// Decide implements sim.Policy.
func (d *Dstack) Decide(v sim.View, plan *sim.Plan) {
	memory := v.State().(*policyutil.Memory[dstackJob, *dstackJob])
	for _, j := range v.ActiveJobs() {
		t := &d.turn
		t.d = d
		t.k = memory.Job(j, v.Pools())
		t.turn = turn{View: v, plan: plan, j: j, hold: plan.Jobs[j].Hold, cluster: &t.k.cluster}
		t.timing = timing{late: unreachable}
		plan.Jobs[j].Linger = d.Idle
		t.decide()
		d.saver.SaveUnwarned(v, j, plan)
	}
}

// dstackTurn is one decision on one job.
type dstackTurn struct {
	turn
	d *Dstack
	k *dstackJob
}

func (t *dstackTurn) decide() {
	k := t.k
	if !k.begun {
		k.begun = true
		k.nodes = sizeOf(t.View, t.j, t.d.Instances, t.d.Spot != SpotOffers)
		idleOn(t.View, t.j, t.plan)
		t.pause(0)
	}
	for {
		switch t.advance() {
		case nothing:
			if k.phase != starting || t.waits(k.submitted.Add(provisioning)) {
				return
			}
			t.plan.SetReason("provisioning took too long")
			t.end(RunError)
		case free:
			t.submit()
		case refused:
			t.explain(none, k.tried, "refused before")
			k.tried[k.pool] = true
			k.told = true
			t.pause(t.d.Try)
		case started:
			t.plan.SetReason("the job runs")
		case failed: // what is lost while it starts is an error when the time for it is over
			if t.waits(k.submitted.Add(provisioning)) {
				return
			}
			t.plan.SetReason("provisioning took too long")
			t.end(RunError)
		case seenLoss:
			t.plan.SetReason("the loss is seen")
			if t.Pool(k.pool).OnDemand {
				t.end(RunError)
			} else {
				t.end(Interruption)
			}
		}
		if k.phase == asked || t.plan.Jobs[t.j].Done {
			return
		}
	}
}

// submit asks for the next offer of a submission, or begins one.
func (t *dstackTurn) submit() {
	k := t.k
	if !k.told {
		clear(k.tried)
		k.offers = 0
		k.submitted = t.Now()
	}
	k.told = false
	p := t.next()
	if p == none {
		t.resubmit(NoCapacity)
		return
	}
	k.offers++
	t.ask(p)
	t.plan.SetReason("asks the cheapest offer that is left")
	t.explain(p, k.tried, "refused")
}

// next returns the cheapest offer that was not tried.
func (t *dstackTurn) next() int {
	best := none
	for p := range t.Pools() {
		pool := t.Pool(p)
		usd := t.Price(p)
		switch {
		case t.k.offers == maxOffers || t.k.tried[p] || pool.Wait > 0 || !t.fits(p):
		case pool.OnDemand && t.d.Spot == SpotOffers || !pool.OnDemand && t.d.Spot == OnDemandOffers:
		case t.d.MaxPrice > 0 && usd > t.d.MaxPrice:
		case best == none || usd < t.Price(best):
			best = p
		}
	}
	return best
}

// end ends a submission that had instances.
func (t *dstackTurn) end(why RetryEvent) {
	t.release()
	t.k.ended = t.Now()
	t.k.again = 0
	t.resubmit(why)
}

// resubmit waits until the run is submitted again, or ends it.
func (t *dstackTurn) resubmit(why RetryEvent) {
	k := t.k
	since := t.Job(t.j).Submitted()
	if k.ended != sim.Never {
		since = k.ended
	}
	switch {
	case !t.d.retries(why):
		t.plan.SetReason("the run fails: it is not retried after this")
	case t.Now().Sub(since) > t.d.Duration:
		t.plan.SetReason("the run fails: the time for retries is over")
	default:
		delay := delays[min(k.again, len(delays)-1)] + t.d.Loop
		k.again++
		t.plan.AddInput("delay until the run is submitted again", delay.Seconds(), "s")
		t.pause(delay)
		return
	}
	t.plan.Jobs[t.j].Done = true
	t.plan.Jobs[t.j].GivenUp = true
}

// retries reports whether a run is retried after an event.
func (d *Dstack) retries(why RetryEvent) bool {
	all := d.RetryOn == "" || d.RetryOn == "all"
	return d.Retry && (all || slices.Contains(strings.Split(string(d.RetryOn), "+"), string(why)))
}
