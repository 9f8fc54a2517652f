package policies

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// Holding is one instance of the recorded run. Times count from the beginning of the run.
type Holding struct {
	Pool string        // its name in the market
	From time.Duration // granted, at least 0
	To   time.Duration // gone, after From; HeldToEnd: held until the job ends
	// Taken says that it went by itself: the market takes it at To.
	Taken bool
}

// HeldToEnd is the end of an instance that was held until the run ended.
const HeldToEnd = time.Duration(1<<63 - 1)

// Recorded holds of each pool what a recorded run held of it at the same time, and saves when it saved: so that a
// model and a bill can be judged by a run whose end is known. It asks for nothing in place of what is taken, unless
// the run did.
type Recorded struct {
	holdings []Holding
	saves    []time.Duration // beginnings
	every    time.Duration   // between saves after the last; 0: none

	held []sim.Instance // scratch
}

// NewRecorded returns the policy of a run: its holdings in any order, the instants at which it began to
// save, and the time between saves after the last of them, 0 for no more. It panics where a holding ends before
// it begins.
func NewRecorded(holdings []Holding, saves []time.Duration, every time.Duration) *Recorded {
	r := &Recorded{holdings: slices.Clone(holdings), saves: slices.Clone(saves), every: every}
	for _, h := range holdings {
		if h.From < 0 || h.To <= h.From {
			panic("recorded: a holding that ends before it begins")
		}
	}
	slices.SortStableFunc(r.holdings, func(a, b Holding) int {
		return cmp.Or(cmp.Compare(a.Pool, b.Pool), cmp.Compare(a.From, b.From))
	})
	slices.Sort(r.saves)
	return r
}

// Name implements sim.Policy.
func (*Recorded) Name() string { return "recorded" }

// Decide implements sim.Policy. All jobs but the first hold nothing.
func (r *Recorded) Decide(v sim.View, plan *sim.Plan) {
	if !v.Job(0).Active() {
		return
	}
	now := v.Now().Sub(v.Start())
	next := HeldToEnd
	for p := range plan.Jobs[0].Hold {
		n := 0
		for _, holding := range r.of(v.Pool(p).Name) {
			if holding.From > now {
				next = min(next, holding.From)
			} else if holding.To > now {
				n++
				next = min(next, holding.To)
			}
		}
		plan.Jobs[0].Hold[p] = n
	}
	r.giveBack(v, now, plan)
	if next != HeldToEnd {
		plan.WakeIn(next - now)
	}
	r.save(v, now, plan)
	plan.SetReason("what the recorded run held")
}

// of returns the holdings of a pool, by the instants of their grants.
func (r *Recorded) of(pool string) []Holding {
	byPool := func(h Holding, name string) int { return cmp.Compare(h.Pool, name) }
	first, _ := slices.BinarySearchFunc(r.holdings, pool, byPool)
	end := first
	for end < len(r.holdings) && r.holdings[end].Pool == pool {
		end++
	}
	return r.holdings[first:end]
}

// giveBack names the very instances that the run gave back: the n-th grant of a pool is that of its n-th holding. What
// comes at the same instant is asked for after that: a plan that holds as many as before gives nothing back.
func (r *Recorded) giveBack(v sim.View, now time.Duration, plan *sim.Plan) {
	job := &plan.Jobs[0]
	r.held = v.Job(0).Instances(r.held[:0])
	for _, instance := range r.held {
		holdings := r.of(v.Pool(instance.Pool).Name)
		if instance.Ordinal < len(holdings) && holdings[instance.Ordinal].To <= now {
			job.GiveBack = append(job.GiveBack, instance)
		}
	}
	if len(job.GiveBack) == 0 {
		return
	}
	for _, instance := range job.GiveBack {
		job.Hold[instance.Pool] = v.Held(0, instance.Pool).Active()
	}
	for _, instance := range job.GiveBack {
		job.Hold[instance.Pool]--
	}
	plan.AskAgain()
}

// save asks for the save that is due, and to be asked at the next one.
func (r *Recorded) save(v sim.View, now time.Duration, plan *sim.Plan) {
	job := v.Job(0)
	if job.SaveTime() == 0 {
		return
	}
	due, next := r.around(now)
	wait := policyutil.UntilSavable(v, job, time.Minute)
	if due >= 0 && due > job.LastSave().Sub(v.Start()) {
		if wait > 0 {
			plan.WakeIn(wait)
		} else {
			plan.Jobs[0].Save = true
		}
	}
	if next != HeldToEnd {
		plan.WakeIn(next - now)
	}
}

// around returns the beginnings of the last save until now, below 0 if there is none, and of the next.
func (r *Recorded) around(now time.Duration) (due, next time.Duration) {
	k, _ := slices.BinarySearch(r.saves, now+1)
	if k == 0 && len(r.saves) > 0 {
		return -1, r.saves[0]
	}
	if k < len(r.saves) {
		return r.saves[k-1], r.saves[k]
	}
	last := time.Duration(0)
	if k > 0 {
		last = r.saves[k-1]
	}
	if r.every <= 0 {
		return last - max(1-time.Duration(k), 0), HeldToEnd
	}
	n := (now - last) / r.every
	due = last + n*r.every
	next = due + r.every
	if k == 0 && n == 0 {
		due = -1
	}
	return due, next
}

// Traces returns the market that the run was on: of each pool the recorded machines, which come when they were granted
// and go when the cloud took them, or just after the run gave them back. prices are by pool, from the run's beginning.
// The pools' notice is 0: when notices came is of no use to a policy that follows a record.
func (r *Recorded) Traces(pools []sim.Pool, prices [][]sim.Price) []sim.Trace {
	out := make([]sim.Trace, len(pools))
	for p := range pools {
		trace := &out[p]
		trace.Pool = pools[p]
		trace.Prices = prices[p]
		trace.Notice = 0
		held := r.of(pools[p].Name)
		trace.Quota = len(held)
		for i, holding := range held {
			node := nodeOf(held, i)
			trace.Nodes = append(trace.Nodes, sim.NodeEvent{At: sim.Time(0).Add(holding.From), Node: node, Up: true})
			if holding.To == HeldToEnd {
				continue
			}
			gone := sim.Time(0).Add(holding.To)
			if !holding.Taken { // the policy gives it back first
				gone = gone.Add(time.Microsecond)
			}
			trace.Nodes = append(trace.Nodes, sim.NodeEvent{At: gone, Node: node})
		}
		slices.SortStableFunc(trace.Nodes, func(a, b sim.NodeEvent) int { return cmp.Compare(a.At, b.At) })
	}
	return out
}

// nodeOf returns the number of the machine of a pool's i-th holding: a later grant has a lower one, since the world
// grants the lowest that is free, and one that was given back at that very instant is free, too.
func nodeOf(held []Holding, i int) int {
	same := i
	for same > 0 && held[same-1].From == held[i].From {
		same--
	}
	later := i
	for later < len(held) && held[later].From == held[i].From {
		later++
	}
	return len(held) - later + i - same
}
