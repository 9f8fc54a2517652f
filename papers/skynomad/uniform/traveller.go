package uniform

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/marigram/marigram/policies/policyutil"
	"github.com/marigram/marigram/policies/skynomad"
	"github.com/marigram/marigram/sim"
)

// traveller is what Uniform Progress in several zones remembers of a job.
type traveller struct {
	skynomad.Reckoning
	polled sim.Time
	phase  phase
	kind   skynomad.Kind // of what the job means to train on
	pool   int           // where; none
	leader int           // the pool where it last was; none
	last   int           // the same, of those whose region is known
	late   bool          // on demand from now on

	wanted skynomad.Kind // what it leaves from for
	stay   bool          // it left on demand only because it is ahead
	from   int

	zones []sight     // by pool
	main  int         // the zone whose instances count as samples; none
	order []candidate // zones to try
	at    int         // of which this is next
}

// sight is what was seen of a zone.
type sight struct {
	last      [5]bool  // the last samples, the newest first
	n         int      // how many of them there are
	up, all   int      // samples ever
	nextHeld  sim.Time // from which what is held counts again
	nextProbe sim.Time
	asked     bool // by a probe under way
}

// candidate is a zone and how good it is.
type candidate struct {
	pool  int
	score float64
}

// Pools implements policyutil.Kept.
func (n *traveller) Pools() int { return len(n.zones) }

// Restart implements policyutil.Kept.
func (n *traveller) Restart(pools int) {
	if len(n.zones) != pools {
		n.zones = make([]sight, pools)
	}
	clear(n.zones)
	*n = traveller{zones: n.zones, order: n.order[:0], polled: sim.Never, pool: none, leader: none, last: none, from: none, main: none}
}

// CopyFrom implements policyutil.Kept.
func (n *traveller) CopyFrom(src *traveller) {
	*n = *src
	n.zones, n.order = slices.Clone(src.zones), slices.Clone(src.order)
}

// first returns the first zone of the spec; none if there is none.
func (n *traveller) first() int {
	best := none
	for i := range n.order {
		if q := n.order[i].pool; best == none || q < best {
			best = q
		}
	}
	return best
}

// sample notes whether the zone had spot.
func (s *sight) sample(up bool) {
	copy(s.last[1:], s.last[:])
	s.last[0] = up
	s.n = min(s.n+1, len(s.last))
	s.all++
	if up {
		s.up++
	}
}

// share returns how often the zone had spot: of all samples, or of the last ones.
func (s *sight) share(ever bool) float64 {
	up, all := s.up, s.all
	if !ever {
		up, all = 0, s.n
		for _, x := range s.last[:s.n] {
			if x {
				up++
			}
		}
	}
	if all == 0 {
		return 0.5
	}
	return float64(up) / float64(all)
}

