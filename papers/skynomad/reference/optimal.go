package reference

import (
	"math"

	"github.com/marigram/marigram/policies/skynomad"
)

// optimal carries out the plan of one who knows all: the cheapest by whole ticks of work
// and overhead, found by dynamic programming. Many plans tie; the public code keeps the
// first that it finds, and so does this.
type optimal struct {
	plan []mode // by tick; empty: there is no plan
}

// mode is what is held in a tick, or where the job waits.
type mode struct {
	kind skynomad.Kind // none: waits
	zone int           // -1: before the first launch
}

// search is the dynamic programming. A stage is a mode with overhead ticks left and ticks
// of work done, as one number.
type search struct {
	w        *world
	modes    []mode
	launch   [][]int     // overhead ticks of a mode after another
	egress   [][]float64 // USD of a mode after another
	ticks    int
	work     int // ticks
	max      int // overhead ticks of any launch
	boundUSD float64

	feasible []bool    // in the present tick, by mode
	price    []float64 // USD of the present tick, by mode
	places   []int32   // of each stage among those of the next tick; -1: not there
	usd      []float64 // least, by place among the stages of the present tick
	next     []float64 // of the next
	stages   [][]int32 // by tick, in the order in which they are found
	from     [][]int32 // place of the stage before
}

func newOptimal(w *world) *optimal {
	s := &search{w: w, modes: []mode{{none, -1}}, ticks: int(math.Floor(w.DeadlineS / w.TickS)),
		work: int(math.Ceil(w.WorkS / w.TickS))}
	for _, kind := range []skynomad.Kind{none, onDemand, spot} {
		for v := range w.zones {
			s.modes = append(s.modes, mode{kind, v})
		}
	}
	restart := math.Ceil(w.RestartS / w.TickS)
	s.boundUSD = w.minOnDemand() * w.TickS / 3600 * (restart + float64(s.work))
	for _, a := range s.modes {
		launch, egress := make([]int, len(s.modes)), make([]float64, len(s.modes))
		for k, b := range s.modes {
			launch[k] = int(restart)
			if a.zone >= 0 && b.zone >= 0 && a.zone != b.zone {
				from, to := w.zones[a.zone], w.zones[b.zone]
				launch[k] = int(math.Ceil((w.RestartS + transferS(from, to, w.CheckpointGB)) / w.TickS))
				egress[k] = egressUSD(from, to, w.CheckpointGB)
			}
			s.max = max(s.max, launch[k])
		}
		s.launch, s.egress = append(s.launch, launch), append(s.egress, egress)
	}
	s.feasible, s.price = make([]bool, len(s.modes)), make([]float64, len(s.modes))
	s.places = make([]int32, s.stage(len(s.modes), 0, 0))
	return &optimal{s.run()}
}

// stage numbers a stage.
func (s *search) stage(mode, overhead, work int) int32 {
	return int32((mode*(s.max+1)+overhead)*(s.work+1) + work)
}

// run returns the best plan, nil if there is none.
func (s *search) run() []mode {
	s.stages, s.from, s.usd = [][]int32{{0}}, [][]int32{{-1}}, []float64{0}
	for i := range s.places {
		s.places[i] = -1
	}
	for t := range s.ticks {
		s.prices(t)
		s.stages, s.from = append(s.stages, make([]int32, 0, len(s.usd))), append(s.from, make([]int32, 0, len(s.usd)))
		s.next = s.next[:0]
		for i, usd := range s.usd {
			if usd <= s.boundUSD {
				s.expand(t, int32(i), usd)
			}
		}
		for _, x := range s.stages[t+1] {
			s.places[x] = -1
		}
		s.usd, s.next = s.next, s.usd
	}
	return s.best()
}

// best goes back from the cheapest end at which the work is done.
func (s *search) best() []mode {
	best, smallest := -1, math.Inf(1)
	for i, x := range s.stages[s.ticks] {
		if int(x)%(s.work+1) == s.work && s.usd[i] < smallest {
			best, smallest = i, s.usd[i]
		}
	}
	if best < 0 {
		return nil
	}
	plan := make([]mode, s.ticks)
	for t := s.ticks; t > 0; t-- {
		plan[t-1] = s.modes[int(s.stages[t][best])/(s.work+1)/(s.max+1)]
		best = int(s.from[t][best])
	}
	return plan
}

// prices takes down what a tick costs in each mode, and where there is spot.
func (s *search) prices(t int) {
	hours := s.w.TickS / 3600
	for k, m := range s.modes {
		s.feasible[k], s.price[k] = true, 0
		switch m.kind {
		case spot:
			s.feasible[k], s.price[k] = s.w.available(m.zone, t), hours*s.w.spotUSD(m.zone, t)
		case onDemand:
			s.price[k] = hours * s.w.zones[m.zone].OnDemandUSD
		}
	}
}

// expand follows all that can be done in a tick.
func (s *search) expand(t int, i int32, usd float64) {
	x := int(s.stages[t][i])
	work := x % (s.work + 1)
	overhead, at := x/(s.work+1)%(s.max+1), x/(s.work+1)/(s.max+1)
	now := s.modes[at]
	if s.feasible[at] {
		more := work
		if overhead == 0 && now.kind != none {
			more = min(work+1, s.work)
		}
		s.reach(t, i, at, max(overhead-1, 0), more, usd+s.price[at])
	}
	for k := 1; k < len(s.modes); k++ {
		next := s.modes[k]
		if k == at || !s.feasible[k] || next.kind == none && (now.kind == none || now.zone != next.zone) {
			continue
		}
		sum := usd + s.price[k] + s.egress[at][k]
		if sum > s.boundUSD {
			continue
		}
		switch h := s.launch[at][k]; {
		case next.kind == none:
			s.reach(t, i, k, 0, work, sum)
		case h > 0:
			s.reach(t, i, k, h-1, work, sum)
		default:
			s.reach(t, i, k, 0, min(work+1, s.work), sum)
		}
	}
}

// reach notes a way to a stage, if it is the cheapest so far and can still end in time.
func (s *search) reach(t int, from int32, mode, overhead, work int, usd float64) {
	if work+s.ticks-t-1 < s.work {
		return
	}
	x := s.stage(mode, overhead, work)
	at := &s.places[x]
	if *at < 0 {
		*at = int32(len(s.next))
		s.next = append(s.next, usd)
		s.stages[t+1] = append(s.stages[t+1], x)
		s.from[t+1] = append(s.from[t+1], from)
	} else if usd < s.next[*at] {
		s.next[*at], s.from[t+1][*at] = usd, from
	}
}

func (p *optimal) decide(w *world) {
	if w.tick >= len(p.plan) {
		return
	}
	m := p.plan[w.tick]
	switch {
	case m.kind == w.kind && (m.kind == none || m.zone == w.zone):
	case m.kind == none:
		w.end()
	case m.kind == spot:
		w.try(m.zone)
	default:
		w.onDemand(m.zone)
	}
}
