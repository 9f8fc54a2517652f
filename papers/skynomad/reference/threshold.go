package reference

import (
	"cmp"
	"slices"

	"github.com/marigram/marigram/policies/skynomad"
)

// fallback is the zone for on-demand: the given one, else the leader, else the first.
func (w *world) fallback(zone int) int {
	if zone < 0 {
		zone = w.leader
	}
	return max(zone, 0)
}

// anew is Uniform Progress's answer for a job that holds nothing and finds no spot.
func (w *world) anew() skynomad.Kind {
	want, _ := w.Progress(&w.state, none, false)
	return want
}

// ranked returns the zones by score, the best first; of equal ones the first.
func (w *world) ranked(score func(v int) float64) []int {
	list := make([]int, len(w.zones))
	for v := range list {
		list[v] = v
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(score(b), score(a)) })
	return list
}

// threshold is Uniform Progress that tries the zones in their order.
type threshold struct {
	cheapest bool // UP(S): the cheapest first, but those of the last region at last
	last     int  // zone held last; -1: none
}

func (p *threshold) decide(w *world) {
	zone := w.zone
	if zone >= 0 {
		p.last = zone
	}
	want, stay := w.Progress(&w.state, w.kind, true)
	if zone >= 0 {
		if want == w.kind {
			return
		}
		w.end()
	}
	if want == spot && (slices.ContainsFunc(p.order(w), w.try) || stay || w.anew() != onDemand) {
		return
	}
	w.onDemand(w.fallback(zone))
}

// order returns the zones in the order in which they are tried.
func (p *threshold) order(w *world) []int {
	list := w.ranked(func(v int) float64 {
		if !p.cheapest {
			return 0
		}
		return -w.spotUSD(v, w.tick)
	})
	if p.cheapest && p.last >= 0 {
		here := w.zones[p.last].region()
		slices.SortStableFunc(list, func(a, b int) int {
			return boolean(w.zones[a].region() == here) - boolean(w.zones[b].region() == here)
		})
	}
	return list
}

func boolean(x bool) int {
	if x {
		return 1
	}
	return 0
}
