package reference

import "strings"

// Zone is one place where the job may run, tick by tick.
type Zone struct {
	Name        string    // region and letter: us-central1-a, us-east-1c
	OnDemandUSD float64   // USD per hour
	SpotUSD     []float64 // by tick, USD per hour
	Available   []bool    // by tick
}

// region is the name without the zone's letter.
func (z *Zone) region() string { return strings.TrimSuffix(z.Name[:len(z.Name)-1], "-") }

func (z *Zone) continent() string {
	text, _, _ := strings.Cut(z.Name, "-")
	return text
}

// egressUSD is what n gigabytes cost from one zone to another.
func egressUSD(from, to *Zone, gb float64) float64 {
	a, b := from.region(), to.region()
	switch {
	case a == b:
		return 0
	case a == "us-east-1" && b == "us-east-2", a == "us-east-2" && b == "us-east-1":
		return 0.01 * gb
	}
	return 0.02 * gb
}

// Rates of transfers, Mbit/s: within a region, within a continent, and between two.
const (
	regionRate     = 9720
	continentRate  = 8200
	continentsRate = 3590
	megabitsPerGB  = 8192
)

// transferS is how much longer than within a region a move takes, s.
func transferS(from, to *Zone, gb float64) float64 {
	if from.region() == to.region() {
		return 0
	}
	rate := float64(continentsRate)
	if from.continent() == to.continent() {
		rate = continentRate
	}
	return gb * megabitsPerGB * (1/rate - 1/float64(regionRate))
}
