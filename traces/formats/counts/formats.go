// Package counts imports numbers of machines over time, as published data sets have
// them: polls of zones, counts at equal distances, steps.
package counts

import "github.com/marigram/marigram/traces/formats"

func init() {
	formats.Register(evenFormat, availabilityFormat, stepsFormat)
}
