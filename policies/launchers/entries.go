package launchers

import "github.com/marigram/marigram/sim"

// Strategy is how SkyPilot recovers.
type Strategy string

// The strategies that differ from the default, as-released.
const (
	AsDocumented Strategy = "as-documented"
	Failover     Strategy = "failover"
)

// Resources says which kinds of instances a task of SkyPilot lists, and how.
type Resources string

// What a task lists; by default spot only.
const (
	AnyOf   Resources = "any_of"
	Ordered Resources = "ordered"
)

// Regions says what a task of SkyPilot says of regions.
type Regions string

// What a task says of regions; by default it names none.
const (
	NamedRegions   Regions = "named"
	OrderedRegions Regions = "ordered"
)

// Entry is one of the resources of a task.
type Entry struct {
	OnDemand bool
	Region   string // empty: any
}

// entries returns the number of the task's resources.
func (t *skyTurn) entries() int {
	if n := len(t.s.Entries); n > 0 {
		return n
	}
	n := 1
	if t.s.Regions == OrderedRegions {
		n = len(t.Groups(sim.ByRegion))
	}
	if t.s.Resources == AnyOf || t.s.Resources == Ordered {
		return 2 * n
	}
	return n
}

// entry returns one of them: spot of each region, and then on demand of each.
func (t *skyTurn) entry(i int) Entry {
	if len(t.s.Entries) > 0 {
		return t.s.Entries[i]
	}
	if t.s.Regions != OrderedRegions {
		return Entry{OnDemand: i == 1}
	}
	groups := t.Groups(sim.ByRegion)
	first := groups[i%len(groups)].Pools[0]
	return Entry{OnDemand: i >= len(groups), Region: t.Pool(first).Region}
}

// isOrdered reports whether an entry is asked only when those before it have nothing left.
func (t *skyTurn) isOrdered() bool {
	if len(t.s.Entries) > 0 {
		return t.s.Ordered
	}
	return t.s.Resources == Ordered || t.s.Regions == OrderedRegions
}

// namesNoRegion reports whether some entry names no region.
func (t *skyTurn) namesNoRegion() bool {
	if t.s.Regions == NamedRegions {
		return false
	}
	for i := range t.entries() {
		if t.entry(i).Region == "" {
			return true
		}
	}
	return false
}

// usesOnDemand reports whether an entry is on demand.
func (t *skyTurn) usesOnDemand() bool {
	for i := range t.entries() {
		if t.entry(i).OnDemand {
			return true
		}
	}
	return false
}
