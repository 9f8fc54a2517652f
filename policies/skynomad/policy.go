package skynomad

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Policy is SkyNomad (NSDI 2027) in the world of pools, on any traces: one job with a
// deadline on instances that are alike, wherever an hour of progress is worth most more
// than it costs. It knows of a zone what it saw there: lifetimes of its own instances and
// of those that probes found. What differs from the public code, which is replayed by
// marigram reproduce skynomad: prices are those of now; boots, losses of work, moves at
// their price and in their time are the world's; the old instances train on until the new
// ones are ready; a probe is a request whose instance is given back at once and is billed the
// least time; a run that the policy ends is censored in its records wherever it goes
// next. As in the public code, what a loss would take back is not in what it reckons to be left, so
// that a loss shortly before the last moment may make it late; the safe form counts it. Pools of queued capacity
// are left out: what it asks for is granted at once or not.
type Policy struct {
	Instances  int           `set:"instances" min:"0" max:"4096" holds:"all" doc:"instances of one pool that the job trains on; 0 takes the smallest number with which it can wait for spot, or else that meets the objective"`
	Poll       time.Duration `set:"poll_s" min:"60" max:"86400" doc:"time between decisions"`
	Probe      time.Duration `set:"probe_s" min:"0" max:"2678400" doc:"time between probes of a zone, at a poll; 0 does not probe. Zones without a boot time are not probed"`
	Revalidate bool          `set:"revalidate" doc:"probes zones again that a probe found up; the public code takes them for up until it tries them"`
	Cap        time.Duration `set:"cap_s" min:"0" max:"31536000" doc:"most time that an instance is expected to last; 0: no cap"`
	Window     time.Duration `set:"window_s" min:"600" max:"31536000" doc:"time over which the pace is taken"`
	Gate       float64       `set:"gate_usd_per_h" min:"0" max:"1e6" doc:"least gain of a move, in addition to 5 % of the value of an hour of progress and 1 % of the price of the move"`

	saver   policyutil.LossSaver
	scratch Scratch
}

// NewPolicy returns the policy with the settings of the authors' runs on H100.
func NewPolicy() *Policy {
	return &Policy{
		Poll:   10 * time.Minute,
		Probe:  time.Hour,
		Cap:    2 * time.Hour,
		Window: 10 * time.Hour,
		Gate:   0.5,
	}
}

// Name implements sim.Policy.
func (*Policy) Name() string { return "skynomad" }

// Decide implements sim.Policy.
func (p *Policy) Decide(v sim.View, plan *sim.Plan) {
	m := v.State().(*policyutil.Memory[nomad, *nomad])
	for _, j := range v.ActiveJobs() {
		decision := Decision{
			View:    v,
			Job:     v.Job(j),
			ID:      j,
			Plan:    plan,
			Hold:    plan.Jobs[j].Hold,
			Poll:    p.Poll,
			Scratch: &p.scratch,
		}
		t := turn{policy: p, Decision: decision, job: m.Job(j, v.Pools())}
		t.ChooseInstances(&t.job.Reckoning, p.Instances)
		t.decide()
		p.saver.Save(v, j, plan)
	}
}

// turn is one decision on one job.
type turn struct {
	policy *Policy
	Decision
	job *nomad
}

func (t *turn) decide() {
	lost := t.observe()
	since := t.Since()
	due := since%t.policy.Poll == 0 && t.job.polled != t.View.Now()
	t.Plan.WakeIn(t.policy.Poll - since%t.policy.Poll)
	switch t.job.phase {
	case trying:
		if len(t.job.options) > 0 {
			t.checkRequest()
		} else {
			t.requestNext()
		}
	case probing:
		t.checkProbes()
	}
	if due {
		t.job.polled = t.View.Now()
		t.learn()
		t.choose()
	} else if lost && t.job.phase == idle {
		t.choose()
	}
	t.giveBack()
}

