package advise

import (
	"fmt"
	"slices"

	"github.com/marigram/marigram/sim"
)

// follower holds until now what was held, and asks the policy all the same, so that its memory is
// what it would be. From now on the policy decides.
type follower struct {
	sim.Policy
	record *record
	want   []int // by pool, by the record
	pass   []int // what the policy may have for the moment
	before []int // pass of the decision before
	buffer []sim.Instance
	at     sim.Time // of the decision before
	asked  int      // how often at this instant
}

// watching is a follower of a policy that watches prices.
type watching struct{ *follower }

// Traits says what the policy is.
func (watching) Traits() sim.Traits {
	return sim.Traits{WatchesPrices: true}
}

// Unwrap returns the policy.
func (f *follower) Unwrap() sim.Policy { return f.Policy }

// Decide implements sim.Policy. A policy that asks again at one instant has its way first, as far as nothing is given
// back that was kept: the market grants what was granted, and no more. What it ends with is what is recorded.
func (f *follower) Decide(v sim.View, plan *sim.Plan) {
	now := v.Now()
	if now >= f.record.now || v.Job(0).Done() < 1 { // by the model it is over before now: there is nothing to decide until the state says how far it is
		f.Policy.Decide(v, plan)
	}
	if now >= f.record.now {
		return
	}
	if f.asked++; now != f.at {
		f.at, f.asked, f.before = now, 0, f.before[:0]
	}
	job := &plan.Jobs[0]
	f.record.wants(now, f.want)
	f.giveBack(v, job)
	same := f.allow(v, job)
	switch brief := f.brief(v); {
	case same && brief == 0:
	case f.asked < maxPasses && !slices.Equal(f.pass, f.before):
		f.before = append(f.before[:0], f.pass...)
		plan.AskAgain()
		copy(job.Hold, f.pass)
		return
	case brief > 0 && f.asked < 2*maxPasses:
		plan.AskAgain()
	}
	copy(job.Hold, f.want)
	next := f.record.now
	if k, _ := slices.BinarySearch(f.record.turns, now+1); k < len(f.record.turns) {
		next = min(next, f.record.turns[k])
	}
	plan.WakeIn(next.Sub(now))
}

// maxPasses bounds how often a policy has its way at one instant.
const maxPasses = 8

// giveBack names the instances that were given back.
func (f *follower) giveBack(v sim.View, job *sim.JobPlan) {
	job.GiveBack = job.GiveBack[:0]
	f.buffer = v.Job(0).Instances(f.buffer[:0])
	for _, x := range f.buffer {
		if lifetimes := f.record.lifetimes[x.Pool]; x.Ordinal < len(lifetimes) && lifetimes[x.Ordinal].released <= v.Now() {
			job.GiveBack = append(job.GiveBack, x)
		}
	}
}

// allow sets pass to what the policy wants, but for what it would give back or no longer ask for against the record; it
// reports whether that is the record.
func (f *follower) allow(v sim.View, job *sim.JobPlan) (same bool) {
	f.pass, same = f.pass[:0], true
	for p, want := range f.want {
		h := v.Held(0, p)
		n := max(job.Hold[p], min(want, h.Active()+h.Waiting))
		f.pass = append(f.pass, n)
		same = same && n == want
	}
	return same
}

// brief adds to what is wanted the instances that are granted now and gone, under notice or given back at the same
// instant, and were not granted yet; it returns their number.
func (f *follower) brief(v sim.View) (n int) {
	for p, lifetimes := range f.record.lifetimes {
		for i := v.Seen(p).Grants; i < len(lifetimes) && lifetimes[i].Granted <= v.Now(); i++ {
			if lifetimes[i].until() <= v.Now() {
				f.want[p]++
				n++
			}
		}
	}
	return n
}

// granted is what was granted, by pool.
func (r *record) granted() [][]sim.Life {
	lifetimes := make([][]sim.Life, len(r.lifetimes))
	for p := range r.lifetimes {
		for i := range r.lifetimes[p] {
			lifetimes[p] = append(lifetimes[p], r.lifetimes[p][i].Life)
		}
	}
	return lifetimes
}

// follow runs the world to now, before the policy decides.
func (r *record) follow(w *sim.World, c sim.Config, policy sim.Policy) error {
	m, err := c.Market.Granting(r.granted(), max(c.Market.End(), r.now.Add(1)+1))
	if err != nil {
		return err
	}
	f := &follower{Policy: policy, record: r, want: make([]int, len(r.lifetimes))}
	c.Market, c.Policy, c.Start, c.Horizon = m, f, r.started, 0
	if sim.TraitsOf(policy).WatchesPrices {
		c.Policy = watching{f}
	}
	if err := w.Reset(c); err != nil {
		return err
	}
	for w.NextDecision() {
		if w.Now() >= r.now {
			return r.followed(w.View())
		}
	}
	return fmt.Errorf("by the model, the job was over (its chief lost, or given up by policy %s) at %v, before now: expected a model that says "+
		"what happened", policy.Name(), w.Now().Sub(0))
}

// heldOf returns what is held of a pool, by all jobs.
func heldOf(v sim.View, p int) (all sim.Held) {
	for _, j := range v.ActiveJobs() {
		h := v.Held(j, p)
		all.Starting, all.Ready, all.Noticed, all.Waiting = all.Starting+h.Starting, all.Ready+h.Ready, all.Noticed+h.Noticed, all.Waiting+h.Waiting
	}
	return all
}

// followed checks that the world holds what is held.
func (r *record) followed(v sim.View) error {
	for p := range r.lifetimes {
		active, noticed := 0, 0
		for i := range r.lifetimes[p] {
			switch l := &r.lifetimes[p][i]; {
			case min(l.Gone, l.released) <= r.now:
			case l.Noticed <= r.now:
				noticed++
			default:
				active++
			}
		}
		if h := heldOf(v, p); h.Active() < active || h.Noticed != noticed {
			return fmt.Errorf("%s: %d instances are held and %d under notice by the state, but %d and %d can be within the spec's quotas, one after "+
				"the other: expected larger quotas, or the end of some instances",
				v.Pool(p).Name, active, noticed, h.Active(), h.Noticed)
		}
	}
	return nil
}
