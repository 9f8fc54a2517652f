package mdp

import (
	"math"
	"slices"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/sim"
)

// kept is the number of tables that are kept.
const kept = 16

// tables is a memory of what was worked out.
type tables struct {
	list    [kept]table
	next    int
	want    key
	maxSize int // numbers in one of them
	// values is the memory of those that are worked out now.
	values []float64
}

// key is what a table depends on.
type key struct {
	model   sim.Model
	servers int32
	loss    sim.Pause
	goal    float64
	span    float64 // seconds
	reserve float64
	share   float64
	grid    int
	usd     []float64
	full    []int
	pools   []pool // their laws; of pools whose states are drawn the states, and what all change in the mean
	site    []int  // by pool, where moves take something; then moves between two sites: USD, and seconds
	moves   []float64
}

func (a *key) is(b *key) bool {
	same := func(x, y pool) bool {
		return x.spot == y.spot && x.goes == y.goes && x.comes == y.comes && x.boot == y.boot && x.states == y.states
	}
	return a.servers == b.servers && a.goal == b.goal && a.span == b.span && a.reserve == b.reserve && a.share == b.share && a.grid == b.grid &&
		a.loss == b.loss && slices.Equal(a.usd, b.usd) && slices.Equal(a.full, b.full) &&
		slices.Equal(a.site, b.site) && slices.Equal(a.moves, b.moves) &&
		slices.EqualFunc(a.pools, b.pools, same) && policyutil.SameModel(a.model, b.model)
}

// table is the value of states: what is still to be paid, in expectation, USD.
type table struct {
	key
	dt, dw  float64
	steps   int
	points  int
	regimes int
	quality []float64 // by place and regime, ascending within a place
	order   []int     // in the same order: the state, a place and a regime
	next    []float64 // by step, state and point: the value at that step where the state was that at the step before
	rates   []float64 // in the same order: the rate of the best cluster in that state at that step
	corners [][]corner
	low     int     // the first step that is worked out
	boot    float64 // seconds until what is asked for trains
	steep   float64 // USD for a unit of progress that is late
	price   float64 // by which regimes are told apart

	rescue
	keep, lasts   float64   // probability that a regime stays for a step, and seconds for which it does in the mean
	weight        []float64 // by two regimes: probability that the first is drawn anew and becomes the second
	shift, change []float64 // by two regimes: work, in points, and USD that the change from one to another costs
	values        []float64 // by state and point: of the step that is worked out
}

// row returns the part of next or rates that is of a step and a state.
func (t *table) row(of []float64, step, state int) []float64 {
	from := (step*len(t.quality) + state) * (t.points + 1)
	return of[from : from+t.points+1]
}

// selectTable makes the table of what is believed the planner's.
func (p *planner) selectTable() {
	x, w := &p.tables, &p.tables.want
	w.model, w.servers, w.goal, w.loss = p.job.Model(), int32(p.job.Servers()), p.goal, p.loss
	w.span, w.reserve, w.share, w.grid = p.job.Objective().Within.Seconds(), p.set.Reserve.Seconds(), p.set.Share, p.set.Grid
	w.usd, w.full, w.pools = w.usd[:0], append(w.full[:0], p.full...), append(w.pools[:0], p.pools...)
	unit := p.unit()
	for k, usd := range p.usd {
		if p.pools[k].spot { // to 4 %
			usd = unit * math.Exp(math.Round(math.Log(usd/unit)*25)/25)
		}
		w.usd = append(w.usd, usd)
	}
	w.site, w.moves = w.site[:0], w.moves[:0]
	if m := &p.moves; m.any {
		w.site, w.moves = append(w.site, m.site...), append(append(w.moves, m.usd...), m.seconds...)
	}
	p.regimes.draw(p)
	p.regimes.law(w.pools)
	for i := range x.list {
		if t := &x.list[i]; t.steep > 0 && t.key.is(w) {
			p.now.table = t
			t.until(p.step(t), &p.tables)
			return
		}
	}
	t := &x.list[x.next]
	x.next = (x.next + 1) % kept
	old := t.key
	t.key = *w
	t.usd, t.full, t.pools = append(old.usd[:0], w.usd...), append(old.full[:0], w.full...), append(old.pools[:0], w.pools...)
	t.site, t.moves = append(old.site[:0], w.site...), append(old.moves[:0], w.moves...)
	p.regimes.clusters(p, t.usd)
	t.fill(p)
	p.now.table = t
	t.until(p.step(t), x)
}