// observe notes what the cloud took or will take, and reports whether the job lost the
// instances that it means to train on, or has none.
func (t *turn) observe() (lost bool) {
	for q := range t.job.zones {
		z := &t.job.zones[q]
		active := t.View.Held(t.ID, q).Active()
		if z.runs && active < t.Instances {
			z.lifetimes.End(t.Since().Seconds(), true)
			z.runs = false
			t.Hold[q] = active
			lost = lost || q == t.job.primary
		}
	}
	if lost {
		t.job.primary = none
		for q := range t.Hold {
			if t.Hold[q] >= t.Instances && t.View.Held(t.ID, q).Active() >= t.Instances {
				t.job.primary = q // it was about to leave it
			}
		}
	}
	return lost && t.job.primary == none
}

// giveBack gives back all but what the job means to train on, once that is ready.
func (t *turn) giveBack() {
	primary := t.job.primary
	if primary == none || t.job.phase != idle || t.View.Held(t.ID, primary).Ready < t.Instances {
		return
	}
	for q := range t.Hold {
		if q == primary || t.Hold[q] <= 0 {
			continue
		}
		t.Hold[q] = 0
		z := &t.job.zones[q]
		if z.runs {
			z.lifetimes.End(t.Since().Seconds(), false)
			z.runs = false
		}
	}
}

// learn brings what is known of the job and of the zones up to a poll.
func (t *turn) learn() {
	n := t.job
	now := t.Since().Seconds()
	t.measure()
	n.pace.windowH = t.policy.Window.Hours()
	n.pace.Add(max(n.State.Done-n.done, 0))
	n.done = n.State.Done
	for q := range n.zones {
		z := &n.zones[q]
		z.refused = false
		z.lifetimes.Update(now, t.policy.Poll.Hours())
		z.Availability = z.lifetimes.Availability(now, 12)
	}
}

// measure fills in what the job, its state and the zones are.
func (t *turn) measure() {
	n := t.job
	t.Estimate(&n.Reckoning)
	if n.Ref == none {
		return
	}
	for q := range n.zones {
		n.zones[q].SpotUSD = t.WorkUSD(&n.Reckoning, q)
		n.zones[q].ExpectedH = t.expectedH(q)
	}
}

// expectedH returns for how many hours an instance of a pool is expected to last.
func (t *turn) expectedH(q int) float64 {
	horizon := (t.job.Job.DeadlineS - t.job.State.Now) / 3600
	until := t.View.Pool(q).Until
	if until > 0 { // a capacity block, whose end is known
		return max(min(until.Sub(t.View.Now()).Hours(), horizon), 0)
	}
	if t.policy.Cap > 0 {
		horizon = min(horizon, t.policy.Cap.Hours())
	}
	return t.job.zones[q].lifetimes.ExpectedH(t.policy.Poll.Hours(), horizon)
}

// nomad is one job of a run.
type nomad struct {
	Reckoning
	pace    Pace
	done    float64 // at the last poll, s
	polled  sim.Time
	zones   []zone // by pool
	primary int    // the pool in which the job means to train; none
	late    bool   // on demand from now on
	phase   phase
	options []option // by worth, from the next to try on
	offers  []Offer  // scratch
}

// NewState implements sim.Stateful.
func (p *Policy) NewState(from, used any) any {
	return policyutil.NewMemory[nomad, *nomad](p, from, used)
}

// Pools implements policyutil.Kept.
func (n *nomad) Pools() int { return len(n.zones) }

// Restart implements policyutil.Kept.
func (n *nomad) Restart(pools int) {
	if len(n.zones) != pools {
		n.zones = make([]zone, pools)
	}
	*n = nomad{
		pace:    Pace{ticks: n.pace.ticks[:0], offers: n.pace.offers},
		zones:   n.zones,
		options: n.options[:0],
		offers:  n.offers[:0],
		primary: none,
		polled:  sim.Never,
	}
	for q := range n.zones {
		z := &n.zones[q]
		z.lifetimes.restart()
		*z = zone{lifetimes: z.lifetimes}
	}
}

// CopyFrom implements policyutil.Kept.
func (n *nomad) CopyFrom(src *nomad) {
	*n = *src
	n.pace.ticks = slices.Clone(src.pace.ticks)
	n.pace.offers = nil
	n.options = slices.Clone(src.options)
	n.offers = nil
	n.zones = slices.Clone(src.zones)
	for q := range n.zones {
		n.zones[q].lifetimes.copyFrom(&src.zones[q].lifetimes)
	}
}

