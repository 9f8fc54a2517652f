package traces

import (
	"math"
	"slices"

	"github.com/marigram/marigram/plots"
	"github.com/marigram/marigram/traces"
	"github.com/marigram/marigram/traces/describe"
)

// lifetimes groups those of machines by what tells few enough groups apart:
// pool, instance type, GPU, or nothing.
func lifetimes(set *traces.Set) []plots.Lifetimes {
	lifetimes, _ := describe.Lifetimes(set)
	for _, name := range []func(*traces.Pool) string{
		func(p *traces.Pool) string { return p.Name },
		func(p *traces.Pool) string { return p.InstanceType },
		func(p *traces.Pool) string { return p.GPUType },
	} {
		if groups := groupLifetimes(set, lifetimes, name); len(groups) <= plots.MaxCurves {
			return groups
		}
	}
	return groupLifetimes(set, lifetimes, func(*traces.Pool) string { return "all machines" })
}

func groupLifetimes(set *traces.Set, lifetimes []describe.Lifetime, name func(*traces.Pool) string) []plots.Lifetimes {
	var groups []plots.Lifetimes
	members := map[string][]describe.Lifetime{}
	for i := range set.Pools {
		n := name(&set.Pools[i])
		if !slices.ContainsFunc(groups, func(g plots.Lifetimes) bool { return g.Name == n }) {
			groups = append(groups, plots.Lifetimes{Name: n})
		}
	}
	for _, l := range lifetimes {
		n := name(&set.Pools[l.Pool])
		members[n] = append(members[n], l)
	}
	for i := range groups {
		for _, s := range describe.KaplanMeier(members[groups[i].Name]).Steps {
			groups[i].Steps = append(groups[i].Steps,
				plots.SurvivalStep{H: s.Hours, S: s.Survival, Low: s.Low, High: s.High, AtRisk: s.AtRisk, Lost: s.Lost,
					Censored: s.Censored})
		}
	}
	return slices.DeleteFunc(groups, func(g plots.Lifetimes) bool { return len(g.Steps) == 0 })
}

// correlationMap is a map and the name of its file.
type correlationMap struct {
	plots.Correlations
	file string
}

// correlationMaps makes a map of the availability of all pools, and one of the
// prices of each instance type and product.
func correlationMaps(set *traces.Set, pairs []describe.Correlation) []correlationMap {
	var maps []correlationMap
	where := map[string]int{} // file to place in maps
	for _, c := range pairs {
		a, b := &set.Pools[set.PoolNamed(c.A)], &set.Pools[set.PoolNamed(c.B)]
		file, what := "correlation-availability", "availability per pool"
		if c.What == "price" {
			kind := a.InstanceType
			if a.Product != "" && a.Product != "Linux/UNIX" {
				kind += " " + a.Product
			}
			file, what = "correlation-price-"+kind, "prices of "+kind
		}
		k, ok := where[file]
		if !ok {
			k, where[file] = len(maps), len(maps)
			maps = append(maps, correlationMap{plots.Correlations{Name: set.Manifest.TraceID, What: what}, file})
		}
		maps[k].put(place(set, a, c.What), place(set, b, c.What), c.R)
	}
	return maps
}

// place names a pool on a map, by its zone where that tells it apart: prices are
// of one type.
func place(set *traces.Set, p *traces.Pool, what string) plots.Place {
	other := func(q traces.Pool) bool { return q.PoolID != p.PoolID && q.Zone == p.Zone }
	if p.Zone != "" && (what == "price" || !slices.ContainsFunc(set.Pools, other)) {
		return plots.Place{Name: p.Zone, Region: p.Region}
	}
	return plots.Place{Name: p.Name, Region: p.Region}
}

func (m *correlationMap) put(a, b plots.Place, r float64) {
	i, j := m.index(a), m.index(b)
	m.R[max(i, j)][min(i, j)] = r
}

// index finds a place, or adds it without any correlations.
func (m *correlationMap) index(p plots.Place) int {
	if i := slices.Index(m.Places, p); i >= 0 {
		return i
	}
	m.Places = append(m.Places, p)
	row := make([]float64, len(m.Places))
	for i := range row {
		row[i] = math.NaN()
	}
	m.R = append(m.R, row)
	return len(m.Places) - 1
}