// rank lists the zones, the best first; of equal ones the first.
func (t *travel) rank() {
	n := t.n
	n.order = n.order[:0]
	for q := range n.zones {
		if t.CanTrain(q) {
			n.order = append(n.order, candidate{q, t.score(q)})
		}
	}
	slices.SortStableFunc(n.order, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	if t.search == byPrice && n.last != none {
		here := t.View.Pool(n.last)
		away := 0
		for i := range n.order { // a stable partition: those of another region first
			if x := n.order[i]; t.View.Pool(x.pool).Region != here.Region || t.View.Pool(x.pool).Cloud != here.Cloud {
				copy(n.order[away+1:i+1], n.order[away:i])
				n.order[away] = x
				away++
			}
		}
	}
	for _, x := range n.order {
		t.Plan.AddCandidate(sim.Candidate{Name: t.View.Pool(x.pool).Name, Score: math.Abs(x.score), Unit: t.search.unit(), Note: t.search.note()})
	}
}

// score is what zones are tried by.
func (t *travel) score(q int) float64 {
	switch t.search {
	case byPrice:
		return -t.WorkUSD(&t.n.Reckoning, q)
	case byAvailability:
		return t.n.zones[q].share(false)
	case byAvailabilityPerUSD:
		return t.n.zones[q].share(true) / t.WorkUSD(&t.n.Reckoning, q)
	}
	return 0
}

func (s search) unit() string {
	return [...]string{byPrice: "USD/h", asListed: "", byAvailability: "", byAvailabilityPerUSD: "1/USD"}[s]
}

func (s search) note() string {
	return [...]string{byPrice: "an hour of work", asListed: "in the order of the spec", byAvailability: "share of the last looks that found spot",
		byAvailabilityPerUSD: "share of all looks that found spot, by the price of an hour of work"}[s]
}

// keeps reports whether the zone that the job has is as good as the first, or nearly.
func (t *travel) keeps() bool {
	n := t.n
	mine, first := t.score(n.pool), n.order[0]
	switch {
	case !t.search.samples() || first.pool == n.pool:
		return true
	case t.search == byAvailability:
		return mine >= first.score-1e-6
	}
	return mine >= 0.9*first.score
}

// follow counts what the job has as samples.
func (t *travel) follow() {
	n := t.n
	if !t.search.samples() {
		return
	}
	if n.main != none && n.pool != n.main {
		n.zones[n.main].sample(false)
		n.main = none
		if t.search == byAvailabilityPerUSD {
			return
		}
	}
	if n.main == none && t.search == byAvailability && n.kind == skynomad.Spot {
		n.main = n.pool
	}
	if n.main == none {
		return
	}
	if s := &n.zones[n.main]; t.View.Now() >= s.nextHeld {
		s.sample(true)
		t.sampled(n.main)
	}
}

// nextSample returns when a zone that is sampled now is due again: n polls on.
func (t *travel) nextSample() sim.Time {
	polls := max(1, math.RoundToEven(t.every.Seconds()/t.Poll.Seconds()))
	return t.View.Now().Add(time.Duration(polls)*t.Poll - t.Since()%t.Poll)
}

// sampled sets when a zone that the job has is sampled next.
func (t *travel) sampled(q int) {
	s := &t.n.zones[q]
	s.nextHeld = t.nextSample()
	if t.search == byAvailabilityPerUSD {
		s.nextProbe = s.nextHeld
	}
}

// probes requests one instance of each zone that is due; UP(A) of that alone of which it has
// seen least.
func (t *travel) probes() {
	n := t.n
	if !t.search.samples() {
		return
	}
	smallest := none
	for q := range n.zones {
		s := &n.zones[q]
		if q == n.main || n.kind == skynomad.Spot && n.pool == q || t.View.Now() < s.nextProbe || !t.CanTrain(q) || t.View.Pool(q).Boot.Median == 0 ||
			t.Hold[q] > 0 || policyutil.Headroom(t.View, t.Plan, t.ID, q) < t.Instances {
			continue
		}
		if t.search == byAvailabilityPerUSD {
			t.probe(q)
		} else if smallest == none || s.n < n.zones[smallest].n {
			smallest = q
		}
	}
	if smallest != none {
		t.probe(smallest)
	}
}

func (t *travel) probe(q int) {
	t.n.zones[q].asked = true
	t.Hold[q] = 1
	t.n.phase = probing
	t.Plan.AskAgain()
}

// probed notes what the probes found, and gives their instances back.
func (t *travel) probed() {
	n := t.n
	n.phase = idle
	for q := range n.zones {
		s := &n.zones[q]
		if !s.asked {
			continue
		}
		s.asked = false
		s.sample(t.View.Held(t.ID, q).Active() > 0)
		t.Hold[q] = 0
		s.nextProbe = t.nextSample()
		if t.search == byAvailabilityPerUSD {
			s.nextHeld = s.nextProbe
		}
	}
}

// search is how a zone is looked for.
type search uint8

// travel is one decision on one job.
type travel struct {
	skynomad.Decision
	search search
	every  time.Duration // between probes
	n      *traveller
}

const (
	byPrice search = iota
	asListed
	byAvailability
	byAvailabilityPerUSD
)

// samples reports whether it remembers which zones had spot.
func (s search) samples() bool { return s >= byAvailability }