// option is instances of one pool.
type option struct {
	pool  int
	value float64 // USD per hour
}

// choose tries what is worth most, if that is more than what the job has.
func (t *turn) choose() {
	n := t.job
	n.options = n.options[:0]
	t.measure()
	expensive := n.Expensive
	if n.Job.WorkS > 0 && expensive != none && n.Job.MustRun(&n.State) {
		n.late = true
	}
	if n.late {
		if n.primary == none || !t.IsExpensive(n.primary, expensive) {
			q := t.Cheapest(expensive)
			n.primary = q
			t.Hold[q] = t.View.Held(t.ID, q).Active() + min(t.Instances, policyutil.Headroom(t.View, t.Plan, t.ID, q))
		}
		t.Plan.SetReason("on demand from now on: otherwise the job would be late")
		return
	}
	if n.Job.WorkS > n.State.Done {
		t.rank(expensive)
	}
	t.requestNext()
}

// rank lists the options that are worth more than what the job has, the best first.
func (t *turn) rank(expensive int) {
	n := t.job
	n.offers = n.offers[:0]
	for q := range n.zones {
		if !t.View.Pool(q).OnDemand && !math.IsInf(n.zones[q].SpotUSD, 1) {
			n.offers = append(n.offers, n.zones[q].Offer)
		}
	}
	n.Job.CheckpointGB = t.moveUSD() / minMoveUSD
	value := n.pace.Value(&n.Job, &n.State, n.offers, t.onDemandUSD(expensive))
	t.Plan.AddInput("value of an hour of progress", value, "USD")
	smallest := 0.0
	if n.primary != none {
		now := t.valueOfHeld(n.primary, value)
		smallest = max(now+t.policy.Gate+0.01*n.Job.CheckpointGB*minMoveUSD+0.05*value, 0)
	}
	for q := range n.zones {
		if q == n.primary || t.View.Pool(q).Wait > 0 || policyutil.Headroom(t.View, t.Plan, t.ID, q) < t.Instances {
			continue
		}
		if t.View.Pool(q).OnDemand && (expensive == none || !t.IsExpensive(q, expensive)) {
			continue
		}
		gain := t.valueOfNew(q, value)
		if gain > smallest || n.primary == none && gain >= 0 {
			n.options = append(n.options, option{q, gain})
		}
		t.Plan.AddCandidate(sim.Candidate{
			Name:  t.View.Pool(q).Name,
			Score: gain,
			Unit:  "USD/h",
			Note:  "value of an hour of progress minus its cost",
		})
	}
	slices.SortStableFunc(n.options, func(a, b option) int { return cmp.Compare(b.value, a.value) })
	if len(n.options) > 0 {
		t.Plan.Choose(t.View.Pool(n.options[0].pool).Name)
	}
	t.Plan.SetReason("an hour of progress is worth most more than it costs here")
}

// valueOfHeld is the worth of the instances that the job has in a pool, USD per hour.
func (t *turn) valueOfHeld(q int, value float64) float64 {
	if !t.View.Pool(q).OnDemand && t.job.zones[q].ExpectedH == 0 {
		return math.Inf(-1)
	}
	return value - t.job.zones[q].SpotUSD
}

// valueOfNew is the worth of new instances of a pool, USD per hour that they last: what the move to it takes counts.
func (t *turn) valueOfNew(q int, value float64) float64 {
	usd, seconds := t.move(q)
	z := &t.job.zones[q]
	restart := (t.job.Job.RestartS + seconds) / 3600
	if t.View.Pool(q).OnDemand {
		if t.job.primary == none {
			return value - z.SpotUSD - usd
		}
		return value - z.SpotUSD - restart*value - usd
	}
	hours := z.ExpectedH - restart
	if hours <= 0 {
		return math.Inf(-1)
	}
	return (value*hours-z.SpotUSD*z.ExpectedH)/z.ExpectedH - usd/max(z.ExpectedH, 1e-6)
}

