package mdp

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// hours are what is known where billing rules round up to a unit of more than a minute, whole hours for instance. An
// instance that is held costs nothing more until the time ends that is paid, and a new one costs a whole unit.
type hours struct {
	unit   []float64 // by pool: seconds that are paid at once, 0 where billing is finer
	any    bool
	paid   [][]float64      // by pool: seconds that are paid already, of what starts or is ready, ascending
	named  [][]sim.Instance // by pool, in the same order
	asked  float64          // USD of units of what is requested where there is no room
	union  []int32          // scratch
	beside []int32          // scratch
	free   []int            // scratch
}

// unitOf returns what is paid at once of a pool, seconds; 0 where that is a minute or less.
func unitOf(v sim.View, k int) float64 {
	if !policyutil.CoarselyBilled(v, k) {
		return 0
	}
	first := v.Billed(k, time.Microsecond)
	unit := v.Billed(k, first+time.Microsecond) - first
	if unit <= time.Minute { // a long minimum, and by the second from then on
		return 0
	}
	return unit.Seconds()
}

// lookAtHours takes in what is paid of what the job has.
func (p *planner) lookAtHours() {
	h := &p.hours
	h.any = false
	h.asked = 0
	h.unit = policyutil.Resize(h.unit, len(p.pools))
	for k := range p.pools {
		h.unit[k] = unitOf(p.view, k)
		h.any = h.any || h.unit[k] > 0
	}
	if !h.any {
		return
	}
	h.paid = policyutil.Resize(h.paid, len(p.pools))
	h.named = policyutil.Resize(h.named, len(p.pools))
	for k := range p.pools {
		h.paid[k] = h.paid[k][:0]
		h.named[k] = h.named[k][:0]
	}
	p.instances = p.job.Instances(p.instances[:0])
	slices.SortStableFunc(p.instances, func(a, b sim.Instance) int {
		return cmp.Compare(p.paidOf(a), p.paidOf(b))
	})
	for _, instance := range p.instances {
		if !instance.Noticed && h.unit[instance.Pool] > 0 {
			h.paid[instance.Pool] = append(h.paid[instance.Pool], p.paidOf(instance).Seconds())
			h.named[instance.Pool] = append(h.named[instance.Pool], instance)
		}
	}
}

// paidOf returns for how long an instance that is held is paid from now on.
func (p *planner) paidOf(instance sim.Instance) time.Duration {
	age := p.view.Now().Sub(instance.Granted)
	return p.view.Billed(instance.Pool, age) - age
}

// moment is a time that is too short to be billed: what is left of a unit by rounding, seconds.
const moment = 1e-6

// unitsFor returns how many units are paid for so many seconds more, of which some are paid.
func unitsFor(seconds, paid, unit float64) float64 {
	return max(math.Ceil((seconds-paid-moment)/unit), 0)
}

// billHours returns what is paid for so many seconds on a cluster by whole units, USD, and for how long it is paid from
// then on, in the mean of what it costs, seconds. keeps says for how long what is held and no part of it stays.
func (p *planner) billHours(counts []int32, seconds, keeps float64) (usd, paid float64) {
	h := &p.hours
	weight := 0.0
	for k, wanted := range counts {
		unit := h.unit[k]
		if unit == 0 {
			continue
		}
		price := p.prices[k] / 3600
		old := h.paid[k]
		stay := min(int(wanted), len(old))
		for _, left := range old[len(old)-stay:] {
			units := unitsFor(seconds, left, unit)
			usd += price * unit * units
			paid += price * (left + unit*units - seconds)
		}
		if fresh := float64(int(wanted) - stay); fresh > 0 {
			units := unitsFor(seconds, 0, unit)
			usd += fresh * price * unit * units
			paid += fresh * price * (unit*units - seconds)
		}
		weight += float64(wanted) * price
		for _, left := range old[:len(old)-stay] {
			if keeps > 0 {
				usd += price * unit * unitsFor(keeps, left, unit)
			}
		}
	}
	if weight > 0 {
		paid /= weight
	}
	return usd, paid
}

// priceOfHours returns what of a cluster's cost is paid by units, USD/h.
func (p *planner) priceOfHours(counts []int32, prices []float64) float64 {
	usd := 0.0
	if !p.hours.any {
		return usd
	}
	for k, n := range counts {
		if p.hours.unit[k] > 0 {
			usd += float64(n) * prices[k]
		}
	}
	return usd
}

