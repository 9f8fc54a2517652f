package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/ondemand"
)

// table is the plan for what is believed: the process whose regimes are states of the market, and whose clusters are
// classes.
type table struct {
	key
	process
	list    []class
	within  [][]int   // by regime: its classes
	quality []float64 // by place and regime, ascending within a place: what the best cluster gains, USD a second
	order   []int     // in the same order: the regime
	states  int       // of the market

	boot          float64 // seconds until what is asked for trains
	price         float64 // of a unit of progress, by which regimes are told apart
	regimeSeconds float64 // for which one stays in the mean
	unit          float64 // seconds that are paid at once, the most of any pool; 0 where billing is finer
	lasting       bool    // units last to the deadline: what is held is paid
}

// workOfJob returns the work of the whole job; 1 where training would begin at the goal.
func (p *planner) workOfJob(prices []float64) float64 {
	first := math.Inf(1)
	clusters, _ := p.frontier.Clusters(p.view, p.full, prices)
	for i := range clusters {
		first = min(first, clusters[i].Begin())
	}
	if !(first < p.goal) {
		return 1
	}
	return p.goal - first
}

// fill lists the classes and regimes of the table, what changes and losses take, and the values after the last step.
func (t *table) fill(p *planner) {
	r := &p.regimes
	t.price = p.priceOnDemand(r.freeIn(p, nil), t.prices)
	t.rescue = p.findRescue(t.prices)
	t.process.span = t.key.span - t.reserve
	t.forgets = !r.listsAll() // with many pools: any cluster of the hull may be had
	t.steps = int(float64(t.grid) * p.fineness(t))
	t.points = 2 * t.steps
	t.dt = max(t.key.span, 1) / float64(t.steps)
	t.dw = p.workOfJob(t.prices) / float64(t.points)
	t.boot = 0
	for k := range p.pools {
		if p.full[k] > 0 {
			t.boot = max(t.boot, p.pools[k].boot)
		}
	}
	t.setPhases(p)
	changes := r.meanChanges(t.beliefs)
	t.regimeSeconds = 3600 / changes
	if t.forgets {
		t.setHulls(p)
	} else {
		p.classes.list = t.list
		p.listClasses(t)
		t.list = p.classes.list
		p.compare(t)
		t.setRegimes(p)
	}
	t.sortRegimes(p)
	t.priceLateWork(p)
	t.begin(&p.tables)
}

// fineness returns how many steps a table has, of those that are set. The less time there is to spare, the fewer
// amounts of work may be left at a step, and the more steps take no longer. The slacks of 0.2 and 0.5 were chosen by cost
// and time on development seeds of the eighteen markets.
func (p *planner) fineness(t *table) float64 {
	hasMost := len(p.regimes.list) == 1<<maxListed // classes and regimes
	switch {
	case t.forgets: // changes are put off from step to step: more of them make it worse
		return 0.75
	case !p.frontier.Elastic(): // more steps are no gain
		if hasMost {
			return 0.5
		}
		return 1
	case hasMost:
		return min(max(math.Sqrt(0.2/p.slack(t)), 0.5), 1)
	}
	return min(max(math.Sqrt(0.5/p.slack(t)), 1), 1.5)
}

// slack returns the share of the time until the deadline that the fastest cluster on demand leaves.
func (p *planner) slack(t *table) float64 {
	if t.rescue.rate == 0 {
		return 1
	}
	return max(1-p.workOfJob(t.prices)/(t.rescue.rate*t.process.span), 0.01)
}