// moveUSD is the price of the cheapest move that costs anything, 0 if none does.
func (t *turn) moveUSD() float64 {
	smallest := math.Inf(1)
	for q := range t.Hold {
		usd, _ := t.move(q)
		if usd > 0 && t.View.Pool(q).Quota >= t.Instances {
			smallest = min(smallest, usd)
		}
	}
	if math.IsInf(smallest, 1) {
		return 0
	}
	return smallest
}

// onDemandUSD is the price of an hour on demand; where none can be had that of the most expensive pool.
func (t *turn) onDemandUSD(expensive int) float64 {
	if expensive != none {
		return t.usdPerH(expensive)
	}
	largest := 0.0
	for _, offer := range t.job.offers {
		largest = max(largest, offer.SpotUSD)
	}
	return largest
}

// maxTries is how many options are requested at one instant: a plan may not ask again for ever.
const maxTries = 60

// requestNext requests the best option that is left, and then probes the zones that are due.
func (t *turn) requestNext() {
	n := t.job
	if len(n.options) > maxTries {
		n.options = n.options[:maxTries]
	}
	if len(n.options) > 0 {
		n.phase = trying
		q := n.options[0].pool
		t.Hold[q] = t.View.Held(t.ID, q).Active() + t.Instances // not what it holds: a request that waits is in it
		t.Plan.AskAgain()
		return
	}
	n.phase = idle
	if n.polled == t.View.Now() && t.policy.Probe > 0 && !n.late {
		t.probe()
	}
}

// checkRequest sees whether a request was granted.
func (t *turn) checkRequest() {
	n := t.job
	q := n.options[0].pool
	z := &n.zones[q]
	if !t.View.Pool(q).OnDemand && z.believed {
		z.lifetimes.End(t.Since().Seconds(), false)
		z.believed = false
	}
	if t.View.Held(t.ID, q).Active() >= t.Instances {
		n.options = n.options[:0]
		n.primary = q
		if !t.View.Pool(q).OnDemand {
			z.lifetimes.Start(t.Since().Seconds(), false)
			z.lifetimes.Launched()
			z.runs = true
		}
		t.requestNext()
		return
	}
	t.Hold[q] = 0
	if !t.View.Pool(q).OnDemand {
		z.lifetimes.Refused()
		z.refused = true
	}
	n.options = slices.Delete(n.options, 0, 1)
	t.requestNext()
}

// probe requests one instance of each zone that is due.
func (t *turn) probe() {
	for q := range t.job.zones {
		if !t.mayProbe(q) {
			continue
		}
		z := &t.job.zones[q]
		z.probeAt = t.View.Now().Add(t.policy.Probe - time.Microsecond)
		z.asked = true
		t.Hold[q] = 1
		t.job.phase = probing
		t.Plan.AskAgain()
	}
}

// mayProbe reports whether a zone is due for a probe.
func (t *turn) mayProbe(q int) bool {
	pool := t.View.Pool(q)
	if pool.OnDemand || pool.Wait > 0 || pool.Boot.Median == 0 {
		return false
	}
	z := &t.job.zones[q]
	if z.runs || z.refused || z.believed && !t.policy.Revalidate || t.View.Now() < z.probeAt {
		return false
	}
	return t.Hold[q] <= 0 && !math.IsInf(z.SpotUSD, 1) &&
		policyutil.Headroom(t.View, t.Plan, t.ID, q) >= t.Instances
}

// checkProbes notes what the probes found, and gives their instances back.
func (t *turn) checkProbes() {
	t.job.phase = idle
	for q := range t.job.zones {
		z := &t.job.zones[q]
		if !z.asked {
			continue
		}
		z.asked = false
		up := t.View.Held(t.ID, q).Active() > 0
		t.Hold[q] = 0
		if up && !z.believed {
			z.lifetimes.Start(t.Since().Seconds(), true)
			z.lifetimes.Seen(true)
			z.believed = true
		} else if !up {
			z.lifetimes.Refused()
			if z.believed {
				z.lifetimes.End(t.Since().Seconds(), true)
				z.believed = false
			}
			z.lifetimes.Seen(false)
		}
	}
}
