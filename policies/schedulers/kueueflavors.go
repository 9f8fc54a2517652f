package schedulers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/marigram/marigram/policies/schedulers/kueue"
	"github.com/marigram/marigram/sim"
)

// Quotas are those of the cluster, the same for all jobs of a run.
type Quotas struct {
	Config kueue.Config
	// Resource is what a GPU is called in them.
	Resource string
	// Each is how much of the resource a GPU is, as package kueue counts it: 1,000 of cpu. 0: 1.
	Each int64
	// Flavors says of a flavor on what it is, where that is not its name: a market (FlavorOwn, FlavorSpot,
	// FlavorOnDemand), a model of GPU or type of instance that is not on demand, or both, as on-demand/a100. A flavor
	// whose name is none of them is on all that is not on demand.
	Flavors map[string]string
	// Resizes are the numbers of GPUs that a user sets while a job is there, by its name, in the order of time: what
	// Kueue calls elastic jobs.
	Resizes map[string][]Resize
	// FailAt makes an error of a flavor, with its place in a file; nil: it has none.
	FailAt func(flavor, format string, args ...any) error
}

// The markets after which a flavor may be called.
const (
	FlavorOwn      = "own" // servers
	FlavorSpot     = "spot"
	FlavorOnDemand = "on-demand"
)

func (q *Quotas) each() int64 { return max(q.Each, 1) }

// flavors are those that the queues have of a resource, empty: of any, each once, in their order.
func (q *Quotas) flavors(resource string) (names []string) {
	for i := range q.Config.Queues {
		for _, g := range q.Config.Queues[i].Groups {
			if resource != "" && !slices.Contains(g.Resources, resource) {
				continue
			}
			for _, f := range g.Flavors {
				if !slices.Contains(names, f.Flavor) {
					names = append(names, f.Flavor)
				}
			}
		}
	}
	return names
}

// checkFlavors reports a flavor that is to be on something that the market has not: its quota would be on GPUs of
// other flavors.
func (q *Quotas) checkFlavors(market *sim.Market) error {
	var sold []string
	for p := range market.Pools() {
		pool := market.Pool(p)
		for _, name := range []string{marketOf(pool), marketOf(pool) + "/" + cmp.Or(pool.GPU, pool.InstanceType)} {
			if !slices.Contains(sold, name) {
				sold = append(sold, name)
			}
		}
	}
	inMarket := func(name string) bool {
		for p := range market.Pools() {
			if isFlavor(name, market.Pool(p)) {
				return true
			}
		}
		return false
	}
	fail := q.FailAt
	if fail == nil {
		fail = func(flavor, format string, args ...any) error {
			return fmt.Errorf("flavor %s: %w", flavor, fmt.Errorf(format, args...))
		}
	}
	var absent []string
	for _, flavor := range q.flavors(q.Resource) {
		name, given := q.Flavors[flavor]
		switch {
		case given && !inMarket(name):
			return fail(flavor, "jobs.kueue_flavors says that it is %q, which nothing in the market is, "+
				"expected one of %s", name, strings.Join(sold, ", "))
		case !given && isMarket(flavor) && !inMarket(flavor):
			absent = append(absent, flavor)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	return fail(absent[0], "nothing in the market is %s, and its quota would be on the GPUs of other flavors. "+
		"Expected such pools or servers, or what it is instead, of %s, as in jobs.kueue_flavors: {%s: %s}", absent[0],
		strings.Join(sold, ", "), strings.Join(absent, ": "+sold[0]+", "), sold[0])
}

// isMarket reports whether a name is that of a market, or of something in one.
func isMarket(name string) bool {
	market, _, _ := strings.Cut(name, "/")
	return market == FlavorOwn || market == FlavorSpot || market == FlavorOnDemand
}

// marketOf is the market of a pool.
func marketOf(p *sim.Pool) string {
	switch {
	case p.OnDemand:
		return FlavorOnDemand
	case !p.IsServer():
		return FlavorSpot
	}
	return FlavorOwn
}

// isFlavor reports whether a flavor of this name is on a pool: MARKET, TYPE or MARKET/TYPE, where a type is a model of
// GPU or a type of instance. A type alone is on demand only if MARKET says so.
func isFlavor(name string, p *sim.Pool) bool {
	market := marketOf(p)
	sells := func(what string) bool {
		return strings.EqualFold(p.GPU, what) || strings.EqualFold(p.InstanceType, what)
	}
	if what, both := strings.CutPrefix(name, market+"/"); both {
		return sells(what)
	}
	return name == market || !p.OnDemand && sells(name)
}

// flavorPools are the models of GPU of a flavor.
type flavorPools struct {
	flavor string
	models []bool
}

// findFlavors finds the models of GPU of each flavor.
func (s *kueueState) findFlavors(v sim.View) {
	ofGPUs := s.quotas.flavors(s.quotas.Resource)
	for _, flavor := range s.quotas.flavors("") {
		name := cmp.Or(s.quotas.Flavors[flavor], flavor)
		made := flavorPools{flavor: flavor, models: make([]bool, len(s.gpus.models))}
		mark := func(is func(*sim.Pool) bool) (found bool) {
			for m, pools := range s.gpus.models {
				made.models[m] = is(v.Pool(pools[0]))
				found = found || made.models[m]
			}
			return found
		}
		if !mark(func(p *sim.Pool) bool { return isFlavor(name, p) }) {
			if !mark(func(p *sim.Pool) bool { return !p.OnDemand }) {
				mark(func(*sim.Pool) bool { return true })
			}
			if len(ofGPUs) > 1 && slices.Contains(ofGPUs, flavor) {
				s.unnamed = append(s.unnamed, flavor)
			}
		}
		s.backed = append(s.backed, made)
	}
}

// runsOn returns the flavors on which a job runs; nil: all.
func (s *kueueState) runsOn(v sim.View, j int, into []string) []string {
	if len(s.gpus.models) == 1 {
		return nil
	}
	all := true
	for i := range s.backed {
		f := &s.backed[i]
		runs := false
		for m, pools := range s.gpus.models {
			runs = runs || f.models[m] && s.gpus.runsOn(gang(v, j), pools[0])
		}
		all = all && runs
		if runs {
			into = append(into, f.flavor)
		}
	}
	if all {
		return nil
	}
	return into
}

// flavorOf returns the first flavor of a pool.
func (s *kueueState) flavorOf(p int) string {
	for i := range s.backed {
		f := &s.backed[i]
		for m, pools := range s.gpus.models {
			for _, other := range pools {
				if other == p && f.models[m] {
					return f.flavor
				}
			}
		}
	}
	return ""
}
