package ondemand

import (
	"cmp"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
)

// units says what billing rules add that round up to more than a minute, whole hours for instance. An instance that is
// held costs nothing more until the time ends that is paid anyway, and a new one costs a whole unit at once.
type units struct {
	coarse bool              // some pool on demand is billed so
	ages   [][]time.Duration // by pool: since when instances on demand have been held, those with the most paid time left first
	later  time.Duration     // Start.Later
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
			p.ages[x.Pool] = append(p.ages[x.Pool], p.view.Now().Sub(x.Granted))
		}
	}
	for k := range p.ages {
		slices.SortFunc(p.ages[k], func(a, b time.Duration) int {
			return cmp.Compare(p.view.Billed(k, b)-b, p.view.Billed(k, a)-a)
		})
	}
}

// topUp returns what the billing rules add to the linear cost of a schedule, USD: to what First alone keeps until Then
// takes over (seconds from now), to what Then adds, booting so many seconds before, and to what is held and in neither,
// until First is ready. What is paid anyway of instances that are held is part of it.
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
		seconds := p.roundUp(k, 0, stay, s.End)
		seconds += p.roundUp(k, stay, first, over)
		seconds += p.roundUp(k, first, p.have[k], ready)
		seconds += float64(then-stay) * p.unusedTime(k, 0, s.End-over+boots)
		usd += float64(seconds * p.prices[k] / 3600)
	}
	return usd
}

// roundUp returns what is added for the instances of a pool from one number to another, those that are held first, if
// each is held for some more seconds; in seconds.
func (p *Planner) roundUp(k int, from, to int32, seconds float64) float64 {
	sum := 0.0
	for ; from < min(to, p.have[k]); from++ {
		sum += p.unusedTime(k, p.ages[k][from]+p.later, seconds)
	}
	if from < to {
		sum += float64(to-from) * p.unusedTime(k, 0, seconds)
	}
	return sum
}

// unusedTime returns how much more is billed, in seconds, of an instance that has been held for a time and stays for
// some seconds. A new one is billed however short it stays.
func (p *Planner) unusedTime(k int, age time.Duration, seconds float64) float64 {
	span := age + max(time.Duration(seconds*1e9), time.Microsecond)
	return (p.view.Billed(k, span) - span).Seconds()
}

// isCheaper reports whether a schedule costs less than the cheapest so far. Where hours are paid that are not used up,
// many cost the same: of these the one that ends first is better.
func (p *Planner) isCheaper(s, cheapest *Schedule) bool {
	if s.USD < cheapest.USD*(1-rounding) {
		return true
	}
	return p.coarse && s.USD <= cheapest.USD*(1+rounding) && s.End < cheapest.End-rounding
}