// setRegimes works out what may be held in each regime, what it takes to go over to it, and what may come after it.
func (t *table) setRegimes(p *planner) {
	list := p.regimes.list
	t.within = slices.Grow(t.within[:0], drawn)[:len(list)]
	t.regimes = slices.Grow(t.regimes[:0], drawn)[:len(list)]
	t.fastest = 0
	for r := range list {
		of := &t.regimes[r]
		of.clusters = of.clusters[:0]
		of.sure = of.sure[:0]
		t.within[r] = t.within[r][:0]
		for i := range t.list {
			c := &t.list[i]
			if !p.regimes.hasRoom(&list[r], c.Counts) {
				continue
			}
			t.within[r] = append(t.within[r], i)
			presence := p.presence(c.Counts, t.pricesIn(&p.regimes, &list[r]), t.dt)
			usd := c.USD + t.surcharge(&p.regimes, &list[r], c.Counts)
			spent := corner{
				rate: c.sure + presence*(c.Rate-c.sure),
				usd:  (c.sureUSD + presence*(usd-c.sureUSD)) / 3600,
			}
			if t.paysUnits() {
				spent.usd = (c.USD - c.hourly) / 3600
			}
			for range t.phases {
				of.sure = append(of.sure, c.sure)
				of.clusters = append(of.clusters, spent)
			}
			t.fastest = max(t.fastest, c.Rate)
		}
		within := t.within[r]
		of.held = len(of.clusters)
		of.changes = of.changes[:0]
		of.targets = of.targets[:0]
		for _, from := range within {
			for left := range t.phases {
				t.addChanges(p, of, &list[r], within, from, left)
			}
		}
	}
	t.numberHeld()
	t.setLeads(p)
}

// addChanges adds what it takes to go over to each class of a regime from one of which so many phases are paid.
func (t *table) addChanges(p *planner, of *options, state *regime, within []int, from, left int) {
	n := len(t.list)
	for at, to := range within {
		i := from*n + to
		if t.phases > 1 && left == 0 || state.dear {
			i += n * n
		}
		out := p.classes.changes[i]
		if t.paysUnits() {
			pays := t.payFor(&t.list[from], &t.list[to], left)
			out.usd += pays.usd
			if t.phases > 1 {
				of.targets = append(of.targets, at*t.phases+pays.phase-1)
			}
		}
		of.changes = append(of.changes, out)
	}
}

// setLeads works out what may come after each regime.
func (t *table) setLeads(p *planner) {
	for r := range t.regimes {
		of := &t.regimes[r]
		of.leads = slices.Grow(of.leads[:0], len(of.clusters))[:len(of.clusters)]
		for c := range of.leads {
			of.leads[c] = of.leads[c][:0]
		}
		for to := range t.regimes {
			if probability := t.becomes(p, r, to); probability > rare {
				t.addLeads(p, r, to, probability)
			}
		}
		for c := range of.leads { // what is rare is left out
			sum := 0.0
			for k := range of.leads[c] {
				sum += of.leads[c][k].probability
			}
			for k := range of.leads[c] {
				of.leads[c][k].probability /= sum
			}
		}
	}
}

// setHulls works out the regimes, in each place, where what is held is left out.
func (t *table) setHulls(p *planner) {
	r := &p.regimes
	m := &p.moves
	n := len(r.list)
	t.regimes = slices.Grow(t.regimes[:0], drawn*len(m.places))[:n*len(m.places)]
	t.fastest = 0
	var best, onDemand [drawn]corner
	for state := range t.regimes {
		place := state / n
		regime := state % n
		of := &t.regimes[state]
		clusters, hull := p.frontier.Clusters(p.view, r.freeIn(p, &r.list[regime]), t.prices)
		p.tables.maxHull = max(p.tables.maxHull, 1+2*len(hull))
		of.reset(p.tables.maxHull)
		of.held = 1
		of.clusters = append(of.clusters, corner{})
		of.sure = append(of.sure, 0)
		of.rows = append(of.rows, state)
		of.changes = append(of.changes, change{})
		for _, k := range hull {
			move := m.from(place, clusters[k].Counts)
			c := t.addHull(p, of, &clusters[k], move, move.to*n+regime)
			if place == 0 && t.gain(c) > t.gain(best[regime]) {
				best[regime] = c
				onDemand[regime] = corner{p.onDemand.Rate, p.onDemand.USD / 3600}
			}
		}
		if m.any {
			clusters, hull = p.frontier.Clusters(p.view, m.nearby(m.places[place:place+1], r.free), t.prices)
			for _, k := range hull {
				t.addHull(p, of, &clusters[k], move{}, state)
			}
		}
	}
	t.numberHeld()
	t.leadFromHulls(p, &best, &onDemand)
}

// addHull adds a cluster to a regime in a place, with the move to it and where it leads, and returns it.
func (t *table) addHull(p *planner, of *options, cluster *ondemand.Cluster, move move, row int) corner {
	c := corner{cluster.Rate, cluster.USD / 3600}
	p.measureOnDemand(&p.onDemand, cluster.Counts)
	of.clusters = append(of.clusters, c)
	of.sure = append(of.sure, p.onDemand.Rate)
	of.rows = append(of.rows, row)
	of.changes = append(of.changes, change{move.paid, move.stopped * c.rate / t.dw})
	return c
}

