package layout

import (
	"errors"
	"math"
	"slices"
)

// ExposedRange returns the smallest and the largest factor Exposed of the runtimes that there are. How much of a
// transfer a training program hides was measured with two of them only, on nodes of GH200 and of consumer GPUs; what
// it is on other GPUs is not known.
func ExposedRange() (low, high float64) {
	low = math.Inf(1)
	for _, runtime := range Runtimes() {
		low = min(low, runtime.Exposed)
		high = max(high, runtime.Exposed)
	}
	return low, high
}

// Chosen is the layout of a set that is the best one where the factor Exposed is between From and To.
type Chosen struct {
	Layout   Layout
	From, To float64
	AtFrom   Plan // what the layout does at either end of the range that was searched, not of its own part
	AtTo     Plan
}

// Steps of a search over Exposed.
const (
	// asked is how many factors are asked in any case: a search of a large set may find at one what it misses at
	// another.
	asked      = 6
	searchStep = 0.1  // least distance of two searches between those
	flipStep   = 0.02 // how closely the places are given where another layout becomes the best
)

// BestByExposed returns the best layouts of a set of GPUs for all factors Exposed from low to high, in the order of the
// factor: more than one where the choice depends on how much of the transfers the training program hides. Best is
// asked at six factors, and between two with different answers down to a tenth; of all layouts that were found, the
// best is taken at each factor. So a layout that is the best only between two equal answers can be missed. The error
// is that of Best, where no factor has a layout.
func (m *Model) BestByExposed(pools []Pool, batch int, want Want, low, high float64) ([]Chosen, error) {
	search := exposedSearch{model: *m, pools: pools, batch: batch, want: want}
	at := low
	answer := search.ask(low)
	for k := 1; k < asked; k++ {
		next := low + (high-low)*float64(k)/(asked-1)
		then := search.ask(next)
		if err := search.between(at, answer, next, then); err != nil {
			return nil, err
		}
		at = next
		answer = then
	}
	if len(search.found) == 0 {
		return nil, search.none
	}
	var out []Chosen
	for step := 0; ; step++ {
		factor := min(low+float64(step)*flipStep, high)
		if best := search.bestAt(factor); best >= 0 {
			if last := len(out); last > 0 && out[last-1].Layout.String() == search.found[best].Layout.String() {
				out[last-1].To = factor
			} else {
				out = append(out, Chosen{
					Layout: search.found[best].Layout,
					From:   factor,
					To:     factor,
					AtFrom: search.plan(best, low),
					AtTo:   search.plan(best, high),
				})
			}
		}
		if factor >= high {
			return out, search.failed
		}
	}
}

// exposedSearch looks for layouts at many factors Exposed.
type exposedSearch struct {
	model  Model
	pools  []Pool
	batch  int
	want   Want
	found  []Plan // all that were the best one somewhere, with their costs there
	none   error  // why a factor has no layout
	failed error  // anything else that Best says
}

// ask finds the best layout at a factor and returns its place among those found, -1 where there is none.
func (s *exposedSearch) ask(factor float64) int {
	s.model.Runtime.Exposed = factor
	plan, err := s.model.Best(s.pools, s.batch, s.want)
	if err != nil {
		if errors.Is(err, ErrNoLayout) {
			s.none = err
		} else {
			s.failed = err
		}
		return -1
	}
	text := plan.Layout.String()
	if at := slices.IndexFunc(s.found, func(p Plan) bool { return p.Layout.String() == text }); at >= 0 {
		return at
	}
	s.found = append(s.found, plan)
	return len(s.found) - 1
}

// between asks at factors between two with different answers.
func (s *exposedSearch) between(low float64, atLow int, high float64, atHigh int) error {
	if s.failed != nil || atLow == atHigh || high-low < 2*searchStep {
		return s.failed
	}
	middle := (low + high) / 2
	atMiddle := s.ask(middle)
	if err := s.between(low, atLow, middle, atMiddle); err != nil {
		return err
	}
	return s.between(middle, atMiddle, high, atHigh)
}

// plan returns what a layout that was found does at a factor.
func (s *exposedSearch) plan(at int, factor float64) Plan {
	s.model.Runtime.Exposed = factor
	plan := s.found[at]
	cost, err := s.model.Cost(&plan.Layout)
	if err != nil {
		s.failed = err
		return plan
	}
	plan.Cost = cost
	perHour := 0.0
	for i, nodes := range plan.Nodes {
		perHour += float64(nodes) * s.pools[i].USDPerHour
	}
	plan.USD = perHour*plan.Step/3600 + plan.Egress
	return plan
}

// bestAt returns which of the layouts that were found is the best one at a factor, -1 where none is within the bounds.
func (s *exposedSearch) bestAt(factor float64) int {
	best := -1
	least := math.Inf(1)
	for i := range s.found {
		plan := s.plan(i, factor)
		value := plan.Step
		if s.want.Goal == Cheapest {
			value = plan.USD
		}
		affordable := s.want.MaxUSD == 0 || plan.USD <= s.want.MaxUSD
		inTime := s.want.MaxStep == 0 || plan.Step <= s.want.MaxStep
		if affordable && inTime && value < least {
			best = i
			least = value
		}
	}
	return best
}
