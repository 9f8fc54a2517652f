package ondemand

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// units says what billing rules add that round up to more than a minute, whole hours for instance. An instance that is
// held costs nothing more until the time ends that is paid anyway, and a new one costs a whole unit at once.
type units struct {
	coarse  bool          // some pool on demand is billed so
	ages    [][]batch     // by pool: what is held on demand, that with the most paid time left first
	later   time.Duration // Start.Later
	leavers []batch       // scratch: of one pool, what has not left yet
}

// batch is instances of a pool that were granted at one instant.
type batch struct {
	age    time.Duration
	n      int32
	longer time.Duration // that is billed if they leave later
}

// noteAges takes in what is held, where billing is coarse.
func (p *Planner) noteAges() {
	p.coarse = false
	for k := range p.caps {
		p.coarse = p.coarse || p.caps[k] > 0 && policyutil.CoarselyBilled(p.view, k)
	}
	if !p.coarse {
		return
	}
	p.ages = policyutil.Resize(p.ages, len(p.caps))
	for k := range p.ages {
		p.ages[k] = p.ages[k][:0]
	}
	p.instances = p.job.Instances(p.instances[:0])
	for _, x := range p.instances {
		if !x.Noticed {
			p.ages[x.Pool] = addBatch(p.ages[x.Pool], p.view.Now().Sub(x.Granted), 1)
		}
	}
	for k := range p.ages {
		if p.asked[k] > 0 {
			p.ages[k] = append(p.ages[k], batch{n: p.asked[k]})
		}
		slices.SortStableFunc(p.ages[k], func(a, b batch) int {
			return cmp.Compare(p.paidLeft(k, b.age), p.paidLeft(k, a.age))
		})
	}
}

// addBatch adds instances to those of the same age that were added last, or as a batch of their own.
func addBatch(to []batch, age time.Duration, n int32) []batch {
	if last := len(to) - 1; last >= 0 && to[last].age == age {
		to[last].n += n
		return to
	}
	return append(to, batch{age: age, n: n})
}

// paidLeft returns for how long an instance of an age is paid from now on.
func (p *Planner) paidLeft(k int, age time.Duration) time.Duration {
	return p.view.Billed(k, age) - age
}

// topUp returns what the billing rules add to the linear cost of a schedule, USD: to what First alone keeps until Then
// takes over (seconds from now), to what Then adds, booting so many seconds before, and to what is held and in neither,
// until First is ready. What is paid anyway of instances that are held is part of it. Of several those leave whose paid
// time then ends first.
func (p *Planner) topUp(s *Schedule, ready, over, boots float64) float64 {
	if !p.coarse {
		return 0
	}
	usd := 0.0
	for k, first := range s.First.Counts {
		then := first
		if s.Then != nil {
			then = s.Then.Counts[k]
		}
		stay := min(first, then)
		p.gather(k, first)
		unused := p.leave(k, first, ready, over)
		unused += p.leave(k, stay, over, s.End)
		unused += p.leave(k, 0, s.End, s.End)
		seconds := unused.Seconds() + float64(then-stay)*p.unusedTime(k, 0, s.End-over+boots).Seconds()
		usd += float64(seconds * p.prices[k] / 3600)
	}
	return usd
}

// gather takes for leavers what is held of a pool, and what is new of so many instances.
func (p *Planner) gather(k int, wanted int32) {
	p.leavers = p.leavers[:0]
	held := int32(0)
	for _, old := range p.ages[k] {
		if n := min(old.n, p.have[k]-held); n > 0 {
			p.leavers = append(p.leavers, batch{age: old.age + p.later, n: n})
			held += n
		}
	}
	if wanted > held {
		p.leavers = append(p.leavers, batch{n: wanted - held})
	}
}

// leave has all but n of the leavers leave after some seconds, those first for which most would be billed if they left
// at the later instant, and returns what is billed of them and not used.
func (p *Planner) leave(k int, n int32, seconds, later float64) (unused time.Duration) {
	left := int32(0)
	for i := range p.leavers {
		x := &p.leavers[i]
		x.longer = p.unusedTime(k, x.age, later) - p.unusedTime(k, x.age, seconds)
		left += x.n
	}
	if left <= n {
		return 0
	}
	slices.SortStableFunc(p.leavers, func(a, b batch) int { return cmp.Compare(a.longer, b.longer) })
	for left > n {
		x := &p.leavers[len(p.leavers)-1]
		goes := min(x.n, left-n)
		unused += time.Duration(goes) * p.unusedTime(k, x.age, seconds)
		x.n -= goes
		left -= goes
		if x.n == 0 {
			p.leavers = p.leavers[:len(p.leavers)-1]
		}
	}
	return unused
}

// unusedTime returns how much more is billed of an instance that has been held for a time and stays for some seconds. A
// new one is billed however short it stays; one whose unit ends now is not, if it goes.
func (p *Planner) unusedTime(k int, age time.Duration, seconds float64) time.Duration {
	return p.paidLeft(k, max(age+time.Duration(seconds*1e9), time.Microsecond))
}

// nameLeavers names what the job gives back of a pool of which it keeps so many instances, where billing is coarse:
// what is not ready, then what is paid for the shortest time.
func (p *Planner) nameLeavers(k, keeps int, plan *sim.Plan) {
	if !p.coarse || keeps >= int(p.have[k]) {
		return
	}
	to := &plan.Jobs[p.index]
	isOfPool := func(x sim.Instance) bool { return x.Pool == k }
	to.GiveBack = slices.DeleteFunc(to.GiveBack, isOfPool) // a plan that is not taken may have named others
	p.instances = p.job.Instances(p.instances[:0])
	p.instances = slices.DeleteFunc(p.instances, func(x sim.Instance) bool { return x.Pool != k || x.Noticed })
	slices.SortStableFunc(p.instances, func(a, b sim.Instance) int {
		if a.Ready != b.Ready {
			if a.Ready {
				return -1
			}
			return 1
		}
		now := p.view.Now()
		return cmp.Compare(p.paidLeft(k, now.Sub(b.Granted)), p.paidLeft(k, now.Sub(a.Granted)))
	})
	to.GiveBack = append(to.GiveBack, p.instances[min(keeps, len(p.instances)):]...)
}

// isCheaper reports whether a schedule costs less than the cheapest so far. Where hours are paid that are not used up,
// many cost the same: of these the one that ends first is better.
func (p *Planner) isCheaper(s, cheapest *Schedule) bool {
	if s.USD < cheapest.USD*(1-rounding) {
		return true
	}
	return p.coarse && s.USD <= cheapest.USD*(1+rounding) && s.End < cheapest.End-rounding
}
