package adrs

import "math"

// terms are what is fixed of the runs that a table is for.
type terms struct {
	gapS, workS, deadlineS, restartS float64
	spotUSD, onDemandUSD             float64 // a tick
	unitS                            float64 // of work: between two rows of a table
}

func (m *terms) ticks() int { return int(math.Floor(m.deadlineS / m.gapS)) }

// launching is how many ticks after a launch have less than full work.
func (m *terms) launching() int { return int(math.Ceil(m.restartS / m.gapS)) }

// work is what a tick does, so many ticks after the launch, s.
func (m *terms) work(since int) float64 {
	return min(max(float64(since+1)*m.gapS-m.restartS, 0), m.gapS)
}

// rest is the overhead that is left after such a tick, s.
func (m *terms) rest(since int) float64 { return max(m.restartS-float64(since+1)*m.gapS, 0) }

// spotFits reports whether spot may run in a tick, after which so much work is left: if it is lost then, a launch on
// demand must still be in time before the guard keeps a spot that is gone.
func (m *terms) spotFits(tick int, left float64) bool {
	return left <= 1e-3 || left+m.restartS <= float64(m.ticks()-tick-2)*m.gapS
}

// fits reports whether so much work and overhead after a tick can be done on demand in time.
func (m *terms) fits(tick int, left float64) bool { return left <= float64(m.ticks()-tick-1)*m.gapS }

// What is held at a decision has a place in a row: nothing, spot, on demand, each of the latter so many ticks after its
// launch; first while spot is there, then while it is not, when none runs.
func (m *terms) place(up bool, held Kind, since int) int {
	n := m.launching()
	since = min(since, n)
	switch {
	case up && held == None:
		return 0
	case up && held == Spot:
		return since
	case up:
		return n + since
	case held == OnDemand:
		return 2*n + 1 + since
	}
	return 2*n + 1
}

func (m *terms) places() int { return 3*m.launching() + 2 }

// valueTable holds the least expected cost of the rest of a run under one law: by tick and work left in units, and in such a
// row by class of age and place.
type valueTable struct {
	*terms
	law    *law
	flip   [2][classes]float32 // of the law, in ticks of the terms
	grow   [classes]float32
	other  []int // by place: that when spot comes or goes
	first  []int // by tick: the least work, in units
	values [][]float32
	width  int // of a row
	best   []float32
}

// outOfTime is the value of a state from which the job cannot be in time.
const outOfTime = 500

// solve makes the table by backward recursion: the job is always in time, by the rules of spotFits and fits.
func solve(m *terms, l *law) *valueTable {
	ticks := m.ticks()
	n := m.launching()
	t := &valueTable{terms: m, law: l, first: make([]int, ticks+1), values: make([][]float32, ticks+1),
		width: classes * m.places(), other: make([]int, m.places())}
	scale := m.gapS / lawTickS
	for k := range classes {
		t.grow[k] = float32(min(grows(k)*scale, 1))
		for s := range t.flip {
			t.flip[s][k] = float32(1 - math.Pow(1-l.flip[s][k], scale))
		}
	}
	t.other[0] = m.place(false, None, 0)
	t.other[t.other[0]] = 0
	for since := 1; since <= n; since++ {
		t.other[m.place(true, Spot, since)] = t.other[0]
		t.other[m.place(true, OnDemand, since)] = m.place(false, OnDemand, since)
		t.other[m.place(false, OnDemand, since)] = m.place(true, OnDemand, since)
	}
	var after []float32
	t.best = make([]float32, (1+2*(n+1))*2*classes)
	for tick := ticks; tick >= 0; tick-- {
		t.first[tick] = max(0, int(math.Floor((m.workS-float64(tick)*m.gapS)/m.unitS)))
		last := int(math.Ceil(min(m.workS, float64(ticks-tick)*m.gapS) / m.unitS))
		t.values[tick] = make([]float32, max(last-t.first[tick]+1, 2)*t.width)
		if tick < ticks {
			after = t.expected(tick+1, after)
		}
		for i := range len(t.values[tick]) / t.width {
			t.decide(tick, float64(t.first[tick]+i)*m.unitS, after, t.values[tick][i*t.width:(i+1)*t.width])
		}
	}
	return t
}

// expected fills in what is to be expected one tick before, by class of age then and what is held after the decision.
func (t *valueTable) expected(tick int, into []float32) []float32 {
	values := t.values[tick]
	if cap(into) < len(values) {
		into = make([]float32, len(values)+8*t.width)
	}
	into = into[:len(values)]
	places := t.places()
	for at := 0; at < len(values); at += t.width {
		row := values[at : at+t.width]
		for k := range classes {
			for p := range places {
				into[at+k*places+p] = t.next(row, k, p)
			}
		}
	}
	return into
}

// next is the mean of a row of the next tick, for the class of age now and a place.
func (t *valueTable) next(row []float32, k, place int) float32 {
	places := len(t.other)
	older := min(k+1, classes-1)
	stays := row[k*places+place] + t.grow[k]*(row[older*places+place]-row[k*places+place])
	s := 1
	if place > 2*t.launching() {
		s = 0
	}
	return stays + t.flip[s][k]*(row[t.other[place]]-stays)
}

// at returns the rows of a tick below and above an amount of work, and the share of that above.
func (t *valueTable) at(tick int, left float64, values []float32) (below, above []float32, share float32) {
	x := left/t.unitS - float64(t.first[tick])
	if left < t.unitS { // the last unit costs a tick, however little is left
		x = float64(1 - t.first[tick])
	}
	rows := len(values) / t.width
	i := min(max(int(math.Floor(x)), 0), rows-1)
	j := min(i+1, rows-1)
	return values[i*t.width : (i+1)*t.width], values[j*t.width : (j+1)*t.width], float32(x - float64(i))
}