// leadFromHulls works out what changes from one regime to another cost, by the best cluster of each and the part of it
// that is on demand. A regime stays, or is drawn anew.
func (t *table) leadFromHulls(p *planner, best, onDemand *[drawn]corner) {
	r := &p.regimes
	n := len(r.list)
	notice := math.Inf(1)
	for _, k := range r.spot {
		notice = min(notice, p.view.Pool(k).Notice.Seconds())
	}
	stall := 0.0
	if !p.frontier.Elastic() {
		stall = p.loss.Stall.Seconds()
	}
	changes := r.meanChanges(t.beliefs) * t.dt / 3600 // in a step
	stays := math.Exp(-changes)
	times := 1 / meanPresence(changes) // as many changes as are seen at the end
	for state := range t.regimes {
		from := state % n
		of := &t.regimes[state]
		of.leads = slices.Grow(of.leads[:0], 1)[:1]
		leads := of.leads[0][:0]
		for to := range n {
			out := change{}
			if more := best[to].rate - best[from].rate; more > 0 {
				out.points = times * (more*t.boot + best[to].rate*stall) / t.dw
			} else if from != to {
				out.points = times * best[to].rate * (stall + max(t.boot-notice, 0)) / t.dw
				out.usd = times * onDemand[to].usd * min(t.boot, notice)
				if t.unit > 0 {
					lost := max(best[from].usd-onDemand[from].usd, 0)
					out.usd += times * lost * wasteOf(p.regimes.meanLosses(t.beliefs), t.unit)
				}
			}
			probability := (1 - stays) * r.list[to].weight
			if from == to {
				probability += stays
			}
			leads = append(leads, lead{out, probability, state - from + to})
		}
		of.leads[0] = leads
	}
}

// gain is what a cluster gains at the price of progress, USD a second.
func (t *table) gain(c corner) float64 { return t.price*c.rate - c.usd }

// rare is the probability of a regime after a step below which it is left out.
const rare = 1e-4

// becomes returns the probability that one regime is another one after a step, where each pool changes by itself.
func (t *table) becomes(p *planner, from, to int) float64 {
	r := &p.regimes
	probability := 1.0
	for s, k := range r.spot {
		belief := &t.beliefs[k]
		changes := belief.lossRate + belief.arrivalRate
		moves := -math.Expm1(-changes * t.dt / 3600)
		share := belief.arrivalRate / changes
		if !r.list[to].on[s] {
			share = 1 - share
		}
		drawnAnew := moves * share
		if r.list[from].on[s] == r.list[to].on[s] {
			drawnAnew += 1 - moves
		}
		probability *= drawnAnew
	}
	return probability * t.priceBecomes(r, &r.list[from], &r.list[to])
}

// presence returns the mean part of a step of so many seconds for which the spot instances of a cluster are there, by
// what they cost.
func (p *planner) presence(counts []int32, prices []float64, step float64) float64 {
	all := 0.0
	present := 0.0
	for k, n := range counts {
		pool := &p.pools[k]
		if n > 0 && pool.spot {
			usd := float64(n) * prices[k]
			all += usd
			present += usd * meanPresence(pool.lossRate*step/3600)
		}
	}
	if all == 0 {
		return 1
	}
	return present / all
}

// meanPresence is the mean part of a step for which what is there at its beginning stays, where it ends so many times a
// step.
func meanPresence(ends float64) float64 {
	if ends < 1e-9 {
		return 1
	}
	return -math.Expm1(-ends) / ends
}