// paidUnion returns a cluster with what is held, and is paid for longer; for how long that is in the mean of the
// instances, seconds, 0 if there are none.
func (p *planner) paidUnion(counts []int32) (union []int32, seconds float64) {
	h := &p.hours
	h.union = append(h.union[:0], counts...)
	n := 0
	for k, wanted := range counts {
		if h.unit[k] == 0 {
			continue
		}
		old := h.paid[k]
		for i := range max(len(old)-int(wanted), 0) {
			if old[i] > moment {
				h.union[k]++
				seconds += old[i]
				n++
			}
		}
	}
	if n > 0 {
		seconds /= float64(n)
	}
	return h.union, seconds
}

// newHours returns what is paid at once if so many instances of a pool are held, USD: for new ones, and for those whose
// unit ends now.
func (p *planner) newHours(k, wanted int) float64 {
	h := &p.hours
	if !h.any || h.unit[k] == 0 {
		return 0
	}
	n := wanted
	for _, left := range h.paid[k] {
		if left > moment {
			n--
		}
	}
	return float64(max(n, 0)) * p.prices[k] * h.unit[k] / 3600
}

// beyondLimit returns by how much holding a cluster may cost more than waiting for spot may, USD, where units are paid:
// if all that is on spot goes, and so do the requests that wait. It is 0 within the limit.
func (p *planner) beyondLimit(counts []int32) float64 {
	if !p.hours.any {
		return 0
	}
	hold := p.withPaid(counts)
	worst := p.set.net.Worst(p.view, p.index, hold, p.plan) + p.hours.asked
	cluster := &p.option.meanwhile
	cluster.Counts = append(cluster.Counts[:0], hold...)
	p.frontier.Measure(cluster)
	if cluster.Rate <= 0 { // waiting is for a try, which the limit has to pay for then
		worst += p.leastTry()
	}
	if worst < tiny {
		return 0
	}
	return worst
}

// tiny is what is left of a sum by rounding, USD.
const tiny = 1e-9

// leastTry returns what a unit of the fewest instances on spot costs that train, USD.
func (p *planner) leastTry() float64 {
	least := math.Inf(1)
	for _, k := range p.regimes.spot {
		clear(p.rooms)
		p.rooms[k] = p.allowed[k]
		if clusters, _ := p.frontier.Clusters(p.view, p.rooms, p.prices); len(clusters) > 0 {
			least = min(least, p.newHours(k, clusters[0].N))
		}
	}
	return least
}

// tryWithinLimit tries the clusters whose units of spot are within what waiting for spot may still cost: alone, and
// next to what the net would request on demand now.
func (p *planner) tryWithinLimit() {
	h := &p.hours
	if !h.any {
		return
	}
	left, _ := p.set.net.Limit(p.index)
	p.tryCorners(p.affordable(left, true))
	first := p.set.net.First(p.index)
	if first == nil {
		return
	}
	p.tryAround(first)
	clusters, hull := p.frontier.Clusters(p.view, p.affordable(left, false), p.prices)
	for _, i := range hull {
		h.beside = append(h.beside[:0], clusters[i].Counts...)
		for k, n := range first {
			h.beside[k] = max(h.beside[k], n)
		}
		p.try(h.beside, false)
	}
}

// affordable leaves of what is free on spot what some USD pay a unit of, and what is on demand if it is asked for.
func (p *planner) affordable(usd float64, onDemand bool) []int {
	h := &p.hours
	h.free = append(h.free[:0], p.free...)
	for k := range h.free {
		switch {
		case !p.pools[k].spot && !onDemand:
			h.free[k] = 0
		case p.pools[k].spot && h.unit[k] > 0:
			most := int(p.now.held.Counts[k])
			for most < h.free[k] && p.newHours(k, most+1)+h.asked <= usd {
				most++
			}
			h.free[k] = min(h.free[k], most)
		}
	}
	return h.free
}