// decide fills in the values of a tick with so much work left: after has what is to be expected of the next.
func (t *valueTable) decide(tick int, left float64, after, into []float32) {
	if left <= 0 {
		return
	}
	m := t.terms
	n := m.launching()
	places := m.places()
	spot := func(since int) []float32 { return t.best[(1+since)*2*classes:][:2*classes] }
	onDemand := func(since int) []float32 { return t.best[(2+n+since)*2*classes:][:2*classes] }
	idle := t.best[:2*classes]
	t.option(tick, 0, left, m.fits(tick, left+m.restartS), after, None, 0, idle)
	for since := range n + 1 {
		rest := left - m.work(since)
		t.option(tick, m.spotUSD, rest, m.spotFits(tick, rest), after, Spot, since+1, spot(since))
		t.option(tick, m.onDemandUSD, rest, m.fits(tick, max(rest, 0)+m.rest(since)), after, OnDemand, since+1, onDemand(since))
	}
	for k := range classes {
		v := into[k*places : (k+1)*places]
		up := 2 * k
		down := up + 1
		v[0] = min(idle[up], spot(0)[up], onDemand(0)[up])
		v[2*n+1] = min(idle[down], onDemand(0)[down])
		for since := 1; since <= n; since++ {
			v[since] = min(idle[up], spot(since)[up], onDemand(0)[up])
			v[n+since] = min(idle[up], spot(0)[up], onDemand(since)[up])
			v[2*n+1+since] = min(idle[down], onDemand(since)[down])
		}
	}
}

// option fills in the value of an option, by class of age and whether spot is there.
func (t *valueTable) option(tick int, usd, left float64, fits bool, after []float32, held Kind, since int, into []float32) {
	cost := float32(usd)
	if !fits {
		cost = outOfTime
	}
	if !fits || left <= 0 {
		for i := range into {
			into[i] = cost
		}
		return
	}
	below, above, share := t.at(tick+1, left, after)
	up := t.place(true, held, since)
	down := t.place(false, held, since)
	for k := range classes {
		u := k*len(t.other) + up
		d := k*len(t.other) + down
		into[2*k] = cost + below[u] + share*(above[u]-below[u])
		into[2*k+1] = cost + below[d] + share*(above[d]-below[d])
	}
}

// value returns the expected cost after a tick: so much work is left, and a place is held of the class of age now.
func (t *valueTable) value(tick int, left float64, class, place int) float64 {
	if left <= 0 {
		return 0
	}
	below, above, share := t.at(tick+1, left, t.values[tick+1])
	low := t.next(below, class, place)
	return float64(low + share*(t.next(above, class, place)-low))
}

// planner is the policy: the choice of least mean value over the laws, as likely as the run's own past makes them. Where
// there are many zones spot is there if any has it; it stays in a zone until it is lost, and then takes the cheapest.
type planner struct {
	tables  []*valueTable
	laws    []*law
	without string // the law of the run's own history, which it may not know
	belief  belief
}

// Decide implements Program.
func (p *planner) Decide(v *View) (Choice, error) {
	m := p.tables[0].terms
	if v.Tick == 0 {
		p.belief.begin(p.laws, p.without, m.gapS)
	}
	p.belief.see(v.Up != 0)
	left := v.Case.WorkS - v.DoneS
	zone := v.Zone
	held := v.Last
	if held == Spot && !v.Has {
		held = None
	}
	if held != Spot && v.Up != 0 {
		zone = cheapest(v)
	}
	if left <= 1e-8 {
		return Choice{None, v.Zone}, nil
	}
	kind := p.choose(v, zone, held, left)
	if kind != Spot {
		zone = v.Zone // to move on demand, or with nothing, gains nothing
	}
	return Choice{kind, zone}, nil
}

// cheapest returns the cheapest of the zones with spot.
func cheapest(v *View) int {
	best := -1
	for zone := range v.Case.Zones {
		if v.up(zone) && (best < 0 || v.Case.Zones[zone].USD < v.Case.Zones[best].USD) {
			best = zone
		}
	}
	return best
}

// choose returns the kind of least mean value among those with which the job is in time.
func (p *planner) choose(v *View, zone int, held Kind, left float64) Kind {
	m := p.tables[0].terms
	since := m.launching()
	if v.LeftS > 0 {
		since = int(math.Round((m.restartS - v.LeftS) / m.gapS))
	}
	after := func(kind Kind) (work float64, place, ticks int) {
		ticks = 0
		if kind == held {
			ticks = since
		}
		if kind == None {
			return left, m.place(v.Up != 0, None, 0), 0
		}
		return left - m.work(ticks), m.place(v.Up != 0, kind, ticks+1), ticks
	}
	best := OnDemand
	rest, place, _ := after(OnDemand)
	bestUSD := m.onDemandUSD + p.mean(v, rest, place)
	rest, place, _ = after(Spot)
	if v.Up != 0 && m.spotFits(v.Tick, rest) {
		if usd := v.Case.Zones[zone].USD*m.gapS/3600 + p.mean(v, rest, place); usd < bestUSD {
			best = Spot
			bestUSD = usd
		}
	}
	rest, place, _ = after(None)
	if m.fits(v.Tick, left+m.restartS) && p.mean(v, rest, place) < bestUSD {
		best = None
	}
	return best
}

// mean is the value after a tick, over the laws.
func (p *planner) mean(v *View, left float64, place int) (usd float64) {
	for i, t := range p.tables {
		if w := p.belief.weight[i]; w > 1e-6 {
			usd += w * t.value(v.Tick, left, p.belief.class(), place)
		}
	}
	return usd
}
