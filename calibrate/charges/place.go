package charges

import (
	"strings"
)

// Place is where data is. What is not known is empty.
type Place struct{ Cloud, Region, Zone string }

// Scope is how far apart two places are.
type Scope string

// The scopes; tariffs name the last three so.
const (
	SameZone    Scope = "same-zone"
	SameRegion  Scope = "same-region" // another zone of the region
	OtherRegion Scope = "other-region"
	Internet    Scope = "internet" // another cloud
)

// ScopeOf returns how far apart two places are. Places without a zone are in no other
// zone of their region, those without a region in no other region, and those without a
// cloud in no other cloud.
func ScopeOf(a, b Place) Scope {
	differ := func(x, y string) bool { return x != y && x != "" && y != "" }
	switch {
	case differ(a.Cloud, b.Cloud):
		return Internet
	case differ(a.Region, b.Region):
		return OtherRegion
	case differ(a.Zone, b.Zone):
		return SameRegion
	}
	return SameZone
}

// continents are beginnings of the names of regions.
var continents = []struct{ begin, continent string }{
	{"us", "north_america"}, {"ca-", "north_america"}, {"mx-", "north_america"}, {"northamerica", "north_america"},
	{"eu", "europe"}, {"sa-", "south_america"}, {"southamerica", "south_america"},
	{"ap-", "asia"}, {"asia", "asia"}, {"af-", "africa"}, {"africa", "africa"},
	{"me-", "middle_east"}, {"il-", "middle_east"},
	{"australia", "australia"},
}

// Continent returns the continent of a region, as tariffs name it: north_america,
// europe, asia, south_america and others; empty where the region's name does not tell.
func Continent(region string) string {
	for _, known := range continents {
		if strings.HasPrefix(region, known.begin) {
			return known.continent
		}
	}
	return ""
}

// Rates that SkyNomad's public code takes for a checkpoint (NSDI 2027), Mbit/s: within a
// region as measured, within a continent, and between two.
const (
	regionRate     = 9720
	continentRate  = 8200
	continentsRate = 3590
	megabitsPerGB  = 8192
)

// TransferSeconds returns how long n gigabytes take from one place to another, at the
// rates of SkyNomad's public code: 0 within a zone, 9.72 Gbit/s within a region, 8.2
// within a continent and 3.59 beyond, or where a region's continent is not known.
func TransferSeconds(from, to Place, gb float64) float64 {
	scope := ScopeOf(from, to)
	if scope == SameZone {
		return 0
	}
	rate := float64(continentsRate)
	if scope == SameRegion {
		rate = regionRate
	} else if continent := Continent(from.Region); continent != "" && continent == Continent(to.Region) {
		rate = continentRate
	}
	return gb * megabitsPerGB / rate
}
