// Package pools imports what others recorded of pools: tables of Spot prices; numbers of machines over time, as polls
// of zones, counts at equal distances or steps; when single machines came and went, or were faulty; rounds of launches
// that were given back at once.
package pools

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(csvFormat, evenFormat, availabilityFormat, stepsFormat, nodesFormat, faultsFormat, dimeFormat,
		lifetimesFormat, skynomadFormat, launchesFormat, windowFormat)
}