// unit returns the price in which those of spot are counted, USD per hour: that of the first pool on demand, so that the decisions are the same
// in another currency. 1 where nothing on demand has a price.
func (p *planner) unit() float64 {
	for k, usd := range p.usd {
		if !p.pools[k].spot && usd > 0 {
			return usd
		}
	}
	return 1
}

// step returns the step of a table that the job is in.
func (p *planner) step(t *table) int {
	return int(p.v.Now().Sub(p.job.Submitted()).Seconds() / t.dt)
}

// work returns the work of the whole job.
func (p *planner) work(usd []float64) float64 {
	first := math.Inf(1)
	all, _ := p.front.Clusters(p.v, p.full, usd)
	for i := range all {
		first = min(first, all[i].Begin())
	}
	if !(first < p.goal) {
		return 1
	}
	return p.goal - first
}

// sort orders the regimes by what their best clusters gain from each place.
func (t *table) sort(p *planner) {
	list, places := p.regimes.list, p.moves.places
	t.regimes = len(list)
	n := len(list) * len(places)
	t.quality, t.order = slices.Grow(t.quality[:0], drawn*len(places))[:n], slices.Grow(t.order[:0], drawn*len(places))[:n]
	for i := range n {
		t.quality[i] = 0
		for _, c := range list[i%len(list)].from[i/len(list)] {
			t.quality[i] = max(t.quality[i], t.price*c.rate-c.usd-(c.paid+c.stopped*t.price*c.rate)/t.lasts)
		}
		k := i // insert it
		for ; k%len(list) > 0 && t.quality[k-1] > t.quality[k]; k-- {
			t.quality[k-1], t.quality[k] = t.quality[k], t.quality[k-1]
			t.order[k] = t.order[k-1]
		}
		t.order[k] = i
	}
}

// fill works the table out.
func (t *table) fill(p *planner) {
	r := &p.regimes
	n := len(r.list)
	t.weight, t.price, t.rescue = slices.Grow(t.weight[:0], drawn*drawn), r.prior, r.rescue
	t.steps = p.set.Grid
	if n > 1<<listed-1 {
		t.steps = (t.steps + 1) / 2
	}
	t.points = 2 * t.steps
	t.dt, t.dw = max(t.span, 1)/float64(t.steps), p.work(t.usd)/float64(t.points)
	often := r.changes(t.pools) * t.dt / 3600
	t.keep, t.lasts = math.Exp(-often), t.dt/often
	t.sort(p)
	for range n {
		for i := range r.list {
			t.weight = append(t.weight, (1-t.keep)*r.list[i].weight)
		}
	}
	t.changes(p, 1/lasts(often))
	t.begin(r.list, &p.tables)
}

// begin allocates the values, and works those out of after the last step.
func (t *table) begin(list []regime, x *tables) {
	n, fast := len(t.quality), corner{}
	t.steep, t.low, t.corners = 0, t.steps, slices.Grow(t.corners[:0], n)[:n]
	for i := range n {
		from := list[i%len(list)].from[i/len(list)]
		t.corners[i] = append(slices.Grow(t.corners[i][:0], cap(from)), from...)
	}
	for i := range list {
		corners := list[i].corners
		for k := 1; k < len(corners); k++ {
			a, b := corners[k-1], corners[k]
			if b.rate > a.rate {
				t.steep = max(t.steep, 2*(b.usd-a.usd)/(b.rate-a.rate))
			}
			if b.rate > fast.rate {
				fast = b
			}
		}
	}
	t.steep = max(t.steep, 10*fast.usd/max(fast.rate, math.SmallestNonzeroFloat64))
	if t.steep == 0 { // all is free: being late costs something still
		t.steep = 1
	}
	size := (t.steps + 2) * n * (t.points + 1)
	x.maxSize = max(x.maxSize, size) // so that in time no table needs more memory
	t.next, t.rates = slices.Grow(t.next[:0], x.maxSize)[:size], slices.Grow(t.rates[:0], x.maxSize)[:size]
	t.memory(x)
	for i := range n * (t.points + 1) {
		t.values[i] = t.steep * t.dw * float64(i%(t.points+1))
		for s := t.steps; s < t.steps+2; s++ {
			t.rates[s*n*(t.points+1)+i] = fast.rate
		}
	}
	t.expect(t.steps + 1)
	t.expect(t.steps)
}

