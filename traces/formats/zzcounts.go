// Package counts imports numbers of machines over time, as published data sets have
// them: polls of zones, counts at equal distances, steps.
package formats

func init() {
	Register(countsJSON, availabilityCSV, stepCounts)
}
