package launchers

import (
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// none is no pool.
const none = -1

// phase is what a cluster waits for.
type phase uint8

const (
	idle     phase = iota // nothing is held or asked for
	asked                 // whether the request of this instant is granted
	pausing               // the end of a wait, without anything of its own
	starting              // all instances to be ready
	setUp                 // the tool's set-up on instances that are ready
	running
	lost // a part is gone, and the tool has not seen it
)

// event is what became of a cluster at a decision.
type event uint8

const (
	nothing  event = iota // more time has to pass
	free                  // nothing is under way: the tool may ask, or wait
	refused               // the pool that was asked has not all that was asked for
	started               // it runs from now on
	failed                // a part was lost before it ran
	seenLoss              // the tool sees that a part is gone
)

// cluster is instances of one pool that a job has or asks for, all or none.
type cluster struct {
	phase   phase
	pool    int // that is asked, or in which the cluster is; none
	nodes   int
	until   sim.Time // when the phase ends
	had     int      // instances that were there when it was asked for
	granted sim.Time // when the instances were
	running sim.Time // since when the job runs
}

// timing is how long a tool takes.
type timing struct {
	setUp time.Duration // from the instances being ready until the job runs
	check time.Duration // between looks at a job that runs, from its start on; 0: it sees a loss at once
	late  time.Duration // from the look until a loss counts
	part  time.Duration // what is added where only a part of the cluster is gone
}

// turn is one decision on one job that has a cluster.
type turn struct {
	sim.View
	plan    *sim.Plan
	j       int
	hold    []int
	cluster *cluster
	gives   bool // this decision gives instances back: what is asked for next are others
	timing
}

// total returns how many instances of the cluster are there, those under notice included.
func (t *turn) total() int {
	if t.cluster.pool == none {
		return 0
	}
	held := t.Held(t.j, t.cluster.pool)
	return held.Active() + held.Noticed
}

// ask asks pool p for what is missing of the cluster, at this instant.
func (t *turn) ask(p int) {
	c := t.cluster
	c.pool = p
	c.phase = asked
	held := t.Held(t.j, p)
	c.had = held.Active()
	t.hold[p] = max(c.nodes-held.Noticed, 0)
	t.plan.AskAgain()
}

// fits reports whether the quotas of pool p allow the whole cluster.
func (t *turn) fits(p int) bool {
	held := t.Held(t.j, p)
	return held.Active()+held.Noticed+policyutil.Headroom(t.View, t.plan, t.j, p) >= t.cluster.nodes
}

// pause waits for a span, in which nothing is asked for.
func (t *turn) pause(span time.Duration) {
	t.cluster.phase = pausing
	t.cluster.until = t.Now().Add(span)
}

// release gives everything back.
func (t *turn) release() {
	t.gives = t.gives || t.total() > 0
	clear(t.hold)
	t.cluster.phase = idle
	t.cluster.pool = none
}

// keep asks for nothing beyond what is there: a tool that does not see notices or losses replaces nothing.
func (t *turn) keep() {
	t.hold[t.cluster.pool] = t.Held(t.j, t.cluster.pool).Active()
}

// advance returns what became of the cluster. While it returns nothing, the policy is woken when that may change, and
// the plan says what it waits for.
func (t *turn) advance() event {
	became := t.step()
	if became == nothing {
		t.explainWait()
	}
	return became
}

// explainWait says what the cluster waits for, where the decision has no other reason.
func (t *turn) explainWait() {
	c := t.cluster
	switch c.phase {
	case pausing, setUp, lost:
		t.plan.AddInput("time until it goes on", c.until.Sub(t.Now()).Seconds(), "s")
	}
	if t.plan.Reason() != "" {
		return
	}
	switch c.phase {
	case pausing:
		t.plan.SetReason("waits: nothing is asked for until then")
	case starting:
		t.plan.SetReason("granted: waits for its instances to be ready")
	case setUp:
		t.plan.SetReason("its instances are ready: waits for the tool's set-up")
	case running:
		if t.Held(t.j, c.pool).Noticed > 0 {
			t.plan.SetReason("under notice: nothing is asked for before the instances are gone")
		} else {
			t.plan.SetReason("runs: stays where it is")
		}
	case lost:
		t.plan.SetReason("a part of the cluster is gone; the tool has not seen it")
	}
}

// step is advance without its words.
func (t *turn) step() event {
	c := t.cluster
	switch c.phase {
	case asked:
		if t.total() < c.nodes { // a cloud gives all or nothing
			t.hold[c.pool] = min(t.Held(t.j, c.pool).Active(), c.had)
			t.plan.SetReason("refused")
			if t.plan.Recorded() {
				t.plan.AddCandidate(sim.Candidate{
					Name: t.Pool(c.pool).Name, Score: t.Price(c.pool), Unit: "USD/h", Note: "refused",
				})
			}
			return refused
		}
		c.phase = starting
		c.granted = t.Now()
		t.keep()
		return t.start()
	case pausing:
		if t.waits(c.until) {
			return nothing
		}
		if t.gives {
			t.plan.AskAgain()
			return nothing
		}
		c.phase = idle
		return free
	case starting:
		return t.start()
	case setUp:
		return t.setUpJob()
	case running:
		return t.watch()
	case lost:
		t.keep()
		if t.waits(c.until) {
			return nothing
		}
		return seenLoss
	}
	return free
}

// waits reports whether an instant is still to come, and wakes the policy then.
func (t *turn) waits(until sim.Time) bool {
	if t.Now() >= until {
		return false
	}
	t.plan.WakeIn(until.Sub(t.Now()))
	return true
}

// start waits until all instances are ready. What is lost before that is seen at its end.
func (t *turn) start() event {
	c := t.cluster
	t.keep()
	if t.total() < c.nodes {
		ready := c.granted.Add(t.Pool(c.pool).Boot.Mean())
		if t.Held(t.j, c.pool).Starting > 0 || t.waits(ready.Add(t.timing.setUp)) {
			return nothing
		}
		return failed
	}
	if t.Held(t.j, c.pool).Starting > 0 {
		return nothing
	}
	c.phase = setUp
	c.until = t.Now().Add(t.timing.setUp)
	return t.setUpJob()
}

// setUpJob waits for the tool's set-up.
func (t *turn) setUpJob() event {
	c := t.cluster
	t.keep()
	switch {
	case t.waits(c.until):
		return nothing
	case t.total() < c.nodes:
		return failed
	}
	c.phase = running
	c.running = t.Now()
	train(t.View, t.j, c.nodes, t.plan)
	return started
}

// watch looks whether all of a cluster that runs is there.
func (t *turn) watch() event {
	c := t.cluster
	t.keep()
	if total := t.total(); total < c.nodes {
		idleOn(t.View, t.j, t.plan)
		c.phase = lost
		c.until = t.nextLook().Add(t.late)
		if total > 0 {
			c.until = c.until.Add(t.part)
		}
		t.plan.AddInput("instances left of the cluster", float64(total), "")
		return t.step()
	}
	return nothing
}

// nextLook returns the first look at or after now; the first of all is one interval after the start of the run.
func (t *turn) nextLook() sim.Time {
	if t.check == 0 {
		return t.Now()
	}
	since := t.Now().Sub(t.cluster.running)
	looks := max((since+t.check-1)/t.check, 1)
	return t.cluster.running.Add(looks * t.check)
}

// explain tells a recorder which pool is asked, and which are left out and why.
func (t *turn) explain(p int, out []bool, why string) {
	if !t.plan.Recorded() {
		return
	}
	for q := range t.Pools() {
		if q == p {
			t.plan.AddCandidate(sim.Candidate{Name: t.Pool(q).Name, Score: t.Price(q), Unit: "USD/h", Chosen: true})
		} else if out[q] {
			t.plan.AddCandidate(sim.Candidate{Name: t.Pool(q).Name, Score: t.Price(q), Unit: "USD/h", Note: why})
		}
	}
}