// memory lends the table memory for the values of a step.
func (t *table) memory(x *tables) {
	size := len(t.quality) * (t.points + 1)
	t.values = slices.Grow(x.values[:0], size)[:size]
	x.values = t.values
}

// until works the values out back to a step, the last one first; the steps before are left until they are asked for.
func (t *table) until(step int, x *tables) {
	if t.low <= step {
		return
	}
	t.memory(x)
	for ; t.low > max(step, 0); t.low-- {
		s := t.low - 1
		for i := range t.corners {
			t.best(s, i, t.corners[i])
			t.rescued(s, i, t.corners[i])
		}
		t.expect(s)
	}
}

// lasts is the mean part of a step for which what ends at a rate, times a step, is there.
func lasts(often float64) float64 {
	if often < 1e-9 {
		return 1
	}
	return -math.Expm1(-often) / often
}

// changes works out what changes from one regime to another cost, where there are times as many in a step as are seen at its end.
func (t *table) changes(p *planner, times float64) {
	r := &p.regimes
	n := len(r.list)
	t.shift, t.change = slices.Grow(t.shift[:0], drawn*drawn)[:n*n], slices.Grow(t.change[:0], drawn*drawn)[:n*n]
	boot, notice := 0.0, math.Inf(1)
	for k := range p.pools {
		if p.full[k] > 0 {
			boot = max(boot, p.pools[k].boot)
		}
	}
	t.boot = boot
	for _, k := range r.spot {
		notice = min(notice, p.v.Pool(k).Notice.Seconds())
	}
	loss := 0.0
	if !p.front.Elastic() {
		loss = p.loss.Stall.Seconds()
	}
	for a := range n {
		for b := range n {
			from, to := r.list[a].best, r.list[b].best
			work, usd := 0.0, 0.0
			switch {
			case a == b:
			case to.rate > from.rate:
				work = (to.rate-from.rate)*boot + to.rate*loss
			default:
				work = to.rate * (loss + max(boot-notice, 0))
				usd = to.onDemand * min(boot, notice)
			}
			t.shift[a*n+b], t.change[a*n+b] = times*work/t.dw, times*usd
		}
	}
}

// expect works out what the values of a step are expected to be, by the regime at the step before.
func (t *table) expect(step int) {
	n := t.regimes
	for state := range t.quality {
		a, place := state%n, state-state%n
		out, same := t.row(t.next, step, state), t.values[state*(t.points+1):][:t.points+1]
		for i := range out {
			out[i] = t.keep * same[i]
		}
		for b := range n {
			w := t.weight[a*n+b]
			if w == 0 {
				continue
			}
			values, usd := t.values[(place+b)*(t.points+1):][:t.points+1], t.change[a*n+b]
			whole, f := math.Modf(t.shift[a*n+b])
			last := len(values) - 2
			i := 1
			if within := min(last-int(whole), len(out)-1); within > 0 {
				from := values[1+int(whole):]
				for k, to := 0, out[1:within+1]; k < len(to); k++ {
					to[k] += w * (from[k] + f*(from[k+1]-from[k]) + usd)
				}
				i += within
			}
			for ; i < len(out); i++ { // beyond
				x := f + float64(i+int(whole)-last)
				out[i] += w * (values[last] + x*(values[last+1]-values[last]) + usd)
			}
		}
		out[0] = 0
	}
}

// at returns a value at a number of points, linear between them and beyond.
func at(values []float64, x float64) float64 {
	if x <= 0 {
		return 0
	}
	i := min(int(x), len(values)-2)
	f := x - float64(i)
	return values[i] + f*(values[i+1]-values[i])
}