// withPaid returns a cluster with what is held and paid for longer, if that makes training faster.
func (p *planner) withPaid(counts []int32) []int32 {
	union, _ := p.paidUnion(counts)
	cluster := &p.option.meanwhile
	cluster.Counts = append(cluster.Counts[:0], union...)
	p.frontier.Measure(cluster)
	rate := cluster.Rate
	cluster.Counts = append(cluster.Counts[:0], counts...)
	p.frontier.Measure(cluster)
	if rate > cluster.Rate {
		return union
	}
	return counts
}

// holdPaid has what is paid stay until its unit ends, where that makes training faster, and the policy asked then. Of
// what goes, that goes first whose unit ends first.
func (p *planner) holdPaid(plan *sim.Plan) {
	h := &p.hours
	if !h.any {
		return
	}
	jobPlan := &plan.Jobs[p.index]
	hold := p.withPaid(p.best.counts)
	for k := range h.unit {
		if h.unit[k] == 0 {
			continue
		}
		jobPlan.Hold[k] = max(jobPlan.Hold[k], int(hold[k]))
		old := h.paid[k]
		for i, left := range old {
			if i < len(old)-jobPlan.Hold[k] {
				jobPlan.GiveBack = append(jobPlan.GiveBack, h.named[k][i])
			}
			if left > moment {
				plan.WakeIn(time.Duration(math.Round(left * 1e9)))
			}
		}
	}
}

// pay is what it takes to hold a class by units: USD, and the phase of its unit from then on.
type pay struct {
	usd   float64
	phase int
}

// payFor returns what is paid to go over to a class from another one, of whose unit so many phases are paid. Where
// instances of two phases come together they are counted at their mean.
func (t *table) payFor(from, to *class, left int) pay {
	common := 0.0
	fresh := 0.0
	units := 0.0 // USD: of what is new
	for k, n := range to.Counts {
		if t.units[k] > 0 {
			stay := min(n, from.Counts[k])
			common += float64(stay) * t.prices[k] / 3600
			fresh += float64(n-stay) * t.prices[k] / 3600
			units += float64(n-stay) * t.prices[k] / 3600 * t.units[k]
		}
	}
	if t.lasting {
		return pay{usd: units}
	}
	if common+fresh == 0 {
		return pay{phase: 1}
	}
	whole := float64(t.phases)
	due := fresh
	paid := float64(left)
	if left == 0 {
		due += common
		paid = whole
	}
	mean := (common*paid + fresh*whole) / (common + fresh)
	phase := min(max(math.Round(mean), 1), whole)
	return pay{usd: t.dt * (whole*due + (phase-mean)*(common+fresh)), phase: int(phase)}
}

// paysUnits reports whether units are paid where they begin, and what is held costs nothing until they end.
func (t *table) paysUnits() bool { return t.phases > 1 || t.lasting }

// setPhases lays the grid so that a unit is a number of steps, where that many states are not too many, and leaves
// phases at 1 where it does not: then units count where something is lost or given back. Units that last to the
// deadline need no phases: what is held is paid.
func (t *table) setPhases(p *planner) {
	t.phases = 1
	t.offset = 0
	t.unit = 0
	shortest := math.Inf(1)
	for _, unit := range t.units {
		t.unit = max(t.unit, unit)
		if unit > 0 {
			shortest = min(shortest, unit)
		}
	}
	t.lasting = !t.forgets && t.unit > 0 && shortest >= t.key.span
	if t.unit == 0 || t.forgets || t.lasting {
		return
	}
	most := maxPhases[min(max(len(p.regimes.spot), 1), len(maxPhases))-1]
	most = max(most, int(math.Ceil(leastSteps*t.unit/t.key.span)))
	phases := min(int(math.Round(t.unit/t.dt)), most)
	if phases < 2 {
		return
	}
	t.phases = phases
	t.dt = t.unit / float64(phases)
	t.steps = max(int(math.Ceil(t.key.span/t.dt)), 1)
	t.offset = float64(t.steps)*t.dt - t.key.span
}

// maxPhases is into how many phases a unit is cut at most, by the number of spot pools, unless a job is so short that
// there would be fewer than leastSteps steps.
var maxPhases = [...]int{6, 4, 4}

const leastSteps = 24

// wasteOf returns what is paid and not used in the mean of what is lost so often an hour, seconds.
func wasteOf(lossRate, unit float64) float64 {
	units := lossRate * unit / 3600
	if units < 1e-6 {
		return unit / 2
	}
	return unit * (1/-math.Expm1(-units) - 1/units)
}