// addLeads adds that a regime may come after another one: what of each class is left then, and what is lost.
func (t *table) addLeads(p *planner, from, to int, probability float64) {
	x := &p.classes
	state := &p.regimes.list[to]
	times := 1 / meanPresence(p.regimes.meanChanges(t.beliefs)*t.dt/3600) // as many losses as are seen at the end
	for c, i := range t.within[from] {
		class := &t.list[i]
		left := &x.common
		left.Counts = append(left.Counts[:0], class.Counts...)
		lost := false
		for s, k := range p.regimes.spot {
			if !state.on[s] && left.Counts[k] > 0 {
				left.Counts[k] = 0
				lost = true
			}
		}
		place := class.place
		held := 0
		out := change{}
		if lost {
			p.frontier.Measure(left)
			held = nearest(t.list, t.within[to], left, class.sure, place, false)
			out = p.losing(t, &p.regimes.list[from], class, left)
			out.usd *= times
			out.points *= times
			out.points += (t.list[t.within[to][held]].Rate - left.Rate) * t.boot / t.dw
		} else {
			held = nearest(t.list, t.within[to], &class.Cluster, class.sure, place, class.fresh)
			out.points += (t.list[t.within[to][held]].Rate - class.Rate) * t.boot / t.dw
		}
		of := &t.regimes[from]
		for phase := range t.phases {
			after := t.regimes[to].first + held*t.phases + phase
			at := c*t.phases + phase
			of.leads[at] = append(of.leads[at], lead{out, probability, after})
		}
	}
}

// losing returns what it takes in a state that a cluster loses all but what is left: less is done again where notices
// leave time to save, and what is lost trains on until it goes.
func (p *planner) losing(t *table, state *regime, from *class, left *ondemand.Cluster) (out change) {
	notice := math.Inf(1)
	told := 1.0
	for k, n := range from.Counts {
		if n > left.Counts[k] {
			pool := p.view.Pool(k)
			notice = min(notice, pool.Notice.Seconds())
			told = min(told, 1-pool.NoticeMissing)
		}
	}
	seconds := told * min(notice, t.boot)
	out.points = -seconds * (from.Rate - left.Rate)
	hourly := from.hourly - p.priceOfHours(left.Counts, t.prices)
	usd := from.USD - left.USD
	usd += t.surcharge(&p.regimes, state, from.Counts) - t.surcharge(&p.regimes, state, left.Counts)
	out.usd = seconds * usd / 3600
	if t.unit > 0 && notice > 0 { // its replacement is requested before the policy is asked, and goes with it
		out.usd += told * t.unit * hourly / 3600
	}
	if t.paysUnits() { // it is paid
		out.usd -= seconds * hourly / 3600
	} else if hourly > 0 {
		out.usd += hourly / 3600 * wasteOf(p.regimes.meanLosses(t.beliefs), t.unit)
	}
	if !p.frontier.Elastic() && left.N > 0 {
		out.points += p.loss.Stall.Seconds() * left.Rate
	}
	if p.loss.Rollback {
		if notice < t.saves {
			told = 0
		}
		out.points += (1 - told) * t.redo * from.Rate
	}
	out.points /= t.dw
	return out
}

// priceLateWork sets the price of late work: more than any cluster takes.
func (t *table) priceLateWork(p *planner) {
	t.latePrice = 0
	best := 0.0
	for i := range p.regimes.list {
		state := &p.regimes.list[i]
		prices := t.pricesIn(&p.regimes, state)
		clusters, hull := p.frontier.Clusters(p.view, p.regimes.freeIn(p, state), prices)
		rate := 0.0
		usd := 0.0
		for _, k := range hull {
			now := &clusters[k]
			t.latePrice = max(t.latePrice, 2*(now.USD/3600-usd)/(now.Rate-rate))
			rate = now.Rate
			usd = now.USD / 3600
		}
		if rate > best {
			best = rate
			t.latePrice = max(t.latePrice, 10*usd/rate)
		}
	}
	if t.latePrice == 0 { // all is free: being late costs something still
		t.latePrice = 1
	}
}

// sortRegimes orders the regimes by what their best clusters gain from each place.
func (t *table) sortRegimes(p *planner) {
	places := len(p.moves.places)
	n := len(p.regimes.list)
	t.states = n
	t.quality = slices.Grow(t.quality[:0], drawn*places)[:n*places]
	t.order = slices.Grow(t.order[:0], drawn*places)[:n*places]
	for state := range n * places {
		place := state / n
		regime := state % n
		quality := 0.0
		if t.forgets {
			of := &t.regimes[state]
			for k, c := range of.clusters {
				after := of.changes[k]
				quality = max(quality, t.gain(c)-(after.usd+after.points*t.dw*t.price)/t.regimeSeconds)
			}
		} else {
			for _, i := range t.within[regime] {
				c := &t.list[i].Cluster
				gain := p.moves.gain(c, p.moves.from(place, c.Counts), t.price, t.regimeSeconds)
				quality = max(quality, gain-t.surcharge(&p.regimes, &p.regimes.list[regime], c.Counts)/3600)
			}
		}
		at := state
		for at%n > 0 && t.quality[at-1] > quality {
			t.quality[at] = t.quality[at-1]
			t.order[at] = t.order[at-1]
			at--
		}
		t.quality[at] = quality
		t.order[at] = regime
	}
}