// best works out the values of a step in a regime: the cheapest of its clusters.
func (t *table) best(step, state int, corners []corner) {
	out, rates := t.values[state*(t.points+1):][:t.points+1], t.row(t.rates, step, state)
	out[0], rates[0] = 0, 0
	for i := 1; i <= t.points; i++ {
		out[i] = math.Inf(1)
	}
	for _, c := range corners {
		move, usd := c.rate*max(t.dt-c.stopped, 0)/t.dw, c.usd*t.dt
		next := t.row(t.next, step+1, c.to*t.regimes+state%t.regimes)
		whole := int(math.Ceil(move))
		f := float64(whole) - move                    // the part of the next point
		for i := 1; i < min(whole, t.points+1); i++ { // it is done within the step
			if x := usd*float64(i)/move + c.paid; x < out[i] {
				out[i], rates[i] = x, c.rate
			}
		}
		if whole == 0 { // nothing is done
			for i := 1; i <= t.points; i++ {
				if x := usd + next[i] + c.paid; x < out[i] {
					out[i], rates[i] = x, c.rate
				}
			}
			continue
		}
		if whole > t.points {
			continue
		}
		to, at, from := out[whole:], rates[whole:], next[:len(out)-whole+1]
		for k := range to {
			if x := usd + from[k] + f*(from[k+1]-from[k]) + c.paid; x < to[k] {
				to[k], at[k] = x, c.rate
			}
		}
	}
}

// rescued takes in that the safe form waits no longer than until its cluster is sure to be in time, unless a cluster is whose part
// on demand is.
func (t *table) rescued(step, state int, corners []corner) {
	if t.rescue.rate == 0 {
		return
	}
	out, rates := t.values[state*(t.points+1):][:t.points+1], t.row(t.rates, step, state)
	left := t.span - t.dt*float64(step) - t.reserve - t.bound
	from := max(int(math.Ceil(left*t.rescue.rate/t.dw)), 1)
	for i := from; i <= t.points; i++ {
		work := t.dw * float64(i)
		usd := t.rescue.pays * (t.boots + work/t.rescue.rate)
		late := max(work-(left+t.bound-t.boots)*t.rescue.rate, 0)
		out[i] = max(out[i], usd+t.steep*late)
	}
	for _, c := range corners {
		sure := min(int(c.sure*(left+t.bound)/t.dw), t.points)
		for i := 1; i <= sure; i++ {
			if usd := t.dw*float64(i)/c.rate*c.usd + c.paid; usd < out[i] {
				out[i], rates[i] = usd, c.rate
			}
		}
	}
}

// value returns what is expected to be paid from a step after now on, USD, given the work left, the seconds of
// the job's time and the place of its state then; quality is what the best cluster there is now gains from there, held the rate of what is held.
func (t *table) value(work, seconds, quality, held float64, place int) float64 {
	if work <= 0 {
		return 0
	}
	known, k, f := t.quality[place*t.regimes:][:t.regimes], t.regimes-1, 0.0
	for i := 1; i < len(known); i++ {
		if quality < known[i] {
			k = i - 1
			if better := quality - known[k]; better > 0 {
				f = better / (known[i] - known[k])
			}
			break
		}
	}
	k += place * t.regimes
	s := min(max(seconds/t.dt, 0), float64(t.steps))
	if missing := t.within(t.rates, s, work/t.dw, k, f) - held; missing > 0 { // it boots then
		work += missing * t.boot
	}
	return t.within(t.next, s, work/t.dw, k, f)
}

// within returns what lies between two steps, points and regimes.
func (t *table) within(of []float64, s, x float64, k int, f float64) float64 {
	step := int(s)
	g := s - float64(step)
	value := func(k int) float64 {
		state := t.order[k]
		low := at(t.row(of, step, state), x)
		return low + g*(at(t.row(of, step+1, state), x)-low)
	}
	if f == 0 {
		return value(k)
	}
	low := value(k)
	return low + f*(value(k+1)-low)
}
