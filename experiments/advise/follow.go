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

// Traits are those of the policy.
func (f *follower) Traits() sim.Traits { return sim.TraitsOf(f.Policy) }

// Unwrap returns the policy.
func (f *follower) Unwrap() sim.Policy { return f.Policy }

// Decide implements sim.Policy. A policy that asks again at one instant has its way first, as far as nothing is given
// back that was kept: the market grants what was granted, and no more. What it ends with is what is recorded.
func (f *follower) Decide(v sim.View, plan *sim.Plan) {
	now := v.Now()
	if now >= f.record.now {
		f.Policy.Decide(v, plan)
		return
	}
	// A job that is over by the model has nothing to decide until the state says how far it is.
	if v.Job(0).Done() < 1 {
		f.Policy.Decide(v, plan)
	}
	f.asked++
	if now != f.at {
		f.at = now
		f.asked = 0
		f.before = f.before[:0]
	}
	job := &plan.Jobs[0]
	f.record.wants(now, f.want)
	f.nameReleased(v, job)
	same := f.allow(v, job)
	brief := f.addBrief(v)
	switch {
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
	plan.WakeIn(f.record.nextTurn(now).Sub(now))
}

// maxPasses bounds how often a policy has its way at one instant.
const maxPasses = 8

// nameReleased names the instances that were given back.
func (f *follower) nameReleased(v sim.View, job *sim.JobPlan) {
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
	f.pass = f.pass[:0]
	same = true
	for p, want := range f.want {
		h := v.Held(0, p)
		n := max(job.Hold[p], min(want, h.Active()+h.Waiting))
		f.pass = append(f.pass, n)
		same = same && n == want
	}
	return same
}

// addBrief adds to what is wanted the instances that are granted now and gone, under notice or given back at the same
// instant, and were not granted yet; it returns their number.
func (f *follower) addBrief(v sim.View) (n int) {
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

// nextTurn returns when the plan may change next, now at the latest.
func (r *record) nextTurn(t sim.Time) sim.Time {
	if k, _ := slices.BinarySearch(r.turns, t+1); k < len(r.turns) {
		return min(r.now, r.turns[k])
	}
	return r.now
}

// granting returns a market that grants what was granted.
func (r *record) granting(m *sim.Market) (*sim.Market, error) {
	granted := make([][]sim.Life, len(r.lifetimes))
	for p := range r.lifetimes {
		for i := range r.lifetimes[p] {
			granted[p] = append(granted[p], r.lifetimes[p][i].Life)
		}
	}
	return m.Granting(granted, max(m.End(), r.now.Add(1)+1))
}

// follow runs the world to now, before the policy decides.
func (r *record) follow(w *sim.World, c sim.Config, policy sim.Policy) (err error) {
	if c.Market, err = r.granting(c.Market); err != nil {
		return err
	}
	c.Policy = &follower{Policy: policy, record: r, want: make([]int, len(r.lifetimes))}
	c.Start = r.started
	c.Horizon = 0
	if err := w.Reset(c); err != nil {
		return err
	}
	for w.NextDecision() {
		if w.Now() >= r.now {
			return r.checkFollowed(w.View())
		}
	}
	return fmt.Errorf("by the model, the job was over (its chief lost, or given up by policy %s) at %v, before now: "+
		"expected a model that says "+
		"what happened", policy.Name(), w.Now().Sub(0))
}

// heldOf returns what is held of a pool, by all jobs.
func heldOf(v sim.View, p int) (all sim.Held) {
	for _, j := range v.ActiveJobs() {
		held := v.Held(j, p)
		all.Starting += held.Starting
		all.Ready += held.Ready
		all.Noticed += held.Noticed
		all.Waiting += held.Waiting
	}
	return all
}

// checkFollowed checks that the world holds what is held.
func (r *record) checkFollowed(v sim.View) error {
	for p := range r.lifetimes {
		active, noticed := 0, 0
		for i := range r.lifetimes[p] {
			l := &r.lifetimes[p][i]
			switch {
			case l.end() <= r.now:
			case l.Noticed <= r.now:
				noticed++
			default:
				active++
			}
		}
		if h := heldOf(v, p); h.Active() < active || h.Noticed != noticed {
			return fmt.Errorf("%s: %d instances are held and %d under notice by the state, "+
				"but %d and %d can be within the spec's quotas, one after the other: "+
				"expected larger quotas, or the end of some instances",
				v.Pool(p).Name, active, noticed, h.Active(), h.Noticed)
		}
	}
	return nil
}