// findRegime returns two regimes of a place between which a quality lies, and the part of the way from the first to the
// second.
func (t *table) findRegime(quality float64, place int) (worse, better int, part float64) {
	n := t.states
	known := t.quality[place*n:][:n]
	order := t.order[place*n:][:n]
	for i := 1; i < n; i++ {
		if quality < known[i] {
			if more := quality - known[i-1]; more > 0 {
				part = more / (known[i] - known[i-1])
			}
			return order[i-1], order[i], part
		}
	}
	return order[n-1], order[n-1], 1
}

// qualityOf returns the quality of a regime of a place.
func (t *table) qualityOf(regime, place int) float64 {
	n := t.states
	return t.quality[place*n+slices.Index(t.order[place*n:][:n], regime)]
}

// held is a cluster that may be held some time from now, and its part on demand.
type held struct {
	all, onDemand *ondemand.Cluster
	fresh         bool
	paid          float64 // seconds for which it is paid from then on
}

// value returns what is expected to be paid from some seconds after the submission on, USD, if a cluster is held until
// then, the regime is part of the way from one to another, the better one, and the state of the job is in a place.
func (t *table) value(work, seconds float64, worse, better int, part float64, h held, place int) float64 {
	if work <= 0 {
		return 0
	}
	if t.forgets {
		worse += place * t.states
		better += place * t.states
		rate := t.rateAt(worse, seconds, work)
		more := t.rateAt(better, seconds, work)
		rate += part * (more - rate)
		work += max(rate-h.all.Rate, 0) * t.boot
		usd := t.at(t.regimes[worse].first, seconds, work/t.dw)
		usd += part * (t.at(t.regimes[better].first, seconds, work/t.dw) - usd)
		return usd
	}
	usd := t.valueIn(better, work, seconds, h, place)
	if part < 1 && worse != better {
		alone := held{all: h.onDemand, onDemand: h.onDemand, fresh: h.fresh, paid: h.paid}
		low := t.valueIn(worse, work, seconds, alone, place)
		high := t.valueIn(better, work, seconds, alone, place)
		usd += (1 - part) * max(low-high, 0)
	}
	return usd
}

// valueIn is value in a regime, of the class there that is nearest to what is held.
func (t *table) valueIn(regime int, work, seconds float64, h held, place int) float64 {
	n := nearest(t.list, t.within[regime], h.all, h.onDemand.Rate, place, h.fresh && h.all.N == 0)
	class := &t.list[t.within[regime][n]]
	work += (class.Rate - h.all.Rate) * t.boot
	first := t.regimes[regime].first + n*t.phases
	if t.phases == 1 {
		return t.at(first, seconds, work/t.dw)
	}
	phase := min(max(h.paid/t.dt, 0), float64(t.phases-1))
	whole := int(phase)
	usd := t.at(first+whole, seconds, work/t.dw)
	if part := phase - float64(whole); part > 0 {
		usd += part * (t.at(first+whole+1, seconds, work/t.dw) - usd)
	}
	return usd + (class.USD-h.all.USD)/3600*h.paid // as if that had been paid of the class
}

// rateAt returns the rate of the best cluster of a regime, linear between the steps and points of the grid: with that
// of one cluster an option would gain by ending just where the best one is slower.
func (t *table) rateAt(regime int, seconds, work float64) float64 {
	step := min(max(seconds/t.dt, 0), float64(t.steps))
	whole := math.Floor(step)
	low := t.rateAtStep(regime, whole, work/t.dw)
	if part := step - whole; part > 0 {
		return low + part*(t.rateAtStep(regime, whole+1, work/t.dw)-low)
	}
	return low
}

// rateAtStep is rateAt at a step; nothing boots for work that is done.
func (t *table) rateAtStep(regime int, step, points float64) float64 {
	point := math.Floor(points)
	_, high := t.best(regime, step*t.dt, (point+1)*t.dw)
	low := 0.0
	if point > 0 {
		_, low = t.best(regime, step*t.dt, point*t.dw)
	}
	return low + (points-point)*(high-low)
}
