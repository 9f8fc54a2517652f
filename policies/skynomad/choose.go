package skynomad

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/internal/policyutil"
	"github.com/marigram/marigram/sim"
)

// option is instances of one pool.
type option struct {
	pool  int
	value float64 // USD per hour
}

// choose tries what is worth most, if that is more than what the job has.
func (t *turn) choose() {
	n := t.n
	n.options = n.options[:0]
	t.measure()
	expensive := n.expensive
	if n.job.WorkS > 0 && expensive != none && n.job.MustRun(&n.state) {
		n.late = true
	}
	if n.late {
		if n.primary == none || !t.isExpensive(n.primary, expensive) {
			q := t.cheapest(expensive)
			n.primary, t.hold[q] = q, t.v.Held(t.j, q).Active()+min(t.Instances, policyutil.Headroom(t.v, t.plan, t.j, q))
		}
		t.plan.SetReason("on demand from now on: otherwise the job would be late")
		return
	}
	if n.job.WorkS > n.state.Done {
		t.rank(expensive)
	}
	t.next()
}

// rank lists the options that are worth more than what the job has, the best first.
func (t *turn) rank(expensive int) {
	n := t.n
	n.offers = n.offers[:0]
	for q := range n.zones {
		if !t.v.Pool(q).OnDemand && !math.IsInf(n.zones[q].SpotUSD, 1) {
			n.offers = append(n.offers, n.zones[q].Offer)
		}
	}
	n.job.CheckpointGB = t.moveUSD() / minMoveUSD
	value := n.pace.Value(&n.job, &n.state, n.offers, t.onDemandUSD(expensive))
	t.plan.AddInput("value of an hour of progress", value, "USD")
	now := t.valueOf(n.primary, value)
	smallest := 0.0
	if n.primary != none {
		smallest = max(now+t.Gate+0.01*n.job.CheckpointGB*minMoveUSD+0.05*value, 0)
	}
	for q := range n.zones {
		if q == n.primary || t.v.Pool(q).Wait > 0 || policyutil.Headroom(t.v, t.plan, t.j, q) < t.Instances || t.v.Pool(q).OnDemand &&
			(expensive == none || !t.isExpensive(q, expensive)) {
			continue
		}
		value := t.value(q, value)
		if value > smallest || n.primary == none && value >= 0 {
			n.options = append(n.options, option{q, value})
		}
		t.plan.AddCandidate(sim.Candidate{Name: t.v.Pool(q).Name, Score: value, Unit: "USD/h", Note: "value of an hour of progress minus its cost"})
	}
	slices.SortStableFunc(n.options, func(a, b option) int { return cmp.Compare(b.value, a.value) })
	if len(n.options) > 0 {
		t.plan.Choose(t.v.Pool(n.options[0].pool).Name)
	}
	t.plan.SetReason("an hour of progress is worth most more than it costs here")
}

// valueOf is the worth of the instances that the job has, USD per hour.
func (t *turn) valueOf(q int, value float64) float64 {
	switch {
	case q == none:
		return 0
	case !t.v.Pool(q).OnDemand && t.n.zones[q].ExpectedH == 0:
		return math.Inf(-1)
	}
	return value - t.n.zones[q].SpotUSD
}

// worth is the worth of new instances of a pool, USD per hour that they last: what the move
// to it takes counts.
func (t *turn) value(q int, value float64) float64 {
	usd, seconds := t.move(q)
	z, restart := &t.n.zones[q], (t.n.job.RestartS+seconds)/3600
	if t.v.Pool(q).OnDemand {
		if t.n.primary == none {
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
	for q := range t.hold {
		if usd, _ := t.move(q); usd > 0 && t.v.Pool(q).Quota >= t.Instances {
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
	for _, o := range t.n.offers {
		largest = max(largest, o.SpotUSD)
	}
	return largest
}

// next requests the best option that is left, and then asks the zones that are due.
func (t *turn) next() {
	n := t.n
	const maxTries = 60 // at one instant: a plan may not ask again for ever
	if len(n.options) > maxTries {
		n.options = n.options[:maxTries]
	}
	if len(n.options) > 0 {
		n.phase = trying
		t.hold[n.options[0].pool] += t.Instances
		t.plan.AskAgain()
		return
	}
	n.phase = idle
	if n.polled == t.v.Now() && t.Probe > 0 && !n.late {
		t.probe()
	}
}

// tried sees whether a request was granted.
func (t *turn) tried() {
	n := t.n
	q := n.options[0].pool
	z := &n.zones[q]
	if !t.v.Pool(q).OnDemand && z.believed {
		z.lifetimes.End(t.since().Seconds(), false)
		z.believed = false
	}
	if t.v.Held(t.j, q).Active() >= t.Instances {
		n.options, n.primary = n.options[:0], q
		if !t.v.Pool(q).OnDemand {
			z.lifetimes.Start(t.since().Seconds(), false)
			z.lifetimes.Launched()
			z.runs = true
		}
		t.next()
		return
	}
	t.hold[q] = 0
	if !t.v.Pool(q).OnDemand {
		z.lifetimes.Refused()
		z.refused = true
	}
	n.options = slices.Delete(n.options, 0, 1)
	t.next()
}

// probe requests one instance of each zone that is due.
func (t *turn) probe() {
	for q := range t.n.zones {
		z, pool := &t.n.zones[q], t.v.Pool(q)
		if pool.OnDemand || pool.Wait > 0 || pool.Boot.Median == 0 || z.runs || z.refused || z.believed && !t.Revalidate ||
			t.v.Now() < z.probeAt || t.hold[q] > 0 || policyutil.Headroom(t.v, t.plan, t.j, q) < t.Instances || math.IsInf(z.SpotUSD, 1) {
			continue
		}
		z.probeAt, z.asked = t.v.Now().Add(t.Probe-time.Microsecond), true
		t.hold[q] = 1
		t.n.phase = probing
		t.plan.AskAgain()
	}
}

// probed notes what the probes found, and gives their instances back.
func (t *turn) probed() {
	t.n.phase = idle
	for q := range t.n.zones {
		z := &t.n.zones[q]
		if !z.asked {
			continue
		}
		z.asked = false
		up := t.v.Held(t.j, q).Active() > 0
		t.hold[q] = 0
		switch {
		case !up:
			z.lifetimes.Refused()
			if z.believed {
				z.lifetimes.End(t.since().Seconds(), true)
				z.believed = false
			}
			z.lifetimes.Seen(false)
		case !z.believed:
			z.lifetimes.Start(t.since().Seconds(), true)
			z.believed = true
			z.lifetimes.Seen(true)
		}
	}
}
