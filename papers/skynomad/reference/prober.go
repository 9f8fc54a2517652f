package reference

import "math"

// prober is Uniform Progress that samples the zones.
type prober struct {
	perDollar bool // UP(AP): by availability per dollar; else UP(A): by availability
	zones     []samples
	main      int // zone whose spot instance counts as samples; -1: none
}

// samples are what a prober has seen of a zone.
type samples struct {
	last      []bool // the last five
	up, all   int    // ever
	price     float64
	nextHeld  int // tick from which what is held counts again
	nextProbe int
}

func newProber(w *world, perDollar bool) *prober {
	p := &prober{perDollar: perDollar, zones: make([]samples, len(w.zones)), main: -1}
	for v := range p.zones {
		p.zones[v].price = w.spotUSD(v, 0)
	}
	return p
}

// every is the number of ticks between samples.
func (p *prober) every(w *world) int {
	span := 7200.0
	if p.perDollar {
		span = 3600
	}
	return max(1, int(math.RoundToEven(span/w.TickS)))
}

// sample notes whether the zone had spot.
func (s *samples) sample(up bool) {
	if s.last = append(s.last, up); len(s.last) > 5 {
		s.last = s.last[1:]
	}
	s.all++
	s.up += boolean(up)
}

// score is what zones are ranked by.
func (p *prober) score(v int) float64 {
	s := &p.zones[v]
	up, all := s.up, s.all
	if !p.perDollar {
		if up, all = 0, len(s.last); all > 0 {
			for _, x := range s.last {
				up += boolean(x)
			}
		}
	}
	ratio := 0.5
	if all > 0 {
		ratio = float64(up) / float64(all)
	}
	if p.perDollar {
		return ratio / s.price
	}
	return ratio
}

func (p *prober) decide(w *world) {
	p.follow(w)
	want, stay := w.Progress(&w.state, w.kind, true)
	if want == onDemand {
		p.leaveSpot(w)
		return
	}
	if p.seek(w, stay) || p.perDollar {
		p.probe(w)
	}
}

// follow counts what is held as samples.
func (p *prober) follow(w *world) {
	if p.main >= 0 && (w.kind != spot || w.zone != p.main) {
		p.zones[p.main].sample(false)
		p.main = -1
		if p.perDollar {
			return
		}
	}
	if p.main < 0 && !p.perDollar && w.kind == spot {
		p.main = w.zone
	}
	if p.main < 0 {
		return
	}
	if s := &p.zones[p.main]; w.tick >= s.nextHeld {
		s.sample(true)
		p.due(s, w)
	}
}

// due sets when a zone that is held is sampled next.
func (p *prober) due(s *samples, w *world) {
	s.nextHeld = w.tick + p.every(w)
	if p.perDollar {
		s.nextProbe = s.nextHeld
	}
}

// leaveSpot goes on demand.
func (p *prober) leaveSpot(w *world) {
	if w.kind != onDemand {
		zone := w.zone
		if zone >= 0 {
			w.end()
		}
		w.onDemand(p.fallback(w, zone))
	}
	p.main = -1
}

func (p *prober) fallback(w *world, zone int) int {
	if p.perDollar {
		return max(zone, 0)
	}
	return w.fallback(zone)
}

// seek keeps a spot instance or looks for one, and reports whether one is held at last.
func (p *prober) seek(w *world, stay bool) bool {
	rank := w.ranked(p.score)
	if w.kind == spot && p.keeps(w.zone, rank[0]) {
		p.main = w.zone
		return true
	}
	if w.zone >= 0 {
		w.end()
		p.main = -1
	}
	for _, v := range rank {
		s := &p.zones[v]
		s.price = w.spotUSD(v, w.tick)
		up := w.try(v)
		s.sample(up)
		if up {
			p.main = v
			p.due(s, w)
			return true
		}
	}
	if (p.perDollar || !stay) && w.anew() == onDemand {
		w.onDemand(p.fallback(w, -1))
		p.main = -1
	}
	return false
}

// keeps reports whether a zone is as good as the first, or nearly.
func (p *prober) keeps(zone, first int) bool {
	if p.perDollar {
		return zone == first || p.score(zone) >= 0.9*p.score(first)
	}
	return zone == first || p.score(zone) >= p.score(first)-1e-6
}

// probe samples every zone that is due; UP(A) only the one with the fewest samples.
func (p *prober) probe(w *world) {
	smallest := -1
	for v := range p.zones {
		if v == p.main || w.kind == spot && w.zone == v || w.tick < p.zones[v].nextProbe {
			continue
		}
		if p.perDollar {
			p.probeIn(w, v)
		} else if smallest < 0 || len(p.zones[v].last) < len(p.zones[smallest].last) {
			smallest = v
		}
	}
	if smallest >= 0 {
		p.probeIn(w, smallest)
	}
}

func (p *prober) probeIn(w *world, v int) {
	s := &p.zones[v]
	s.price = w.spotUSD(v, w.tick)
	s.sample(w.probe(v))
	s.nextProbe = w.tick + p.every(w)
	if p.perDollar {
		s.nextHeld = s.nextProbe
	}
}
