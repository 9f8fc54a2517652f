package skynomad

import "slices"

// burst compares failures with what the hazards made expect.
type burst struct {
	spotAge, probeAge remembered // of the open run, at the Update before
	list              []exposure
	value             float64 // 0: not known yet
}

// remembered is an age in hours that may be forgotten.
type remembered struct {
	hours float64
	known bool
}

// exposure is a tick's expected and seen failures.
type exposure struct {
	risk  float64
	fails int
}

func (b *burst) factor() float64 { return max(b.value, 1) }

// maxRisk bounds the expected failures that are kept.
const maxRisk = 8

// Launched tells that an instance of the zone was launched: its age is 0.
func (l *Lifetimes) Launched() {
	l.spotAge, l.probeAge = remembered{0, true}, remembered{}
}

// Seen tells whether a probe found capacity.
func (l *Lifetimes) Seen(up bool) { l.probeAge = remembered{0, up} }

// follow adds the exposure of a tick and computes the factor anew.
func (b *burst) follow(l *Lifetimes, tickH float64) {
	before := b.remember(l, tickH)
	risk := b.risk(l, before, tickH)
	if risk == 0 && l.fails == 0 {
		return
	}
	b.list = append(b.list, exposure{risk, l.fails})
	l.fails = 0
	total := 0.0
	for _, e := range b.list {
		total += e.risk
	}
	for len(b.list) > 1 && total-b.list[0].risk >= maxRisk {
		total -= b.list[0].risk
		b.list = slices.Delete(b.list, 0, 1)
	}
	b.value = 1
	if total >= 1 {
		b.value = b.fastest()
	}
}

// remember notes the age of the open run and returns that of the tick before.
func (b *burst) remember(l *Lifetimes, tickH float64) float64 {
	if !l.running {
		b.spotAge = remembered{}
		if !l.Virtual {
			b.probeAge = remembered{}
		}
		return 0
	}
	mine, other := &b.spotAge, &b.probeAge
	if l.open.probe {
		mine, other = other, mine
	}
	before := max(l.ageH-tickH, 0)
	if mine.known {
		before = mine.hours
	}
	*mine = remembered{l.ageH, true}
	if l.open.probe || !l.Virtual {
		*other = remembered{}
	}
	return before
}

// risk returns how many failures were to be expected in the tick.
func (b *burst) risk(l *Lifetimes, before, tickH float64) float64 {
	risk := 0.0
	if l.running {
		risk = max(0, l.sum(l.ageH)-l.sum(before))
	}
	if risk > 0 || !l.running && l.fails == 0 {
		return risk
	}
	if n := len(l.steps); n == 0 {
		risk = tickH * l.tail
	} else if l.running && before >= l.steps[n-1].ageH {
		risk = l.tail * max(0, l.ageH-before)
	}
	if risk == 0 && l.fails > 0 {
		risk = tickH * l.tail
	}
	return risk
}

// fastest returns the largest ratio of seen to expected failures over the last ticks in
// which one was expected at most.
func (b *burst) fastest() float64 {
	largest, risk, fails := 1.0, 0.0, 0
	for i := len(b.list) - 1; i >= 0; i-- {
		risk, fails = risk+b.list[i].risk, fails+b.list[i].fails
		if risk > 1+1e-9 && i < len(b.list)-1 {
			break
		}
		if risk > 0 || fails > 0 {
			if risk == 0 {
				risk = 1e-6
			}
			largest = max(largest, float64(fails)/risk)
		}
	}
	return largest
}
