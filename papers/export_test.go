package papers

import (
	"maps"
	"slices"
)

// For tests that need the procedures, which import this package.
var (
	Reproduce = reproduce
	Judge     = judge
)

// Procedures are the names of those that are registered.
func Procedures() (names []string) {
	for _, p := range registered.All() {
		names = append(names, slices.Sorted(maps.Keys(p.Procedures))...)
	}
	return names
}

// Values returns the numbers that were reported, by item.
func (f *Figure) Values() map[string]float64 { return f.values }
